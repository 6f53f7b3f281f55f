/* Which file is run, and what is known of it in advance: one line if it cannot run, one if it can
 * run but not be recorded, with what is still possible. */
#include "cli/run/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/run/run_command.h"
#include "platform/files/exec_check.h"

#define LINE_BYTES 256
#define FORMATS	   "/proc/sys/fs/binfmt_misc/status"

static int program_refuse(const char *name, const char *why, int exit_status,
			  struct problem *problem)
{
	problem_set(problem, KYMO_ERROR, "cannot run '%s': %s", name, why);
	return exit_status;
}

static bool program_is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Whether the first line looks like text.  Shells run a text without "#!" as a script of theirs,
 * and so does execvp(). */
static bool program_is_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char head[LINE_BYTES], *end;
	ssize_t length = fd >= 0 ? read(fd, head, sizeof(head)) : -1;

	if (fd >= 0)
		close(fd);
	if (length < 0 || (length >= 4 && memcmp(head, "\177ELF", 4) == 0))
		return false;
	end = memchr(head, '\n', (size_t)length);
	return !memchr(head, '\0', end ? (size_t)(end - head) : (size_t)length);
}

/* binfmt_misc may be configured to run programs of other machines. */
static bool has_more_formats(void)
{
	char status[16] = "";
	int fd = open(FORMATS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, status, sizeof(status) - 1) < 0)
		status[0] = '\0';
	close(fd);
	return strncmp(status, "enabled", 7) == 0;
}

static void run_print_unrecorded(const char *name, const struct exec_facts *facts, const char *rest)
{
	run_print("'%s' %s%s: it cannot be recorded%s", name, exec_obstacle_text(facts->obstacle),
		  facts->is_musl ? " (musl)" : "", rest);
}

static int refuse_foreign(const char *name, struct problem *problem)
{
	struct utsname own;
	char why[128];

	snprintf(why, sizeof(why), "it %s, and this is %s", exec_obstacle_text(EXEC_FOREIGN),
		 uname(&own) == 0 ? own.machine : "not that");
	return program_refuse(name, why, RUN_NOT_EXECUTABLE, problem);
}

/* Shows a script's own name, with its interpreter's state. */
static int program_judge(struct run_command *run, const struct exec_facts *facts,
			 struct problem *problem)
{
	const char *name = run->program[0];
	char why[EXEC_NAME_MAX + 64];

	switch (facts->obstacle) {
	case EXEC_NONE:
		run->is_recorded = true;
		return 0;
	case EXEC_MISSING:
		return program_refuse(name, strerror(facts->error), RUN_NOT_FOUND, problem);
	case EXEC_NOT_EXECUTABLE:
		if (program_is_directory(run->path))
			return program_refuse(name, "it is a directory", RUN_NOT_EXECUTABLE,
					      problem);
		return program_refuse(name, "it is not executable", RUN_NOT_EXECUTABLE, problem);
	case EXEC_NO_INTERPRETER:
		if (facts->name[0]) {
			snprintf(why, sizeof(why), "its interpreter '%s' does not exist",
				 facts->name);
			return program_refuse(name, why, RUN_NOT_FOUND, problem);
		}
		__attribute__((fallthrough)); /* a bare "#!" */
	case EXEC_NO_FORMAT:
		if (facts->script_depth > 0 || !program_is_text(run->path))
			return program_refuse(name, "it is neither a program nor a script",
					      RUN_NOT_EXECUTABLE, problem);
		run->is_shell_text = run->is_recorded = true;
		return 0;
	case EXEC_FOREIGN:
		if (!has_more_formats())
			return refuse_foreign(name, problem);
		run_print_unrecorded(name, facts, "; it is run anyway");
		return 0;
	case EXEC_STATIC:
		run_print_unrecorded(name, facts, ", only programs that it starts can");
		run->is_recorded = run->is_fork = true;
		return 0;
	case EXEC_PRIVILEGED:
		run_print_unrecorded(name, facts,
				     " but by the user it would run as; it is run anyway");
		return 0;
	case EXEC_OTHER_BITS:
	case EXEC_OTHER_LIBC:
	case EXEC_OUT_OF_REACH:
		break;
	}
	run_print_unrecorded(name, facts, "; it is run anyway");
	return 0;
}

int run_program_find(struct run_command *run, struct problem *problem)
{
	const char *name = run->program[0];
	int error = exec_search(name, getenv("PATH"), run->path, sizeof(run->path));
	struct exec_facts facts;

	if (error == ENOENT)
		return program_refuse(name, "there is no such command", RUN_NOT_FOUND, problem);
	if (error != 0)
		return program_refuse(name, strerror(error), RUN_NOT_EXECUTABLE, problem);
	exec_inspect(run->path, &facts);
	return program_judge(run, &facts, problem);
}
