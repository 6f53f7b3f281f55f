/* Memory of the agent: a page of code, the words, a scratch buffer.  The maker thread's memory is
 * separate and permanent (threadarea.h). */
#include "attach/agent/agent.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "attach/agent/agentcode.h"
#include "attach/agent/borrow.h"
#include "attach/agent/insidelibc.h"
#include "attach/agent/threadarea.h"
#include "attach/target/stop_all.h"
#include "attach/target/targettasks.h"
#include "platform/systemclock.h"
#include "platform/usage.h"

#define PAGE		   4096u
#define WORDS_AT	   PAGE
#define SCRATCH_AT	   (2 * PAGE)
#define SIZE		   (SCRATCH_AT + AGENT_SCRATCH)
#define POLL_NS		   UINT64_C(200000)	 /* polling interval of both sides */
#define BEGIN_NS	   UINT64_C(10000000000) /* to create a thread, to load a library */
#define END_NS		   UINT64_C(1000000000)
#define POLLS		   50000u /* polls without a command: some ten seconds */
#define QUIET_TRIES	   2000
#define SHORT_PAUSE_ROUNDS 50 /* for a call that may end at once */

/* A thread that shares the address space and everything else that threads share. */
#define CLONE_FLAGS                                                                                \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |        \
	 CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

static void pause_ns(uint64_t ns)
{
	const struct timespec pause = {0, (long)ns};

	systemclock_sleep(&pause);
}

static bool get_words(struct agent *agent, struct agent_words *words)
{
	return remote_read(agent->remote, agent->words, words, sizeof(*words));
}

static bool put_command(struct agent *agent, uint32_t command)
{
	return remote_write(agent->remote, agent->words + offsetof(struct agent_words, command),
			    &command, sizeof(command));
}

static enum kymo_status report_ended(const struct agent *agent, struct problem *problem)
{
	if (!target_is_alive(agent->target))
		return problem_set(problem, KYMO_ERROR, "process %d has ended",
				   (int)agent->target->pid);
	return problem_set(problem, KYMO_SYSTEM, "memory of process %d cannot be reached: %s",
			   (int)agent->target->pid, strerror(agent->remote->error));
}

struct making {
	struct agent *agent;
	struct stop_all stop;
	struct borrowed borrowed;
	struct insidelibc libc;
	struct threadarea area;
	enum kymo_status status;
	struct problem *problem;
};

static int64_t attach_agent_call(struct making *making, long number, uint64_t a, uint64_t b,
				 uint64_t c, uint64_t d)
{
	const struct borrow_call call = {.number = number,
					 .arguments = {a, b, c, d, UINT64_MAX, 0}};
	int64_t result = -ESRCH;

	borrow_call(&making->borrowed, &call, &result);
	return result;
}

static bool agent_fail(struct making *making, const char *what, int64_t result)
{
	struct agent *agent = making->agent;

	if (!target_is_alive(agent->target))
		making->status = report_ended(agent, making->problem);
	else
		making->status =
			problem_set(making->problem, KYMO_SYSTEM, "process %d cannot %s: %s",
				    (int)agent->target->pid, what, strerror((int)-result));
	return false;
}

/* Map new pages, 0 = failed. */
static uint64_t map_pages(struct making *making, uint64_t size)
{
	int64_t result = attach_agent_call(making, SYS_mmap, 0, size, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);

	if (result >= 0 || result < -4095)
		return (uint64_t)result;
	agent_fail(making, "map memory", result);
	return 0;
}

static bool agent_reserve(struct making *making)
{
	struct agent *agent = making->agent;
	size_t code_bytes = (size_t)(agentcode_end - agentcode_start);
	int64_t result;

	agent->size = SIZE;
	agent->base = map_pages(making, agent->size);
	if (!agent->base)
		return false;
	agent->words = agent->base + WORDS_AT;
	agent->scratch = agent->base + SCRATCH_AT;
	if (!remote_write(agent->remote, agent->base, agentcode_start, code_bytes))
		return agent_fail(making, "be written to", -agent->remote->error);
	result = attach_agent_call(making, SYS_mprotect, agent->base, PAGE, PROT_READ | PROT_EXEC,
				   0);
	return result == 0 || agent_fail(making, "map code", result);
}

