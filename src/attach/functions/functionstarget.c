/* The process is stopped only while its text is written; everything else is done while it runs. */
#include "attach/functions/functionstarget.h"

#include <limits.h>
#include <stddef.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach/functions/textready.h"
#include "attach/functions/textwrites.h"
#include "attach/target/sched_boost.h"
#include "attach/target/stop_all.h"
#include "attach/target/targetmaps.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"
#include "platform/proc/proc_status.h"
#include "platform/systemclock.h"
#include "platform/usage.h"

#define PREPARE_NS    UINT64_C(60000000000) /* plans exist already: it takes seconds at most */
#define WRITE_NS      UINT64_C(5000000000)
#define REASON_SIZE   400u
#define OUTSIDE_TRIES 200
#define SECCOMP	      2
#define NS_PER_S      1e9
#define PIECE_NS      UINT64_C(100000000) /* between two checks for a request to stop */

/* seccomp filters that kymo is under, too, are the container's; others are the program's own, and
 * may kill it for a call that it never makes. */
static enum kymo_status check_calls(const struct target *target, struct problem *problem)
{
	int64_t mode = proc_status_of(target->pid, 0, "Seccomp", 10);

	if (mode <= 0 ||
	    (mode == SECCOMP && proc_status_of(target->pid, 0, "Seccomp_filters", 10) ==
					proc_status_of(PROC_SELF, 0, "Seccomp_filters", 10)))
		return KYMO_OK;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "process %d restricts its system calls (seccomp), and may be killed for "
			   "those of instrumenting; start it by 'kymo instrument'",
			   (int)target->pid);
}

static enum kymo_status check_state(const struct target *target, struct problem *problem)
{
	pid_t tracer = target_tracer(target);

	if (tracer)
		return problem_set(problem, KYMO_SYSTEM,
				   "process %d is traced by process %d (a debugger, strace): its "
				   "functions can be instrumented when that has detached",
				   (int)target->pid, (int)tracer);
	if (proc_stat_state(target->pid, 0) == 'T')
		return problem_set(problem, KYMO_SYSTEM,
				   "process %d is stopped: resume it first (kill -CONT %d)",
				   (int)target->pid, (int)target->pid);
	return KYMO_OK;
}

/* The process loads the library by its path, which must be the same file for it. */
static enum kymo_status check_library(const struct target *target, const char *library,
				      const char *original, struct problem *problem)
{
	char path[PATH_MAX + 64];
	struct stat here, there;

	if (!original)
		return KYMO_OK;
	if (stat(original, &here) < 0)
		return problem_set(problem, KYMO_UNAVAILABLE, "'%s' is missing", original);
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)target->pid, library);
	if (stat(path, &there) == 0 && there.st_size == here.st_size &&
	    (there.st_ino == here.st_ino || there.st_mtime == here.st_mtime))
		return KYMO_OK;
	return problem_set(problem, KYMO_SYSTEM,
			   "process %d does not see '%s' (it is in another container or chroot): "
			   "make kymo's folder visible there at the same place, or run kymo inside",
			   (int)target->pid, library);
}

enum kymo_status functionstarget_open(struct functionstarget *functions, pid_t pid,
				      const char *library, const char *original,
				      struct problem *problem)
{
	enum kymo_status status;

	*functions = (struct functionstarget){.library = library};
	status = target_open(pid, &functions->target, problem);
	if (status < 0)
		return status;
	remote_init(&functions->remote, pid);
	status = check_state(&functions->target, problem);
	if (status == KYMO_OK)
		status = check_calls(&functions->target, problem);
	if (status == KYMO_OK)
		status = agent_check(&functions->target, &functions->remote, problem);
	if (status == KYMO_OK)
		status = check_library(&functions->target, library, original, problem);
	if (status < 0)
		functionstarget_close(functions);
	return status;
}

void functionstarget_close(struct functionstarget *functions)
{
	remote_release(&functions->remote);
	target_close(&functions->target);
}

static bool functionstarget_is_program(const struct functionstarget *functions,
				       const struct targetmaps *maps,
				       const struct targetmodule *module)
{
	const struct targetmap *map = &maps->maps[module->first];
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)functions->target.pid);
	return stat(path, &status) == 0 && status.st_ino == map->inode;
}

static bool is_mapped_file(const char *path, const struct targetmap *map)
{
	struct stat status;

	return stat(path, &status) == 0 && status.st_ino == map->inode;
}

/* A path by which this process can read a file; "" = none.  The target may see another file at that
 * path, or none; if its root folder is below this process's root, the path may be resolved
 * already. */
