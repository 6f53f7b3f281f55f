/* A sample is not worth a long wait: a thread that does not stop at once is resumed when it has. */
#include "attach/target/samplestop.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "attach/target/stop_all.h"
#include "platform/proc/proc_stat.h"

#define PATIENCE_NS	 UINT64_C(20000000)   /* for one that sleeps uninterruptibly */
#define RUN_PATIENCE_NS	 UINT64_C(200000000)  /* for one that waits for a processor */
#define LAST_PATIENCE_NS UINT64_C(2000000000) /* at the end */
#define YIELDS		 200

/* It stops as soon as it gets a processor, and does not move until then. */
static bool is_ready_to_run(int32_t thread)
{
	return proc_stat_state(thread, 0) == 'R';
}

static enum threadstop_arrival samplestop_wait_for(struct threadstop_thread *thread,
						   uint64_t patience_ns)
{
	uint64_t begun_ns = threadstop_now_ns(), waited_ns;
	enum threadstop_arrival arrival;

	for (int i = 0; (arrival = threadstop_check(thread)) == THREADSTOP_NOT_YET; i++) {
		if (i < YIELDS) {
			sched_yield();
			continue;
		}
		waited_ns = threadstop_now_ns() - begun_ns;
		if (waited_ns > patience_ns &&
		    (waited_ns > RUN_PATIENCE_NS || !is_ready_to_run(thread->id)))
			break;
		threadstop_delay();
	}
	return arrival;
}

/* Those that were too late stop eventually: they must be resumed. */
static void resume_pending(struct samplestop *stop, uint64_t patience_ns)
{
	for (size_t i = stop->all.count; i-- > 0;) {
		struct threadstop_thread *thread = &stop->all.threads[i];
		enum threadstop_arrival arrival;

		if (thread->has_stopped)
			continue;
		arrival = patience_ns ? samplestop_wait_for(thread, patience_ns)
				      : threadstop_check(thread);
		if (arrival == THREADSTOP_NOT_YET)
			continue;
		if (arrival == THREADSTOP_ARRIVED)
			threadstop_detach(thread);
		threadstop_forget(&stop->all, thread);
	}
}

const struct threadstop_thread *samplestop_find(const struct samplestop *stop, pid_t thread)
{
	const struct threadstop_thread *known = threadstop_find(&stop->all, thread);

	return known && known->has_stopped ? known : NULL;
}

const struct threadstop_thread *samplestop_stop(struct samplestop *stop, pid_t thread)
{
	const struct threadstop_thread *known = samplestop_find(stop, thread);
	struct threadstop_thread *added;
	enum threadstop_arrival arrival;

	if (known)
		return known;
	resume_pending(stop, 0);
	stop->error = ESRCH;
	if (threadstop_find(&stop->all, thread))
		return NULL;
	stop->all.grow = stop_all_grow;
	added = threadstop_add(&stop->all, thread);
	if (!added) {
		stop->error = stop->all.error;
		return NULL;
	}
	arrival = samplestop_wait_for(added, PATIENCE_NS);
	if (arrival == THREADSTOP_EXITED)
		threadstop_forget(&stop->all, added);
	return arrival == THREADSTOP_ARRIVED ? added : NULL;
}

bool samplestop_resume(struct samplestop *stop)
{
	for (size_t i = stop->all.count; i-- > 0;) {
		struct threadstop_thread *thread = &stop->all.threads[i];

		if (!thread->has_stopped)
			continue;
		threadstop_detach(thread);
		threadstop_forget(&stop->all, thread);
	}
	resume_pending(stop, 0);
	return stop->all.count > 0;
}

void samplestop_release(struct samplestop *stop)
{
	samplestop_resume(stop);
	resume_pending(stop, LAST_PATIENCE_NS);
	free(stop->all.threads);
	*stop = (struct samplestop){0};
}
