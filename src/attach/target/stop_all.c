/* All are asked to stop before the first is waited for: the time is that of the slowest, not
 * the sum.  A thread that is in the kernel for longer is asked already, and stops before its
 * next instruction; but what it does there may belong to another process that shares the
 * memory, as a child of vfork() does, so it is waited for. */
#include "attach/target/stop_all.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/target/registers.h"
#include "base/array.h"
#include "platform/systemclock.h"
#include "platform/usage.h"

#define STOP_NS	     UINT64_C(10000000) /* for all of them to stop; then the others go on first */
#define PAUSE_NS     5000000L		/* between two attempts */
#define GIVE_UP_NS   UINT64_C(5000000000)
#define BRIEF_ROUNDS 20
#define CLEAN_PASSES 3 /* a first thread that has ended is counted for ever */

void stop_all_init(struct stop_all *stop, pid_t pid)
{
	*stop = (struct stop_all){.pid = pid};
}

static struct stopped_thread *all_find(struct stop_all *stop, pid_t id)
{
	for (size_t i = 0; i < stop->count; i++)
		if (stop->threads[i].id == id)
			return &stop->threads[i];
	return NULL;
}

static void all_forget(struct stop_all *stop, struct stopped_thread *thread)
{
	*thread = stop->threads[--stop->count];
}

/* Signals that a handler of the program is about to take are the reason of an EINTR, not the
 * stop.  Ignored ones are not, though they wake a thread that is traced. */
static bool all_has_signals(pid_t pid, const struct stopped_thread *thread)
{
	unsigned long long waiting = 0, blocked = 0, caught = 0, value;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, (int)thread->id);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "SigPnd: %llx", &value) == 1 ||
		    sscanf(line, "ShdPnd: %llx", &value) == 1)
			waiting |= value;
		else if (sscanf(line, "SigBlk: %llx", &value) == 1)
			blocked = value;
		else if (sscanf(line, "SigCgt: %llx", &value) == 1)
			caught = value;
	}
	if (!file)
		return true;
	fclose(file);
	waiting &= ~blocked;
	if (thread->signal)
		waiting |= 1ull << (thread->signal - 1);
	return (waiting & caught) != 0;
}

/* signal(7): these end when a tracer stops the thread.  Made again they are as if they had
 * begun now; connect() and close() would not be. */
static bool can_repeat(uint32_t call)
{
	static const uint16_t calls[] = {
		SYS_epoll_pwait,  SYS_semop,	      SYS_semtimedop, SYS_rt_sigtimedwait,
		SYS_io_getevents, SYS_recvfrom,	      SYS_recvmsg,    SYS_recvmmsg,
		SYS_sendto,	  SYS_sendmsg,	      SYS_accept,     SYS_accept4,
		SYS_read,	  SYS_io_uring_enter,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
		SYS_epoll_pwait2,
#endif
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == call)
			return true;
	return false;
}

static void all_let_go(struct stop_all *stop, const struct stopped_thread *thread)
{
	uint32_t call;

	if (registers_was_interrupted(thread->id, &call) && can_repeat(call) &&
	    !all_has_signals(stop->pid, thread))
		registers_repeat_call(thread->id);
	ptrace(PTRACE_DETACH, thread->id, NULL, (void *)(intptr_t)thread->signal);
}

/* Those that are still to stop stay known. */
void stop_all_end(struct stop_all *stop)
{
	struct stopped_thread *first = all_find(stop, stop->pid);

	if (first && first->has_stopped) {
		all_let_go(stop, first);
		all_forget(stop, first);
	}
	for (size_t i = stop->count; i-- > 0;) {
		if (!stop->threads[i].has_stopped)
			continue;
		all_let_go(stop, &stop->threads[i]);
		all_forget(stop, &stop->threads[i]);
	}
	if (stop->begun_ns)
		stop->lasted_ns = usage_clock_ns(CLOCK_MONOTONIC) - stop->begun_ns;
	stop->begun_ns = 0;
}

/* False: it is gone. */
static bool all_look(struct stopped_thread *thread)
{
	int status;
	pid_t who = waitpid(thread->id, &status, __WALL | WNOHANG);

	if (who == 0 || (who < 0 && errno == EINTR))
		return true;
	if (who < 0 || !WIFSTOPPED(status))
		return false;
	thread->signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	thread->has_stopped = registers_read(thread->id, &thread->registers);
	return true;
}

/* True: all that are known have stopped, or are gone. */
static bool all_wait_for(struct stop_all *stop, uint64_t until_ns)
{
	/* Not sched_yield(): on a busy machine that is a turn of everybody else. */
	const struct timespec brief = {0, 10000}, pause = {0, 50000};

	for (int round = 0;; round++) {
		bool is_any = false;

		for (size_t i = stop->count; i-- > 0;) {
			struct stopped_thread *thread = &stop->threads[i];

			if (thread->has_stopped)
				continue;
			if (!all_look(thread))
				all_forget(stop, thread);
			else
				is_any |= !thread->has_stopped;
		}
		if (!is_any)
			return true;
		if (usage_clock_ns(CLOCK_MONOTONIC) > until_ns)
			return false;
		systemclock_sleep(round < BRIEF_ROUNDS ? &brief : &pause);
	}
}

static enum kymo_status refused(pid_t pid, pid_t id, int error, struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM, "thread %d of process %d cannot be stopped: %s%s",
			   (int)id, (int)pid, strerror(error),
			   error == EPERM ? "; another tracer (a debugger, strace) may have it"
					  : "");
}