static void name_for_reading(const struct functionstarget *functions, const struct targetmap *map,
			     char *path, size_t size)
{
	int pid = (int)functions->target.pid;

	if (map->path[0] != '/') {
		path[0] = '\0';
		return;
	}
	snprintf(path, size, "%s", map->path);
	if (!map->is_deleted && is_mapped_file(path, map))
		return;
	snprintf(path, size, "/proc/%d/root%s", pid, map->path);
	if (!map->is_deleted && is_mapped_file(path, map))
		return;
	snprintf(path, size, "/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)map->start,
		 (unsigned long long)map->end);
}

static enum kymo_status functionstarget_visit_files(struct functionstarget *functions,
						    struct targetmaps *maps, bool is_for_program,
						    functionstarget_file_fn visit, void *context,
						    struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	char path[PATH_MAX];

	for (size_t i = 0; status == KYMO_OK && i < maps->module_count; i++) {
		const struct targetmodule *module = &maps->modules[i];

		if (functionstarget_is_program(functions, maps, module) != is_for_program)
			continue;
		name_for_reading(functions, &maps->maps[module->first], path, sizeof(path));
		if (path[0])
			status = visit(context, path, is_for_program, problem);
	}
	return status;
}

enum kymo_status functionstarget_files(struct functionstarget *functions,
				       functionstarget_file_fn visit, void *context,
				       struct problem *problem)
{
	struct targetmaps maps;
	enum kymo_status status;
	int error = targetmaps_read(&maps, &functions->remote);

	if (error)
		return target_explain(&functions->target, error, problem);
	status = functionstarget_visit_files(functions, &maps, true, visit, context, problem);
	if (status == KYMO_OK)
		status = functionstarget_visit_files(functions, &maps, false, visit, context,
						     problem);
	targetmaps_release(&maps);
	return status;
}

static enum kymo_status functionstarget_load(struct functionstarget *functions, struct agent *agent,
					     struct problem *problem)
{
	const struct {
		const char *name;
		uint64_t *address;
	} symbols[] = {
		{PATCHATTACH_PREPARE, &functions->prepare},
		{PATCHATTACH_READY, &functions->ready},
		{PATCHATTACH_WRITE, &functions->write},
		{PATCHATTACH_START, &functions->start},
		{PATCHATTACH_UNDO, &functions->undo},
		{PATCHATTACH_FINISH, &functions->finish},
		{PATCHATTACH_TABLE, &functions->table},
	};
	uint64_t handle;
	enum kymo_status status = agent_load(agent, functions->library, &handle, problem);

	for (size_t i = 0; status == KYMO_OK && i < sizeof(symbols) / sizeof(*symbols); i++)
		status = agent_symbol(agent, handle, symbols[i].name, symbols[i].address, problem);
	return status;
}

/* Call a function that returns a reason, at the beginning of the scratch buffer. */
static enum kymo_status call_with_reason(struct agent *agent, uint64_t function,
					 const uint64_t arguments[4], struct problem *problem)
{
	enum kymo_status status;
	char reason[REASON_SIZE] = "";
	int64_t result = 0;

	remote_write(agent->remote, agent->scratch, reason, sizeof(reason));
	status = agent_call(agent, function, arguments, PREPARE_NS, &result, problem);
	if (status < 0 || (int32_t)result == 0)
		return status;
	remote_read(agent->remote, agent->scratch, reason, sizeof(reason));
	reason[sizeof(reason) - 1] = '\0';
	return problem_set(problem, KYMO_SYSTEM, "process %d: %s", (int)agent->target->pid,
			   reason[0] ? reason : "its functions cannot be instrumented");
}

static enum kymo_status functionstarget_prepare(struct functionstarget *functions,
						struct agent *agent, const char *settings,
						size_t size, struct problem *problem)
{
	const uint64_t arguments[4] = {agent->scratch + REASON_SIZE, agent->scratch, REASON_SIZE,
				       0};

	if (size > AGENT_SCRATCH - REASON_SIZE)
		return problem_set(problem, KYMO_USAGE, "the settings are too long");
	if (!remote_write(agent->remote, agent->scratch + REASON_SIZE, settings, size))
		return problem_set(problem, KYMO_SYSTEM, "process %d has ended",
				   (int)functions->target.pid);
	return call_with_reason(agent, functions->prepare, arguments, problem);
}

/* Call start or finish. */
static enum kymo_status functionstarget_call(struct agent *agent, uint64_t function,
					     struct problem *problem)
{
	const uint64_t arguments[4] = {agent->scratch, REASON_SIZE, 0, 0};

