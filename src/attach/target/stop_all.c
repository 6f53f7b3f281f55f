/* If some do not stop in time all are resumed for a while before the next attempt: the program is
 * stopped for one attempt at a time. */
#include "attach/target/stop_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "platform/systemclock.h"

#define STOP_NS	     UINT64_C(10000000) /* for all of them to stop; else they are resumed first */
#define PAUSE_NS     5000000L		/* between two attempts */
#define GIVE_UP_NS   UINT64_C(5000000000)
#define REST_NS	     UINT64_C(2000000000)
#define CLEAN_PASSES 3

bool stop_all_grow(struct threadstop *all)
{
	void *grown =
		array_grow(all->threads, &all->capacity, all->count + 1, sizeof(*all->threads));

	if (grown)
		all->threads = grown;
	return grown;
}

void stop_all_init(struct stop_all *stop, pid_t pid)
{
	*stop = (struct stop_all){
		.all = {.process = pid, .grow = stop_all_grow, .clean_passes = CLEAN_PASSES}};
}

/* Those that have not stopped yet are remembered. */
void stop_all_end(struct stop_all *stop)
{
	threadstop_resume(&stop->all);
	if (stop->begun_ns)
		stop->lasted_ns = threadstop_now_ns() - stop->begun_ns;
	stop->begun_ns = 0;
}

static enum kymo_status all_have_ended(const struct stop_all *stop, struct problem *problem)
{
	return problem_set(problem, KYMO_ERROR, "process %d has ended", (int)stop->all.process);
}

static enum kymo_status refused(const struct stop_all *stop, struct problem *problem)
{
	const struct threadstop *all = &stop->all;

	if (all->error == ENOMEM)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	return problem_set(problem, KYMO_SYSTEM, "thread %d of process %d cannot be stopped: %s%s",
			   (int)all->refused, (int)all->process, strerror(all->error),
			   all->error == EPERM ? "; another tracer (a debugger, strace) may have it"
					       : "");
}

static void all_pause(void)
{
	const struct timespec pause = {0, PAUSE_NS};

	systemclock_sleep(&pause);
}

enum kymo_status stop_all_begin(struct stop_all *stop, pid_t except, struct problem *problem)
{
	uint64_t give_up_ns = threadstop_now_ns() + GIVE_UP_NS;

	stop->all.except = except;
	for (;;) {
		enum threadstop_result result;

		stop->begun_ns = threadstop_now_ns();
		result = threadstop_all(&stop->all, stop->begun_ns + STOP_NS);
		if (result == THREADSTOP_DONE && stop->all.count > 0)
			return KYMO_OK;
		stop_all_end(stop);
		if (result == THREADSTOP_REFUSED)
			return refused(stop, problem);
		if (result != THREADSTOP_LATE)
			return all_have_ended(stop, problem);
		if (threadstop_now_ns() > give_up_ns)
			return problem_set(problem, KYMO_SYSTEM,
					   "a thread of process %d is in an uninterruptible sleep "
					   "(in vfork(), or waiting for a disk); try again later",
					   (int)stop->all.process);
		all_pause();
	}
}

struct threadstop_thread *stop_all_any(struct stop_all *stop, struct problem *problem)
{
	uint64_t give_up_ns = threadstop_now_ns() + GIVE_UP_NS;

	stop->all.except = 0;
	stop->begun_ns = threadstop_now_ns();
	while (threadstop_now_ns() < give_up_ns) {
		size_t asked;

		switch (threadstop_interrupt(&stop->all, 1, &asked)) {
		case THREADSTOP_ENDED:
			all_have_ended(stop, problem);
			return NULL;
		case THREADSTOP_REFUSED:
			refused(stop, problem);
			return NULL;
		default:
			break;
		}
		threadstop_wait(&stop->all, threadstop_now_ns() + STOP_NS);
		for (size_t i = 0; i < stop->all.count; i++)
			if (stop->all.threads[i].has_stopped && !stop->all.threads[i].signal)
				return &stop->all.threads[i];
		stop_all_end(stop);
		if (asked == 0)
			all_pause();
		stop->begun_ns = threadstop_now_ns();
	}
	problem_set(problem, KYMO_SYSTEM, "no thread of process %d could be stopped",
		    (int)stop->all.process);
	return NULL;
}

void stop_all_release(struct stop_all *stop)
{
	stop_all_end(stop);
	threadstop_resume_rest(&stop->all, threadstop_now_ns() + REST_NS, false);
	free(stop->all.threads);
	*stop = (struct stop_all){0};
}
