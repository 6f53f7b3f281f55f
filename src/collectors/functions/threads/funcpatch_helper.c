/* The helper: a thread of Kymo's own that advances the clock of COARSE, and follows the gate, which
 * trampolines that are switched off do not check.
 *
 * The C library does not know of it: its fast paths for single-threaded programs stay in use,
 * and nothing waits for its end.  It exists only if it is needed: for COARSE, for time windows,
 * for a budget, and once recording was switched off from outside.  It blocks all signals, and
 * its thread-local memory is a copy of its creator's; so it calls nothing that allocates.
 * Serves funcpatch_switching.h. */
#include "collectors/functions/threads/funcpatch_switching.h"

#include "collectors/functions/threads/funcpatch_text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/signalmask.h"
#include "base/spin.h"
#include "collectors/functions/counts/funcpatch_throttle.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/code/rawmemory.h"
#include "platform/files/nocancel_io.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/hot.h"
#include "runtime/threads/helper.h"

#define STACK_BYTES	(64u << 10)
#define PAGE		4096u
#define TLS_BELOW_PAGES 64u /* of thread-local memory, at most */
#define COARSE_NS	50000
#define COARSE_LATE_NS	500000 /* a step that is too long for the times of single calls */
#define FOLLOW_NS	1000000
#define FOLLOW_EVERY	(FOLLOW_NS / COARSE_NS)
#define THROTTLE_NS	10000000 /* for a budget only */

static struct { /* its memory is kept for the next one */
	char *stack, *local;
	int32_t id;	   /* of the thread; the kernel clears it and wakes waiters */
	int32_t is_wanted; /* atomic */
	int32_t is_started;
} helper;

/* is_following: there is more to do than to observe a budget. */
static bool is_needed, is_windowed, is_following;

/* Whoever stops it wakes it. */
static void helper_sleep(long nanoseconds)
{
	struct timespec time = {0, nanoseconds};

	raw_call6(SYS_futex, (long)&helper.is_wanted, FUTEX_WAIT, 1, (long)&time, 0, 0);
}

static long sleep_ns(bool is_coarse)
{
	return is_coarse ? COARSE_NS : is_following ? FOLLOW_NS : THROTTLE_NS;
}

static void move_clock(void)
{
	__atomic_store_n(&funcpatch_clock, ticks_now(), __ATOMIC_RELAXED);
}

/* Calls within a late step seem to take no time, except the one that contains the step. */
static void helper_step_clock(uint64_t *moved_ns)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);

	move_clock();
	if (*moved_ns > 0 && now_ns - *moved_ns > COARSE_LATE_NS)
		kymo_coarse_late(now_ns - *moved_ns);
	*moved_ns = now_ns;
}

/* For the report; periodically, so that it is available for programs that are killed. */
static void helper_record_cost(uint64_t *recorded_ns)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	kymo_cost_beside(now_ns - *recorded_ns);
	*recorded_ns = now_ns;
}

static int helper_work(void *unused)
{
	bool is_coarse = funcpatch_settings.cost == PATCH_COST_COARSE;
	uint64_t recorded_ns = 0, moved_ns = 0;
	unsigned until = 0;

	(void)unused;
	kymo_thread_current = NULL;
	funcpatch_thread_state.state = PATCH_STATE_INSIDE;
	funcpatch_thread_state.cursor = (uint8_t *)(uintptr_t)PATCH_CURSOR_CLOSED;
	funcpatch_thread_state.left = NULL;
	funcpatch_self = NULL;
	while (__atomic_load_n(&helper.is_wanted, __ATOMIC_ACQUIRE)) {
		if (is_coarse)
			helper_step_clock(&moved_ns);
		if (!is_coarse || until-- == 0) {
			funcpatch_text_follow();
			funcpatch_gate_follow();
			if (funcpatch_throttle_is_wanted())
				funcpatch_throttle_tick();
			helper_record_cost(&recorded_ns);
			until = FOLLOW_EVERY;
		}
		helper_sleep(sleep_ns(is_coarse));
	}
	helper_record_cost(&recorded_ns);
	return 0;
}

