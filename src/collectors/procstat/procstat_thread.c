/* The reading thread: when it begins, reads and ends.
 *
 * It is created and joined with the C library's own functions, all signals blocked.  Its end
 * waits for what it is writing, but with a time limit: a file of the kernel may hang. */
#include "collectors/procstat/procstat_thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/signalmask.h"
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"
#include "collectors/wrap.h"
#include "platform/usage.h"
#include "runtime/store/note.h"
#include "runtime/threads/helper.h"

#define STACK_BYTES  (256u << 10)
#define STOP_MAX_NS  UINT64_C(20000000000)
#define SOURCES_MAX  32u
#define SECOND_NS    UINT64_C(1000000000)
#define NAME	     "kymo-procstat"
#define EARLY_FACTOR 0.75 /* a source is due after that part of its period: ticks vary */

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*join_fn)(pthread_t, void **);

WRAP_SLOT(pthread_create);
WRAP_SLOT(pthread_join);

enum state { NONE = 0, RUNNING, STOPPING, DONE };

static struct procstat_plan plan;
static uint32_t state; /* enum state; a futex */
static pid_t owner;    /* process that state refers to */
static pthread_t thread;
static bool is_over; /* the duration has passed */

/* The thread's own. */
static struct {
	bool is_open;
	uint64_t due_ns;
} sources[SOURCES_MAX];
static uint64_t readings, late;

/* Wait until state is not as expected, or until_ns of CLOCK_MONOTONIC. */
static void wait_state(uint32_t expected, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / SECOND_NS),
				 .tv_nsec = (long)(until_ns % SECOND_NS)};

	syscall(SYS_futex, &state, FUTEX_WAIT_BITSET_PRIVATE, expected, &until, NULL,
		FUTEX_BITSET_MATCH_ANY);
}