/* The maker's storage: the existing one, or a new one. */
static bool make_area(struct making *making, struct threadarea_use *use)
{
	uint64_t at = making->area.address;
	int64_t result = 0;

	if (!at) {
		at = map_pages(making, making->area.size);
		if (!at)
			return false;
		result = attach_agent_call(making, SYS_mprotect, at, threadarea_guard(), PROT_NONE,
					   0);
	}
	if (result != 0)
		return agent_fail(making, "map memory", result);
	making->status =
		threadarea_write(&making->area, &making->libc.maps, making->agent->remote, at,
				 borrow_thread_pointer(&making->borrowed), use, making->problem);
	return making->status == KYMO_OK;
}

static bool agent_write_words(struct making *making)
{
	struct agent *agent = making->agent;
	const struct agent_words words = {
		.create = making->libc.thread_create,
		.unmap = making->libc.unmap,
		.base = agent->base,
		.size = agent->size,
		.maker_lives = 1,
		.created = -1,
		.patience = POLLS,
		.pause_ns = (int64_t)POLL_NS,
	};

	return remote_write(agent->remote, agent->words, &words, sizeof(words)) ||
	       agent_fail(making, "be written to", -agent->remote->error);
}

static bool start_maker(struct making *making)
{
	struct agent *agent = making->agent;
	struct borrow_call clone = {
		.number = SYS_clone, .extra = agent->words, .syscall_insn = agent->base};
	struct threadarea_use use;
	int64_t result = -ESRCH;

	if (!make_area(making, &use))
		return false;
	clone.arguments[0] = CLONE_FLAGS;
	clone.arguments[1] = use.stack;
	clone.arguments[2] = use.id;
	clone.arguments[3] = agent->words + offsetof(struct agent_words, maker_lives);
	clone.arguments[4] = use.pointer;
	borrow_call(&making->borrowed, &clone, &result);
	return result > 0 || agent_fail(making, "make a thread", result);
}

/* A program of one thread takes no locks; it will from now on, but not in a function that it is
 * already in. */
static bool is_unsafe_place(struct making *making)
{
	static const long calls[] = {SYS_mmap,	   SYS_munmap, SYS_mremap,
				     SYS_mprotect, SYS_brk,    SYS_madvise};
	long number = borrow_system_call(&making->borrowed);

	if (!insidelibc_is_inside(&making->libc, borrow_pc(&making->borrowed)))
		return false;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == number)
			return true;
	return number < 0;
}

static bool agent_is_alone(pid_t pid)
{
	struct targettasks tasks;
	bool is_alone;

	if (!targettasks_open(&tasks, pid, false))
		return false;
	is_alone = targettasks_list(&tasks) && tasks.count == 1;
	targettasks_close(&tasks);
	return is_alone;
}

/* Borrow a thread if it is at a safe place. */
static bool borrow(struct making *making)
{
	struct agent *agent = making->agent;

	for (int i = 0; i < QUIET_TRIES; i++) {
		struct threadstop_thread *thread = stop_all_any(&making->stop, making->problem);

		if (!thread) {
			making->status = KYMO_SYSTEM;
			return false;
		}
		if (borrow_begin(&making->borrowed, thread->id, making->libc.syscall_insn) &&
		    (!agent_is_alone(agent->target->pid) || !is_unsafe_place(making)))
			return true;
		borrow_end(&making->borrowed);
		stop_all_end(&making->stop);
		pause_ns(POLL_NS + (uint64_t)i * 997 % POLL_NS);
	}
	making->status = problem_set(making->problem, KYMO_SYSTEM,
				     "process %d is always inside its C library, where no thread "
				     "can be injected; try again later",
				     (int)agent->target->pid);
	return false;
}

/* A signal that arrived while the thread was borrowed is delivered when it resumes. */
static void agent_restore(struct making *making)
{
	struct stop_all *stop = &making->stop;

	borrow_end(&making->borrowed);
	for (size_t i = 0; i < stop->all.count; i++)
		if (stop->all.threads[i].id == making->borrowed.id && making->borrowed.signal)
			stop->all.threads[i].signal = making->borrowed.signal;
	stop_all_end(stop);
	making->agent->borrowed_ns = stop->lasted_ns;
}

