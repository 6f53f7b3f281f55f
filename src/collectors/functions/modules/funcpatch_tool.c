/* Running `kymo patch-plan` before the program runs, or while a library is loaded.
 *
 * The program sees no child: a process that shares its memory and ends without a signal waits
 * for the command.  exec() restores the command's signal, but that goes to the process in
 * between.  Nothing here needs the C library to be initialised. */
#include "collectors/functions/modules/funcpatch_tool.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/pages.h"
#include "base/signalmask.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_plan.h"
#include "platform/code/rawmemory.h"
#include "patch/read/planreadpath.h"
#include "platform/files/toolpath.h"
#include "platform/modulescan.h"

#define ENVIRONMENT_MAX 4096u
#define ARGUMENTS_MAX	(FUNCPATCH_MAKE_MAX + 16u)

struct tool {
	char path[FUNCPATCH_PATH_MAX];
	const char *arguments[ARGUMENTS_MAX];
	const char *environment[ENVIRONMENT_MAX];
	int memfiles[2 * FUNCPATCH_MAKE_MAX]; /* open in the command */
	size_t memfile_count;
	char memfile_list[2 * FUNCPATCH_MAKE_MAX * 12];
	uint64_t held, before;
	volatile int status;
};

static bool tool_is_for_program_only(const char *entry)
{
	static const char *const names[] = {
		"LD_PRELOAD=", "LD_AUDIT=", "KYMO_RUN_DIR=", "KYMO_FUNCTIONS=", NULL};

	for (const char *const *name = names; *name; name++)
		if (strncmp(entry, *name, strlen(*name)) == 0)
			return true;
	return false;
}

static void fill_environment(struct tool *tool)
{
	char *const *entry = funcpatch_settings.environment;
	size_t count = 0;

	for (; *entry && count < ENVIRONMENT_MAX - 2; entry++)
		if (!tool_is_for_program_only(*entry))
			tool->environment[count++] = *entry;
	tool->environment[count++] = "KYMO_FUNCTIONS=OFF";
}

/* In the order in which the command gets the files.  One without them ends the list. */
static bool add_memfiles(struct tool *tool, const struct funcpatch_found *found)
{
	const int both[2] = {found->plan_memfile, found->choice_memfile};
	size_t used = strlen(tool->memfile_list);

	if (!both[0] ||
	    tool->memfile_count + 2 > sizeof(tool->memfiles) / sizeof(tool->memfiles[0]))
		return false;
	for (size_t i = 0; i < 2; i++)
		tool->memfiles[tool->memfile_count++] = both[i];
	snprintf(tool->memfile_list + used, sizeof(tool->memfile_list) - used, "%s%d,%d",
		 used ? "," : "", both[0], both[1]);
	return true;
}

static void fill_memfiles(struct tool *tool, const struct funcpatch_found *found, size_t count)
{
	bool has_all = true;

	for (size_t i = 0; i < count && has_all; i++)
		if (found[i].is_missing && found[i].is_program)
			has_all = add_memfiles(tool, &found[i]);
	for (size_t i = 0; i < count && has_all; i++)
		if (found[i].is_missing && !found[i].is_program)
			has_all = add_memfiles(tool, &found[i]);
}

static void fill_arguments(struct tool *tool, const struct funcpatch_found *found, size_t count)
{
	static const char *const costs[] = {"", "counts", "coarse", "full"};
	const char *variant =
		plancache_variant_suffix(funcpatch_kind(found[0].api != NULL).variant);
	size_t used = 0;

	tool->arguments[used++] = tool->path;
	tool->arguments[used++] = "patch-plan";
	tool->arguments[used++] = "--cost";
	tool->arguments[used++] = costs[funcpatch_settings.cost];
	if (variant[0]) {
		tool->arguments[used++] = "--variant";
		tool->arguments[used++] = variant + 1;
	}
	if (tool->memfile_count > 0) {
		tool->arguments[used++] = "--hand";
		tool->arguments[used++] = tool->memfile_list;
	}
	if (found[0].api) { /* that is always a single one */
		tool->arguments[used++] = "--api";
		tool->arguments[used++] = found[0].api;
	}
	for (size_t i = 0; i < count; i++)
		if (found[i].is_missing && found[i].is_program) {
			tool->arguments[used++] = "--program";
			tool->arguments[used++] = found[i].path;
		}
	for (size_t i = 0; i < count && used < ARGUMENTS_MAX - 1; i++)
		if (found[i].is_missing && !found[i].is_program)
			tool->arguments[used++] = found[i].path;
}

static void tool_find_self(const struct modulescan_found *module, void *context)
{
	uint64_t own = (uint64_t)(uintptr_t)tool_find_self;

	if (own >= module->start && own < module->end && strlen(module->path) < FUNCPATCH_PATH_MAX)
		memcpy(context, module->path, strlen(module->path) + 1);
}

static bool find_tool(struct tool *tool)
{
	const char *chosen = funcpatch_settings.tool;
	char library[FUNCPATCH_PATH_MAX] = "";

	if (chosen && chosen[0] && strlen(chosen) < sizeof(tool->path)) {
		memcpy(tool->path, chosen, strlen(chosen) + 1);
		return true;
	}
	return modulescan(tool_find_self, library) == 0 &&
	       toolpath_find(library, tool->path, sizeof(tool->path));
}

/* Processes: they share this one's stack, and none of them returns. */
static __attribute__((noinline, noreturn)) void become_tool(struct tool *tool)
{
	const uint64_t none = 0;

	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof(none), 0, 0);
	for (size_t i = 0; i < tool->memfile_count; i++)
		raw_call(SYS_fcntl, tool->memfiles[i], F_SETFD, 0);
	raw_call(SYS_execve, (long)tool->path, (long)tool->arguments, (long)tool->environment);
	for (;;)
		raw_call(SYS_exit_group, 127, 0, 0);
}

static __attribute__((noinline, noreturn)) void wait_for_tool(struct tool *tool)
{
	int status = -1;
	long pid = raw_call6(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0, 0);

	if (pid == 0)
		become_tool(tool);
	while (pid > 0 && raw_call6(SYS_wait4, pid, (long)&status, 0, 0, 0, 0) == -EINTR)
		continue;
	tool->status = status;
	for (;;)
		raw_call(SYS_exit, 0, 0, 0);
}

static __attribute__((noinline)) void tool_run(struct tool *tool)
{
	long pid;

	tool->held = signalmask_blocked();
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&tool->held, (long)&tool->before,
		  sizeof(tool->before), 0, 0);
	pid = raw_call6(SYS_clone, CLONE_VM | CLONE_VFORK, 0, 0, 0, 0, 0);
	if (pid == 0)
		wait_for_tool(tool);
	while (pid > 0 && raw_call6(SYS_wait4, pid, 0, (long)__WALL, 0, 0, 0) == -EINTR)
		continue;
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&tool->before, 0, sizeof(tool->before), 0,
		  0);
}

bool funcpatch_plans_make(const struct funcpatch_found *found, size_t count)
{
	struct tool *tool = pages_new(sizeof(*tool));
	bool is_made = false;

	if (!tool)
		return false;
	tool->status = -1;
	if (find_tool(tool)) {
		fill_environment(tool);
		fill_memfiles(tool, found, count);
		fill_arguments(tool, found, count);
		tool_run(tool);
		is_made = tool->status == 0;
	}
	pages_free(tool, sizeof(*tool));
	return is_made;
}