	return call_with_reason(agent, function, arguments, problem);
}

/* Stop all threads but the agent; before anything is written, none of them may be in trampolines of
 * an earlier attach. */
static enum kymo_status halt_outside(const struct textwrites *writes, struct stop_all *stop,
				     pid_t agent, bool is_undo, struct problem *problem)
{
	const struct timespec pause = {0, 1000000};
	enum kymo_status status = stop_all_begin(stop, agent, problem);

	for (int i = 0; i < OUTSIDE_TRIES && status == KYMO_OK && !is_undo; i++) {
		if (!textwrites_are_in_code(writes, stop))
			return KYMO_OK;
		stop_all_end(stop);
		systemclock_sleep(&pause);
		status = stop_all_begin(stop, agent, problem);
	}
	if (status < 0 || is_undo || !textwrites_are_in_code(writes, stop))
		return status;
	stop_all_end(stop);
	return problem_set(problem, KYMO_SYSTEM,
			   "a thread of process %d does not leave what it was instrumented with "
			   "before; try again later",
			   (int)stop->all.process);
}

/* While it runs: everything that need not be done during the stop. */
static enum kymo_status make_ready(struct functionstarget *functions, struct agent *agent,
				   const struct textwrites *writes, const struct targetmaps *maps,
				   bool is_undo, struct problem *problem)
{
	uint64_t arguments[4] = {0};
	int64_t result;

	for (size_t i = 0; i < maps->module_count && !is_undo; i++)
		if (functionstarget_is_program(functions, maps, &maps->modules[i]))
			arguments[0] = textready(writes, maps, &maps->modules[i]);
	return agent_call(agent, functions->ready, arguments, WRITE_NS, &result, problem);
}

/* All other threads are stopped: write, or undo. */
static enum kymo_status functionstarget_change(struct functionstarget *functions,
					       struct agent *agent, bool is_undo,
					       int64_t *result_out, struct problem *problem)
{
	static const uint64_t nothing[4];
	struct textwrites writes;
	struct targetmaps maps;
	struct sched_boost boost;
	struct stop_all stop;
	enum kymo_status status =
		textwrites_open(&writes, &functions->remote, functions->table, problem);

	if (status < 0)
		return status;
	if (targetmaps_read(&maps, &functions->remote) != 0)
		maps = (struct targetmaps){0};
	stop_all_init(&stop, functions->target.pid);
	status = make_ready(functions, agent, &writes, &maps, is_undo, problem);
	sched_boost_begin(&boost, &functions->target, agent->id);
	if (status == KYMO_OK)
		status = halt_outside(&writes, &stop, agent->id, is_undo, problem);
	if (status == KYMO_OK) {
		if (is_undo)
			textwrites_release_jumps(&writes, &stop);
		else
			textwrites_clear(&writes, &stop, &maps);
		status = agent_call(agent, is_undo ? functions->undo : functions->write, nothing,
				    WRITE_NS, result_out, problem);
		stop_all_end(&stop);
	}
	sched_boost_end(&boost);
	functions->stopped_ns = stop.lasted_ns;
	if (!is_undo)
		functions->excluded_count = writes.excluded_count;
	stop_all_release(&stop);
	targetmaps_release(&maps);
	textwrites_close(&writes);
	return status;
}

static uint64_t functionstarget_start_of(pid_t pid)
{
	uint64_t fields[PROC_STAT_FIELDS];

	return proc_stat_read(pid, 0, fields) && fields[PROC_STAT_STATE] != 'Z'
		       ? fields[PROC_STAT_START]
		       : 0;
}

static void functionstarget_sign(struct functionstarget *functions)
{
	const uint32_t owner = (uint32_t)getpid();
	const uint64_t start = functionstarget_start_of(getpid());

	remote_write(&functions->remote,
		     functions->table + offsetof(struct patchattach_table, owner), &owner,
		     sizeof(owner));
	remote_write(&functions->remote,
		     functions->table + offsetof(struct patchattach_table, owner_start), &start,
		     sizeof(start));
}

/* Undo the instrumentation of an attach that was killed first. */
static enum kymo_status take_over(struct functionstarget *functions, struct agent *agent,
				  struct problem *problem)
{
	struct patchattach_table head;
	enum kymo_status status;
	int64_t kept;