static bool agent_make(struct making *making)
{
	struct agent *agent = making->agent;
	bool is_made;

	if (!borrow(making))
		return false;
	if (agent_is_alone(agent->target->pid))
		insidelibc_mark_threaded(agent->remote, borrow_thread_pointer(&making->borrowed));
	is_made = agent_reserve(making) && agent_write_words(making) && start_maker(making);
	if (!is_made && agent->base)
		attach_agent_call(making, SYS_munmap, agent->base, agent->size, 0, 0);
	agent_restore(making);
	return is_made;
}

static pid_t outer_id(const struct agent *agent, uint32_t own_id)
{
	struct targettasks tasks;
	pid_t id = 0;

	if (!agent->target->has_own_pids)
		return (pid_t)own_id;
	if (!targettasks_open(&tasks, agent->target->pid, agent->target->has_own_pids))
		return 0;
	if (targettasks_list(&tasks))
		id = targettasks_find(&tasks, (pid_t)own_id);
	targettasks_close(&tasks);
	return id;
}

static enum kymo_status wait_for_it(struct agent *agent, struct problem *problem)
{
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	struct agent_words words;

	do {
		if (!get_words(agent, &words))
			return report_ended(agent, problem);
		if (words.created > 0)
			return problem_set(problem, KYMO_SYSTEM,
					   "process %d cannot make a thread: %s",
					   (int)agent->target->pid, strerror(words.created));
		if (words.id && words.created == 0) {
			agent->id = outer_id(agent, words.id);
			agent->is_there = true;
			return agent->id ? KYMO_OK : report_ended(agent, problem);
		}
		pause_ns(POLL_NS);
	} while (usage_clock_ns(CLOCK_MONOTONIC) - begun_ns < BEGIN_NS);
	put_command(agent, AGENT_END);
	return problem_set(
		problem, KYMO_SYSTEM,
		"process %d did not make a thread within %u s: it may be stopped, or one "
		"of its threads holds a lock of the C library",
		(int)agent->target->pid, (unsigned)(BEGIN_NS / 1000000000u));
}

/* No thread joins it when it ends. */
static enum kymo_status agent_detach(struct agent *agent, uint64_t function,
				     struct problem *problem)
{
	struct agent_words words;
	int64_t result;

	if (!get_words(agent, &words))
		return report_ended(agent, problem);
	return agent_call(agent, function, (const uint64_t[4]){words.thread, 0, 0, 0}, BEGIN_NS,
			  &result, problem);
}

enum kymo_status agent_check(const struct target *target, struct remote *remote,
			     struct problem *problem)
{
	struct insidelibc libc;
	struct threadarea area;
	enum kymo_status status = insidelibc_open(&libc, target, remote, problem);

	if (status < 0)
		return status;
	status = threadarea_measure(&area, &libc.maps, remote, libc.library, libc.loader, problem);
	insidelibc_close(&libc);
	return status;
}

enum kymo_status agent_begin(struct agent *agent, const struct target *target,
			     struct remote *remote, struct problem *problem)
{
	struct making making = {.agent = agent, .problem = problem};
	uint64_t thread_detach;
	enum kymo_status status;

	*agent = (struct agent){.remote = remote, .target = target};
	status = insidelibc_open(&making.libc, target, remote, problem);
	if (status < 0)
		return status;
	status = threadarea_measure(&making.area, &making.libc.maps, remote, making.libc.library,
				    making.libc.loader, problem);
	if (status == KYMO_OK) {
		stop_all_init(&making.stop, target->pid);
		if (!agent_make(&making))
			status = making.status;
		stop_all_release(&making.stop);
	}
	agent->functions =
		(struct agent_functions){making.libc.open, making.libc.symbol, making.libc.error};
	thread_detach = making.libc.thread_detach;
	insidelibc_close(&making.libc);
	if (status == KYMO_OK)
		status = wait_for_it(agent, problem);
	return status == KYMO_OK ? agent_detach(agent, thread_detach, problem) : status;
}