/* If the kernel has no other way, as in some sandboxes and in emulators. */
static bool copy_from_file(char *to, uint64_t from)
{
	int fd = plain_open("/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
	bool is_copied = fd >= 0 && plain_pread(fd, to, PAGE, (off_t)from) == PAGE;

	if (fd >= 0)
		plain_close(fd);
	return is_copied;
}

static bool copy_page(char *to, uint64_t from)
{
	struct iovec local = {to, PAGE}, remote = {(void *)(uintptr_t)from, PAGE};
	long got = raw_call6(SYS_process_vm_readv, raw_call(SYS_getpid, 0, 0, 0), (long)&local, 1,
			     (long)&remote, 1, 0);

	return got == PAGE || ((got == -ENOSYS || got == -EPERM) && copy_from_file(to, from));
}

/* The thread pointer's page and what is readable around it, at the same offset in its page. */
static uint64_t copy_local(uint64_t pointer)
{
	uint64_t page = pointer & ~(uint64_t)(PAGE - 1);
	char *middle = helper.local + (uint64_t)TLS_BELOW_PAGES * PAGE;
	uint64_t copy = (uint64_t)(uintptr_t)middle + pointer % PAGE;

	if (!copy_page(middle, page))
		return 0;
	(void)copy_page(middle + PAGE, page + PAGE);
	for (unsigned i = 1; i <= TLS_BELOW_PAGES; i++)
		if (!copy_page(middle - (uint64_t)i * PAGE, page - (uint64_t)i * PAGE))
			break;
	return copy;
}

static bool helper_make(void)
{
	const uint64_t held = signalmask_blocked();
	uint64_t before, local;
	long result;

	if (!helper.stack)
		helper.stack = pages_new(STACK_BYTES);
	if (!helper.local)
		helper.local = pages_new((TLS_BELOW_PAGES + 2) * PAGE);
	if (!helper.stack || !helper.local)
		return false;
	local = copy_local(funcpatch_thread_pointer());
	if (local == 0)
		return false;
	funcpatch_thread_pointer_fix(local);
	helper.is_wanted = 1;
	raw_call6(SYS_rt_sigprocmask, 2, (long)&held, (long)&before, sizeof(before), 0, 0);
	result = funcpatch_thread_make(helper_work, helper.stack + STACK_BYTES, local, &helper.id);
	raw_call6(SYS_rt_sigprocmask, 2, (long)&before, 0, sizeof(before), 0, 0);
	return result > 0;
}

void funcpatch_helper_begin(void)
{
	if (!is_needed || __atomic_exchange_n(&helper.is_started, 1, __ATOMIC_ACQ_REL))
		return;
	if (funcpatch_settings.cost == PATCH_COST_COARSE)
		move_clock();
	if (!helper_make()) {
		__atomic_store_n(&helper.is_started, 0, __ATOMIC_RELEASE);
		funcpatch_complain(
			"functions: cannot create a helper thread to advance the clock and "
			"follow time windows");
	}
}

static void helper_stop(void)
{
	int32_t id;

	if (!__atomic_load_n(&helper.is_started, __ATOMIC_ACQUIRE))
		return;
	__atomic_store_n(&helper.is_wanted, 0, __ATOMIC_RELEASE);
	raw_call6(SYS_futex, (long)&helper.is_wanted, FUTEX_WAKE, 1, 0, 0, 0);
	while ((id = __atomic_load_n(&helper.id, __ATOMIC_ACQUIRE)) != 0)
		raw_call6(SYS_futex, (long)&helper.id, FUTEX_WAIT, id, 0, 0, 0);
	__atomic_store_n(&helper.is_started, 0, __ATOMIC_RELEASE);
}

static void helper_begin(bool is_forked)
{
	(void)is_forked;
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED))
		funcpatch_helper_begin();
}

static bool helper_is_set(const char *name)
{
	const char *value = kymo_runtime_setting(name);

	return value && value[0] && strtod(value, NULL) != 0;
}

static bool helper_has_windows(void)
{
	const char *periods = kymo_runtime_setting("TRACE_PERIODS");
	const char *regions = kymo_runtime_setting("SELECTED_REGIONS");

	return helper_is_set("TRACE_DELAY") || helper_is_set("TRACE_DURATION") ||
	       (periods && periods[0]) || (regions && regions[0]);
}

void funcpatch_helper_init(void)
{
	static const struct kymo_helper hooks = {helper_stop, helper_begin};

	kymo_helper_register(&hooks);
	is_windowed = helper_has_windows();
	funcpatch_text_init();
	is_following = is_windowed;
	is_needed = funcpatch_settings.cost == PATCH_COST_COARSE || is_windowed ||
		    funcpatch_throttle_is_wanted();
	funcpatch_helper_begin();
}

bool funcpatch_helper_has_windows(void)
{
	return is_windowed;
}

void funcpatch_helper_need(void)
{
	is_needed = is_following = true;
	funcpatch_helper_begin();
}

void funcpatch_helper_forked(void)
{
	helper.id = helper.is_wanted = helper.is_started = 0;
}