/* Zombies among them: the first thread may have ended before the others. */
static bool all_has_ended(pid_t pid, pid_t id)
{
	char path[64], text[512], *at;
	size_t got;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)id);
	file = fopen(path, "re");
	got = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[got] = '\0';
	at = strrchr(text, ')');
	return !at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X';
}

static enum kymo_status all_ask(struct stop_all *stop, pid_t id, struct problem *problem)
{
	struct stopped_thread *grown;

	if (ptrace(PTRACE_SEIZE, id, NULL, NULL) < 0) {
		int error = errno;

		return error == ESRCH || all_has_ended(stop->pid, id)
			       ? KYMO_OK
			       : refused(stop->pid, id, error, problem);
	}
	ptrace(PTRACE_INTERRUPT, id, NULL, NULL);
	grown = array_grow(stop->threads, &stop->capacity, stop->count + 1, sizeof(*grown));
	if (!grown)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	stop->threads = grown;
	grown[stop->count++] = (struct stopped_thread){.id = id};
	return KYMO_OK;
}

/* The first thread: the last to be asked and the first to go on.  While it has a tracer the
 * kernel does not drop signals that the program ignores, but wakes some thread for them, whose
 * system call then ends with EINTR: that must be one that has stopped. */
static enum kymo_status ask_first(struct stop_all *stop, size_t *asked, struct problem *problem)
{
	size_t before = stop->count;
	enum kymo_status status = KYMO_OK;

	if (stop->pid != stop->except && !all_find(stop, stop->pid))
		status = all_ask(stop, stop->pid, problem);
	*asked += stop->count - before;
	return status;
}

/* Ask those that are not known yet. */
static enum kymo_status ask_new(struct stop_all *stop, size_t limit, size_t *asked,
				struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	struct dirent *entry;
	char path[64];
	DIR *folder;

	*asked = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)stop->pid);
	folder = opendir(path);
	if (!folder)
		return problem_set(problem, KYMO_ERROR, "process %d has ended", (int)stop->pid);
	while (status == KYMO_OK && *asked < limit && (entry = readdir(folder))) {
		pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);
		size_t before = stop->count;

		if (id <= 0 || id == stop->pid || id == stop->except || all_find(stop, id))
			continue;
		status = all_ask(stop, id, problem);
		*asked += stop->count - before;
	}
	closedir(folder);
	return status == KYMO_OK && *asked < limit ? ask_first(stop, asked, problem) : status;
}

/* The list of threads may miss one while another ends: none is missing when there are as many
 * as the kernel counts, or when all that could end are stopped. */
static bool all_are_all_known(const struct stop_all *stop)
{
	char path[64], line[128];
	unsigned count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)stop->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Threads: %u", &count) == 1)
			break;
	if (file)
		fclose(file);
	return count <= stop->count + (stop->except != 0);
}

static enum kymo_status all_attempt(struct stop_all *stop, bool *have_stopped,
				    struct problem *problem)
{
	uint64_t until_ns = usage_clock_ns(CLOCK_MONOTONIC) + STOP_NS;
	enum kymo_status status;
	size_t asked;
	int clean = 0;

	stop->begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	do {
		status = ask_new(stop, SIZE_MAX, &asked, problem);
		*have_stopped = status == KYMO_OK && all_wait_for(stop, until_ns);
		clean = asked ? 0 : clean + 1;
	} while (*have_stopped && (asked || (clean < CLEAN_PASSES && !all_are_all_known(stop))));
	return status;
}

enum kymo_status stop_all_begin(struct stop_all *stop, pid_t except, struct problem *problem)
{
	const struct timespec pause = {0, PAUSE_NS};
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	enum kymo_status status;
	bool have_stopped;

	stop->except = except;
	for (;;) {
		status = all_attempt(stop, &have_stopped, problem);
		if (status == KYMO_OK && have_stopped && stop->count > 0)
			return KYMO_OK;
		stop_all_end(stop);
		if (status == KYMO_OK && have_stopped)
			return problem_set(problem, KYMO_ERROR, "process %d has ended",
					   (int)stop->pid);
		if (status < 0)
			return status;
		if (usage_clock_ns(CLOCK_MONOTONIC) - begun_ns > GIVE_UP_NS)
			return problem_set(problem, KYMO_SYSTEM,
					   "a thread of process %d sleeps in the kernel where "
					   "nothing stops it (in vfork(), or waiting for a disk); "
					   "try again later",
					   (int)stop->pid);
		systemclock_sleep(&pause);
	}
}

struct stopped_thread *stop_all_any(struct stop_all *stop, struct problem *problem)
{
	const struct timespec pause = {0, PAUSE_NS};
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC);

	stop->except = 0;
	stop->begun_ns = begun_ns;
	while (usage_clock_ns(CLOCK_MONOTONIC) - begun_ns < GIVE_UP_NS) {
		size_t asked;

		if (ask_new(stop, 1, &asked, problem) < 0)
			return NULL;
		all_wait_for(stop, usage_clock_ns(CLOCK_MONOTONIC) + STOP_NS);
		for (size_t i = 0; i < stop->count; i++)
			if (stop->threads[i].has_stopped && !stop->threads[i].signal)
				return &stop->threads[i];
		stop_all_end(stop);
		if (asked == 0)
			systemclock_sleep(&pause);
		stop->begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	}
	problem_set(problem, KYMO_SYSTEM, "no thread of process %d could be stopped",
		    (int)stop->pid);
	return NULL;
}

void stop_all_release(struct stop_all *stop)
{
	stop_all_end(stop);
	all_wait_for(stop, usage_clock_ns(CLOCK_MONOTONIC) + UINT64_C(2000000000));
	stop_all_end(stop);
	free(stop->threads);
	*stop = (struct stop_all){0};
}