enum kymo_status agent_call(struct agent *agent, uint64_t function, const uint64_t arguments[4],
			    uint64_t patience_ns, int64_t *result_out, struct problem *problem)
{
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	struct agent_words words;

	if (!agent->is_there || !get_words(agent, &words))
		return report_ended(agent, problem);
	words.function = function;
	memcpy(words.arguments, arguments, sizeof(words.arguments));
	words.patience = POLLS;
	if (!remote_write(agent->remote, agent->words + offsetof(struct agent_words, function),
			  &words.function,
			  sizeof(words) - offsetof(struct agent_words, function)) ||
	    !put_command(agent, AGENT_CALL))
		return report_ended(agent, problem);
	for (int round = 0;; round++) {
		if (!get_words(agent, &words))
			return report_ended(agent, problem);
		if (words.command == AGENT_IDLE)
			break;
		if (usage_clock_ns(CLOCK_MONOTONIC) - begun_ns > patience_ns)
			return problem_set(problem, KYMO_SYSTEM,
					   "a call in process %d did not come back within %.3g s",
					   (int)agent->target->pid, (double)patience_ns / 1e9);
		pause_ns(round < SHORT_PAUSE_ROUNDS ? POLL_NS / 10 : POLL_NS / 4);
	}
	*result_out = words.result;
	return KYMO_OK;
}

void agent_end(struct agent *agent)
{
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	struct agent_words words;

	if (!agent->is_there)
		return;
	agent->is_there = false;
	put_command(agent, AGENT_END);
	/* Its memory is unmapped when it ends: so a later attach finds nothing of it. */
	while (get_words(agent, &words) && words.base == agent->base &&
	       usage_clock_ns(CLOCK_MONOTONIC) - begun_ns < END_NS)
		pause_ns(POLL_NS);
}

static enum kymo_status agent_put_text(struct agent *agent, const char *text,
				       struct problem *problem)
{
	size_t size = strlen(text) + 1;

	if (size > AGENT_SCRATCH)
		return problem_set(problem, KYMO_SYSTEM, "'%.100s…' is too long", text);
	return remote_write(agent->remote, agent->scratch, text, size)
		       ? KYMO_OK
		       : report_ended(agent, problem);
}

/* The message of dlerror(). */
static enum kymo_status agent_explain(struct agent *agent, const char *what,
				      struct problem *problem)
{
	static const uint64_t nothing[4];
	char text[300] = "";
	int64_t at = 0;

	if (agent_call(agent, agent->functions.error, nothing, BEGIN_NS, &at, NULL) == KYMO_OK &&
	    at)
		for (size_t i = 0; i < sizeof(text) - 1; i++)
			if (!remote_read(agent->remote, (uint64_t)at + i, &text[i], 1) || !text[i])
				break;
	text[sizeof(text) - 1] = '\0';
	return problem_set(problem, KYMO_SYSTEM, "process %d cannot %s: %s",
			   (int)agent->target->pid, what, text[0] ? text : "no reason is given");
}

enum kymo_status agent_load(struct agent *agent, const char *path, uint64_t *handle_out,
			    struct problem *problem)
{
	const uint64_t arguments[4] = {agent->scratch, 2 /* RTLD_NOW */, 0, 0};
	enum kymo_status status = agent_put_text(agent, path, problem);
	int64_t handle = 0;

	if (status == KYMO_OK)
		status = agent_call(agent, agent->functions.open, arguments, BEGIN_NS, &handle,
				    problem);
	if (status == KYMO_OK && handle == 0)
		return agent_explain(agent, "load kymo's library", problem);
	*handle_out = (uint64_t)handle;
	return status;
}

enum kymo_status agent_symbol(struct agent *agent, uint64_t handle, const char *name,
			      uint64_t *address_out, struct problem *problem)
{
	const uint64_t arguments[4] = {handle, agent->scratch, 0, 0};
	enum kymo_status status = agent_put_text(agent, name, problem);
	int64_t address = 0;

	if (status == KYMO_OK)
		status = agent_call(agent, agent->functions.symbol, arguments, BEGIN_NS, &address,
				    problem);
	if (status == KYMO_OK && address == 0)
		return agent_explain(agent, "use kymo's library", problem);
	*address_out = (uint64_t)address;
	return status;
}
