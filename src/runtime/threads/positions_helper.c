/* When the helper that samples where threads are begins, samples and ends.
 *
 * It is made and joined with the C library's own functions, also where another library has put
 * functions of these names before them. */
#include "runtime/threads/positions_helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/signalmask.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/gate.h"
#include "runtime/costs.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/note.h"
#include "runtime/store/store.h"
#include "runtime/threads/helper.h"
#include "runtime/threads/helper_control.h"
#include "runtime/threads/positions.h"

#define NAME	       "kymo-positions"
#define STACK_BYTES    (64u << 10)
#define PERIOD_NS      UINT64_C(1000000)
#define SAMPLING_SHARE 20 /* of the time between samples: 5 % of a processor at most */
#define COST_EVERY     256u
#define SECOND_NS      UINT64_C(1000000000)
#define XORSHIFT_SCALE 0x2545f4914f6cdd1dull

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*join_fn)(pthread_t, void **);

enum { HELPER_NONE = 0, HELPER_RUNNING, HELPER_STOPPING, HELPER_DONE };

static uint32_t state; /* a futex */
static pid_t owner;    /* process that state speaks of */
static pthread_t thread;
static create_fn real_create;
static join_fn real_join;

/* Until state is not as expected, or until_ns of CLOCK_MONOTONIC; 0 = for ever. */
static void positions_wait(uint32_t expected, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / SECOND_NS),
				 .tv_nsec = (long)(until_ns % SECOND_NS)};

	syscall(SYS_futex, &state, FUTEX_WAIT_BITSET_PRIVATE, expected, until_ns ? &until : NULL,
		NULL, FUTEX_BITSET_MATCH_ANY);
}

static void positions_set_state(uint32_t value)
{
	__atomic_store_n(&state, value, __ATOMIC_RELEASE);
	syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

static uint32_t helper_state(void)
{
	return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

static uint64_t positions_now_ns(void)
{
	return usage_clock_ns(CLOCK_MONOTONIC);
}

/* False when it is to end. */
static bool positions_sleep(uint64_t until_ns)
{
	while (helper_state() == HELPER_RUNNING && positions_now_ns() < until_ns)
		positions_wait(HELPER_RUNNING, until_ns);
	return helper_state() == HELPER_RUNNING;
}

/* Between half and one and a half of a period, all alike. */
static uint64_t random_period(uint64_t *random)
{
	*random ^= *random >> 12;
	*random ^= *random << 25;
	*random ^= *random >> 27;
	return PERIOD_NS / 2 + (*random * XORSHIFT_SCALE >> 32) * PERIOD_NS / (UINT64_C(1) << 32);
}

/* Edges of time windows are passed, too, and threads that wait need no event for it. */
static void helper_look(void)
{
	uint32_t gate;

	(void)gate_is_on();
	gate = __atomic_load_n(&store.header->gate, __ATOMIC_ACQUIRE);
	positions_look(ticks_now(), gate);
}

/* Now and then, so that it is known of programs that are killed. */
static void helper_tell_cost(uint64_t *told_ns)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	kymo_cost_beside(now_ns - *told_ns);
	*told_ns = now_ns;
}

/* Deadlines are absolute: a sample that is late makes none of those behind it late, but what was
 * missed is not made up for, since a sample weighs what has passed since the one before. */
static void look_until_stopped(uint64_t *told_ns)
{
	uint64_t random = ticks_now() | 1, next_ns = positions_now_ns() + random_period(&random);
	unsigned rounds = 0;

	while (positions_sleep(next_ns)) {
		uint64_t began_ns = positions_now_ns(), now_ns, period_ns = random_period(&random);

		helper_look();
		now_ns = positions_now_ns();
		if (period_ns < SAMPLING_SHARE * (now_ns - began_ns))
			period_ns = SAMPLING_SHARE * (now_ns - began_ns);
		next_ns += period_ns;
		if (next_ns < now_ns)
			next_ns = now_ns + period_ns;
		if (++rounds % COST_EVERY == 0)
			helper_tell_cost(told_ns);
	}
}

static void *helper_run(void *unused)
{
	uint64_t told_ns = 0;

	syscall(SYS_prctl, PR_SET_NAME, NAME, 0, 0, 0);
	helper_become();
	look_until_stopped(&told_ns);
	helper_tell_cost(&told_ns);
	positions_set_state(HELPER_DONE);
	return unused;
}

static int helper_create(void)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int result;

	if (!real_create || !real_join)
		return ENOSYS;
	signalmask_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	result = real_create(&thread, &attributes, helper_run, NULL);
	if (result == EINVAL) /* the program's thread-locals need more */
		result = real_create(&thread, NULL, helper_run, NULL);
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return result;
}

/* False: no thread can be made. */
static bool helper_start(void)
{
	uint32_t none = HELPER_NONE;

	if (!__atomic_compare_exchange_n(&state, &none, HELPER_RUNNING, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return true;
	owner = getpid();
	if (helper_create() == 0)
		return true;
	positions_set_state(HELPER_NONE);
	return false;
}

static void positions_begin(bool is_forked)
{
	KEEP_ERRNO();

	if (is_forked)
		__atomic_store_n(&state, HELPER_NONE, __ATOMIC_RELAXED);
	if (session.mode & KYMO_MODE_POSITIONS && !helper_start())
		kymo_note_add(KYMO_NOTE_LOSS, "positions",
			      "no thread could be made that samples where threads are: calls were "
			      "counted from there on, their times are not known");
}

/* Who comes second waits for the first. */
static void positions_stop(void)
{
	uint32_t seen = HELPER_RUNNING;
	KEEP_ERRNO();

	if (owner != getpid() || kymo_helper_is_this())
		return;
	if (__atomic_compare_exchange_n(&state, &seen, HELPER_STOPPING, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
	while (helper_state() == HELPER_STOPPING)
		positions_wait(HELPER_STOPPING, 0);
	seen = HELPER_DONE;
	if (__atomic_compare_exchange_n(&state, &seen, HELPER_NONE, false, __ATOMIC_ACQ_REL,
					__ATOMIC_RELAXED))
		real_join(thread, NULL);
}

bool positions_helper_open(void)
{
	static const struct kymo_helper hooks = {positions_stop, positions_begin};

	real_create = (create_fn)dlsym(RTLD_NEXT, "pthread_create");
	real_join = (join_fn)dlsym(RTLD_NEXT, "pthread_join");
	(void)dlerror(); /* what failed is not the program's */
	return helper_start() && kymo_helper_register(&hooks);
}