	if (!remote_read(&functions->remote, functions->table, &head,
			 offsetof(struct patchattach_table, modules)) ||
	    !head.is_written)
		return KYMO_OK;
	if (head.owner && head.owner_start &&
	    functionstarget_start_of((pid_t)head.owner) == head.owner_start)
		return problem_set(problem, KYMO_SYSTEM,
				   "the functions of process %d are instrumented by process %u "
				   "(kymo attach) already",
				   (int)functions->target.pid, head.owner);
	status = functionstarget_change(functions, agent, true, &kept, problem);
	return status == KYMO_OK ? functionstarget_call(agent, functions->finish, problem) : status;
}

static enum kymo_status functionstarget_write_all(struct functionstarget *functions,
						  struct agent *agent, struct problem *problem)
{
	int64_t count = 0;
	enum kymo_status status = functionstarget_change(functions, agent, false, &count, problem);

	if (status < 0)
		return status;
	if (count <= 0)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "no function of process %d can be instrumented with this "
				   "selection",
				   (int)functions->target.pid);
	functionstarget_sign(functions);
	functions->functions = (uint64_t)count;
	functions->is_instrumented = true;
	return KYMO_OK;
}

/* Instrumenting failed halfway: restore the original state. */
static void functionstarget_roll_back(struct functionstarget *functions, struct agent *agent)
{
	int64_t kept;

	if (functions->is_instrumented)
		functionstarget_change(functions, agent, true, &kept, NULL);
	functions->is_instrumented = false;
	functionstarget_call(agent, functions->finish, NULL);
}

enum kymo_status functionstarget_instrument(struct functionstarget *functions, const char *settings,
					    size_t size, struct problem *problem)
{
	struct agent agent;
	enum kymo_status status =
		agent_begin(&agent, &functions->target, &functions->remote, problem);

	if (status == KYMO_OK)
		status = functionstarget_load(functions, &agent, problem);
	if (status == KYMO_OK)
		status = take_over(functions, &agent, problem);
	if (status == KYMO_OK)
		status = functionstarget_prepare(functions, &agent, settings, size, problem);
	if (status == KYMO_OK) {
		status = functionstarget_write_all(functions, &agent, problem);
		if (status == KYMO_OK)
			status = functionstarget_call(&agent, functions->start, problem);
		if (status < 0)
			functionstarget_roll_back(functions, &agent);
	}
	agent_end(&agent);
	return status;
}

bool functionstarget_wait(const struct functionstarget *functions, double duration_s,
			  const volatile sig_atomic_t *must_stop)
{
	uint64_t end_ns = usage_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(duration_s * NS_PER_S);
	struct pollfd ended = {.fd = functions->target.handle, .events = POLLIN};

	while (!*must_stop) {
		uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);
		uint64_t left_ns = duration_s > 0 && end_ns > now_ns ? end_ns - now_ns : 0;
		uint64_t piece_ns = duration_s > 0 && left_ns < PIECE_NS ? left_ns : PIECE_NS;

		if (duration_s > 0 && left_ns == 0)
			break;
		poll(&ended, 1, (int)(piece_ns / 1000000u) + 1);
		if (!target_is_alive(&functions->target))
			return false;
	}
	return true;
}

/* After an exec all addresses are invalid. */
static bool functionstarget_is_loaded(struct functionstarget *functions)
{
	struct targetmaps maps;
	struct targetmodule *module;
	const char *name = strrchr(functions->library, '/');
	bool is_there;

	if (targetmaps_read(&maps, &functions->remote) != 0)
		return false;
	module = targetmaps_module(&maps, functions->undo);
	is_there = module && name && strstr(module->path, name) != NULL;
	targetmaps_release(&maps);
	return is_there;
}

enum kymo_status functionstarget_undo(struct functionstarget *functions, struct problem *problem)
{
	struct agent agent;
	enum kymo_status status;
	int64_t kept = 0;

	if (!functions->is_instrumented || !target_is_alive(&functions->target) ||
	    !functionstarget_is_loaded(functions))
		return KYMO_OK;
	functions->is_instrumented = false;
	status = agent_begin(&agent, &functions->target, &functions->remote, problem);
	if (status == KYMO_OK)
		status = functionstarget_change(functions, &agent, true, &kept, problem);
	if (status == KYMO_OK)
		status = functionstarget_call(&agent, functions->finish, problem);
	agent_end(&agent);
	if (status < 0 && !target_is_alive(&functions->target))
		return KYMO_OK; /* it has ended: nothing needs to be undone */
	if (status == KYMO_OK && kept > 0)
		return problem_set(
			problem, KYMO_SYSTEM,
			"%lld functions of process %d are not as they were: its code was "
			"changed by others meanwhile",
			(long long)kept, (int)functions->target.pid);
	return status;
}
