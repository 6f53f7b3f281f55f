/* Helper threads of collectors: when they run, and what they need from the runtime. */
#include "runtime/threads/helper.h"

#include <linux/close_range.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/proc/proc_file.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"
#include "runtime/control/gate.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/points.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/helper_control.h"
#include "runtime/threads/thread.h"

#define HELPERS_MAX    4
#define LEAVE_ATTEMPTS 50

static const struct kymo_helper *helpers[HELPERS_MAX]; /* written before main() */
static unsigned helper_count;
static bool is_disabled;
static bool is_late; /* atomic; begin is due */
static __thread bool is_helper __attribute__((tls_model("initial-exec")));

bool kymo_helper_register(const struct kymo_helper *helper)
{
	for (unsigned i = 0; i < helper_count; i++)
		if (helpers[i] == helper)
			return true;
	if (helper_count == HELPERS_MAX)
		return false;
	helpers[helper_count++] = helper;
	return true;
}

/* A helper that has not begun yet gets its last reading at least. */
void helpers_stop(void)
{
	helpers_catch_up();
	for (unsigned i = 0; i < helper_count; i++)
		helpers[i]->stop();
}

void helpers_join(void)
{
	static const struct timespec while_ends = {0, 1000000};
	const uint64_t before = proc_thread_count(PROC_SELF);

	helpers_stop();
	for (int i = 0; i < LEAVE_ATTEMPTS && proc_thread_count(PROC_SELF) + helper_count > before;
	     i++)
		systemclock_sleep(&while_ends);
}

void helpers_begin(bool is_forked)
{
	for (unsigned i = 0; i < helper_count && !is_disabled; i++)
		helpers[i]->begin(is_forked);
}

void helpers_begin_later(void)
{
	__atomic_store_n(&is_late, true, __ATOMIC_RELAXED);
}

void helpers_catch_up(void)
{
	if (kymo_unlikely(__atomic_load_n(&is_late, __ATOMIC_RELAXED)) &&
	    __atomic_exchange_n(&is_late, false, __ATOMIC_ACQ_REL))
		helpers_begin(true);
}

void helpers_disable(void)
{
	is_disabled = true;
}

/* A copy of the program's descriptors would keep its pipes open: only the recording's is copied,
 * which is needed for its growth. */
static bool have_own_descriptors(void)
{
	unsigned int kept = (unsigned int)store.file.fd;

	if (syscall(SYS_close_range, kept + 1, ~0u, CLOSE_RANGE_UNSHARE) < 0)
		return false;
	if (kept > 0)
		syscall(SYS_close_range, 0, kept - 1, 0);
	mapfile_part(&store.file);
	return true;
}

void helper_become(void)
{
	is_helper = true;
	kymo_thread_current = thread_blocked();
}

bool kymo_helper_enter(void)
{
	bool is_apart;

	helper_become();
	if (!store_lock()) /* the descriptor may change at any time */
		return false;
	/* If ends of threads are not seen, exit handlers may run on this one. */
	is_apart = kymo_thread_end_is_seen() && store.header && store.file.fd >= 0 &&
		   have_own_descriptors();
	store_unlock();
	return is_apart;
}

bool kymo_helper_is_this(void)
{
	return is_helper;
}

uint64_t kymo_helper_now(void)
{
	return ticks_now();
}

bool kymo_helper_admits(void)
{
	return session.state == KYMO_RUNTIME_ACTIVE && gate_is_on();
}

uint64_t kymo_helper_shut_ns(void)
{
	return session.state == KYMO_RUNTIME_ACTIVE ? gate_shut_ns() : 0;
}

bool kymo_helper_is_first(void)
{
	return session.is_root || session.is_finisher;
}

size_t kymo_helper_threads(struct kymo_helper_thread *out, size_t max, size_t first)
{
	size_t count = 0, index = 0;

	if (session.state != KYMO_RUNTIME_ACTIVE || !store_lock())
		return 0;
	for (const struct kymo_thread *thread = thread_list; thread && count < max;
	     thread = thread->next) {
		if (thread->is_fiber || index++ < first)
			continue;
		out[count].number = thread->record->number;
		out[count++].system_id = thread->record->system_id;
	}
	store_unlock();
	return count;
}

bool kymo_points_append(struct kymo_points *points, uint32_t series, uint64_t ticks, double value)
{
	struct kymo_point *point;

	if (series == 0 || session.state != KYMO_RUNTIME_ACTIVE)
		return false;
	point = points_space(&points->chunk, KYMO_NO_THREAD);
	if (!point)
		return false;
	point->ticks = ticks;
	point->series = series;
	point->value = value;
	points_publish(points->chunk);
	return true;
}
