/* A thread is seized for each stop and let go behind it: between samples it has no tracer,
 * so that its signals take no way around. */
#include "attach/target/stopping.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/target/registers.h"
#include "attach/target/target.h"
#include "base/array.h"
#include "platform/systemclock.h"
#include "platform/usage.h"

#define PATIENCE_NS	 UINT64_C(20000000)   /* for one that sleeps uninterruptibly */
#define RUN_PATIENCE_NS	 UINT64_C(200000000)  /* for one that waits for a processor */
#define LAST_PATIENCE_NS UINT64_C(2000000000) /* at the end */
#define YIELDS		 200

enum arrival { ARRIVED, NOT_YET, GONE };

/* Has it stopped?  signal_out: what it was about to receive. */
static enum arrival stopping_look(pid_t thread, int *signal_out)
{
	int status;
	pid_t who = waitpid(thread, &status, __WALL | WNOHANG);

	if (who == 0 || (who < 0 && errno == EINTR))
		return NOT_YET;
	if (who < 0 || !WIFSTOPPED(status))
		return GONE;
	*signal_out = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	return ARRIVED;
}

/* It stops as soon as it is given a processor, and is where it is until then. */
static bool is_ready_to_run(pid_t thread)
{
	uint64_t fields[TARGET_STAT_FIELDS];

	return target_stat(thread, 0, fields) && fields[0] == 'R';
}

static enum arrival stopping_wait_for(pid_t thread, uint64_t patience_ns, int *signal_out)
{
	const struct timespec pause = {0, 50000};
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC), waited_ns;
	enum arrival arrival;

	for (int i = 0; (arrival = stopping_look(thread, signal_out)) == NOT_YET; i++) {
		if (i < YIELDS) {
			sched_yield();
			continue;
		}
		waited_ns = usage_clock_ns(CLOCK_MONOTONIC) - begun_ns;
		if (waited_ns > patience_ns &&
		    (waited_ns > RUN_PATIENCE_NS || !is_ready_to_run(thread)))
			break;
		systemclock_sleep(&pause);
	}
	return arrival;
}

static void stopping_let_go(pid_t thread, int signal)
{
	ptrace(PTRACE_DETACH, thread, NULL, (void *)(intptr_t)signal);
}

/* Those that were too late stop sometime: they must not stay so. */
static void look_after_pending(struct stopping *stopping, uint64_t patience_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < stopping->pending_count; i++) {
		pid_t thread = stopping->pending[i];
		int signal = 0;

		switch (patience_ns ? stopping_wait_for(thread, patience_ns, &signal)
				    : stopping_look(thread, &signal)) {
		case ARRIVED:
			stopping_let_go(thread, signal);
			break;
		case NOT_YET:
			stopping->pending[kept++] = thread;
			break;
		case GONE:
			break;
		}
	}
	stopping->pending_count = kept;
}

static void add_pending(struct stopping *stopping, pid_t thread)
{
	pid_t *grown = array_grow(stopping->pending, &stopping->pending_capacity,
				  stopping->pending_count + 1, sizeof(*grown));

	if (!grown)
		return;
	stopping->pending = grown;
	grown[stopping->pending_count++] = thread;
}

static bool stopping_is_pending(const struct stopping *stopping, pid_t thread)
{
	for (size_t i = 0; i < stopping->pending_count; i++)
		if (stopping->pending[i] == thread)
			return true;
	return false;
}

const struct stopped *stopping_find(const struct stopping *stopping, pid_t thread)
{
	for (size_t i = 0; i < stopping->count; i++)
		if (stopping->threads[i].id == thread)
			return &stopping->threads[i];
	return NULL;
}

static const struct stopped *stopping_keep(struct stopping *stopping, pid_t thread, int signal)
{
	struct stopped *grown = array_grow(stopping->threads, &stopping->capacity,
					   stopping->count + 1, sizeof(*grown));
	struct stopped *stopped;

	if (grown)
		stopping->threads = grown;
	stopped = grown ? &grown[stopping->count] : NULL;
	if (stopped)
		*stopped = (struct stopped){.id = thread, .signal = signal};
	if (!stopped || !registers_read(thread, &stopped->registers)) {
		stopping_let_go(thread, signal);
		return NULL;
	}
	stopping->count++;
	return stopped;
}

const struct stopped *stopping_stop(struct stopping *stopping, pid_t thread)
{
	const struct stopped *known = stopping_find(stopping, thread);
	int signal = 0;

	if (known)
		return known;
	look_after_pending(stopping, 0);
	stopping->error = ESRCH;
	if (stopping_is_pending(stopping, thread))
		return NULL;
	if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) < 0 ||
	    ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) < 0) {
		stopping->error = errno;
		return NULL;
	}
	switch (stopping_wait_for(thread, PATIENCE_NS, &signal)) {
	case ARRIVED:
		return stopping_keep(stopping, thread, signal);
	case NOT_YET:
		add_pending(stopping, thread);
		break;
	case GONE:
		break;
	}
	return NULL;
}

bool stopping_go_on(struct stopping *stopping)
{
	for (size_t i = 0; i < stopping->count; i++)
		stopping_let_go(stopping->threads[i].id, stopping->threads[i].signal);
	stopping->count = 0;
	look_after_pending(stopping, 0);
	return stopping->pending_count > 0;
}

void stopping_release(struct stopping *stopping)
{
	stopping_go_on(stopping);
	look_after_pending(stopping, LAST_PATIENCE_NS);
	free(stopping->threads);
	free(stopping->pending);
	*stopping = (struct stopping){0};
}