static void procstat_thread_set_state(uint32_t value)
{
	__atomic_store_n(&state, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static bool thread_is_running(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == RUNNING;
}

static uint64_t thread_now_ns(void)
{
	return usage_clock_ns(CLOCK_MONOTONIC);
}

/* False if it has to end. */
static bool thread_sleep_until(uint64_t until_ns)
{
	while (thread_is_running() && thread_now_ns() < until_ns)
		wait_state(RUNNING, until_ns);
	return thread_is_running();
}

static void note_missing(const struct procstat_source *source, const char *why)
{
	char line[320];

	procstat_format(line, sizeof(line), "%s not recorded: %s", source->name, why);
	kymo_note_add(KYMO_NOTE_INFO, "machine", line);
}

static void open_sources(void)
{
	bool is_first = kymo_helper_is_first();

	for (size_t i = 0; i < procstat_source_count && i < SOURCES_MAX; i++) {
		const struct procstat_source *source = procstat_sources[i];
		const char *why = "";

		sources[i].due_ns = 0;
		sources[i].is_open = (is_first || !source->is_machine) && source->open(&why);
		if (!sources[i].is_open && why && (is_first || !source->is_machine))
			note_missing(source, why);
	}
}

static void read_sources(bool is_last)
{
	uint64_t now = thread_now_ns();

	procstat_series_now(kymo_helper_now(), now);
	for (size_t i = 0; i < procstat_source_count && i < SOURCES_MAX; i++) {
		const struct procstat_source *source = procstat_sources[i];

		if (!sources[i].is_open || (now < sources[i].due_ns && !is_last))
			continue;
		if (source->most_hz > 0)
			sources[i].due_ns = now + (uint64_t)(EARLY_FACTOR * (double)SECOND_NS /
							     source->most_hz);
		source->read();
	}
	readings++;
}

/* Until it has to end; readings that would be late are skipped. */
static void read_until_stopped(uint64_t began_ns)
{
	uint64_t next_ns = began_ns + plan.delay_ns;
	uint64_t end_ns = plan.duration_ns ? next_ns + plan.duration_ns : UINT64_MAX;

	while (thread_sleep_until(next_ns < end_ns ? next_ns : end_ns) && next_ns < end_ns) {
		uint64_t now;

		if (kymo_helper_admits())
			read_sources(false);
		now = thread_now_ns();
		next_ns += plan.period_ns;
		if (next_ns < now) {
			late += (now - next_ns) / plan.period_ns + 1;
			next_ns = now + plan.period_ns;
		}
	}
	is_over = next_ns >= end_ns;
	/* At the end of the program, or of the duration. */
	if (thread_now_ns() >= began_ns + plan.delay_ns && kymo_helper_admits())
		read_sources(true);
}

static void note_cost(void)
{
	uint64_t cpu_us = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID) / 1000;
	char line[160];

	procstat_format(line, sizeof(line),
			"%llu reading%s, %llu skipped, %llu us of CPU time, one every %llu us",
			(unsigned long long)readings, readings == 1 ? "" : "s",
			(unsigned long long)late, (unsigned long long)cpu_us,
			(unsigned long long)plan.period_ns / 1000);
	kymo_note_add(KYMO_NOTE_INFO, "procstat", line);
}

static void *procstat_thread_run(void *unused)
{
	uint64_t began_ns = thread_now_ns();

	syscall(SYS_prctl, PR_SET_NAME, NAME, 0, 0, 0);
	procstat_files_begin(plan.root, kymo_helper_enter());
	procstat_series_begin();
	readings = late = 0;
	/* A process that has ended in the meantime also gets one reading. */
	if (thread_sleep_until(began_ns + plan.delay_ns) || plan.delay_ns == 0) {
		procstat_series_now(kymo_helper_now(), thread_now_ns());
		open_sources();
		read_until_stopped(began_ns);
		note_cost();
	}
	procstat_thread_set_state(DONE);
	return unused;
}

static int procstat_thread_create(void)
{
	create_fn real = WRAP_REAL(pthread_create, create_fn);
	pthread_attr_t attributes;
	sigset_t all, before;
	int result;

	signalmask_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	result = real(&thread, &attributes, procstat_thread_run, NULL);
	if (result == EINVAL) /* the program's thread-locals need a larger stack */
		result = real(&thread, NULL, procstat_thread_run, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

static void procstat_thread_begin(bool is_forked)
{
	KEEP_ERRNO();
	int result;
	uint32_t none = NONE;

	if (is_forked)
		__atomic_store_n(&state, NONE, __ATOMIC_RELAXED);
	if ((is_over && !is_forked) ||
	    !__atomic_compare_exchange_n(&state, &none, RUNNING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	is_over = false;
	owner = getpid();
	result = procstat_thread_create();
	if (result != 0) {
		procstat_thread_set_state(NONE);
		kymo_note_add(KYMO_NOTE_LOSS, "machine",
			      "cannot create a helper thread: nothing is recorded of the "
			      "machine and the process over time");
	}
}

/* A second caller waits for the first. */
static void procstat_thread_stop(void)
{
	uint64_t until_ns = thread_now_ns() + STOP_MAX_NS;
	uint32_t seen = RUNNING;
	KEEP_ERRNO();
	bool is_mine;

	if (owner != getpid() || kymo_helper_is_this())
		return;
	is_mine = __atomic_compare_exchange_n(&state, &seen, STOPPING, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_ACQUIRE) ||
		  seen == DONE;
	if (is_mine)
		syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
	while (thread_now_ns() < until_ns && __atomic_load_n(&state, __ATOMIC_ACQUIRE) == STOPPING)
		wait_state(STOPPING, until_ns);
	seen = DONE;
	if (__atomic_compare_exchange_n(&state, &seen, NONE, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED))
		WRAP_REAL(pthread_join, join_fn)(thread, NULL);
}

void procstat_begin(const struct procstat_plan *given)
{
	static const struct kymo_helper helper = {procstat_thread_stop, procstat_thread_begin};

	plan = *given;
	(void)WRAP_REAL(pthread_create, create_fn);
	(void)WRAP_REAL(pthread_join, join_fn);
	if (kymo_helper_register(&helper))
		procstat_thread_begin(false);
}
