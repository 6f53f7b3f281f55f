/* What the life-cycle collector needs from the runtime. */
#include "runtime/lifecycle/lifecycle.h"

#include <unistd.h>

#include "base/keeperrno.h"
#include "platform/systemclock.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/samplingnotify.h"
#include "runtime/control/signalshare.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/finish_outside.h"
#include "runtime/lifecycle/session.h"
#include "runtime/modules.h"
#include "runtime/store/note.h"
#include "runtime/store/store.h"
#include "runtime/threads/helper_control.h"

#define NOTE_KEY "system calls"

bool kymo_runtime_is_here(void)
{
	return !session.is_restricted &&
	       (session.state == KYMO_RUNTIME_ACTIVE || session.state == SESSION_FORKED) &&
	       session.pid == getpid();
}

bool kymo_runtime_is_restricted(void)
{
	return session.is_restricted;
}

/* Rights and system calls that are given up. */

void kymo_confine(void)
{
	KEEP_ERRNO();

	if (kymo_runtime_is_here() && session_ensure()) {
		if (store_lock()) {
			store_reserve();
			store_unlock();
		}
		finish_outside_start();
	}
}

void kymo_limit_memory(void)
{
	KEEP_ERRNO();

	if (kymo_runtime_is_here())
		sampling_notify_limiting();
}

void kymo_alone_begin(void)
{
	KEEP_ERRNO();

	if (kymo_runtime_is_here() && session.state == KYMO_RUNTIME_ACTIVE)
		helpers_join();
}

void kymo_alone_end(void)
{
	KEEP_ERRNO();

	if (kymo_runtime_is_here() && session.state == KYMO_RUNTIME_ACTIVE)
		helpers_begin(false);
}

static bool is_frozen; /* while the program gives up its system calls */

/* Metrics are read by system calls at every visit, as are some clocks, and the helper that samples
 * threads needs them: then recording ends. */
static bool lifecycle_needs_calls(bool is_strict)
{
	return is_strict || (session.mode & (KYMO_MODE_METRICS | KYMO_MODE_POSITIONS)) ||
	       !(clock_is_ticks() || systemclock_is_free());
}

static void end_before(void)
{
	kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY,
		      "the program gave up what recording needs: nothing was recorded "
		      "afterwards");
	session.is_finisher = false;
	session_end(-1);
}

static bool freeze(void)
{
	modules_prepare();
	sampling_notify_closing(true);
	helpers_stop();
	if (!store_lock())
		return false;
	store_freeze(true);
	store_unlock();
	return true;
}

/* Also if nothing is recorded: exec would read files.  A child that shares its parent's memory
 * (vfork) restricts only itself. */
bool kymo_restrict_begin(bool is_strict)
{
	KEEP_ERRNO();

	if (session.is_restricted || session.pid != getpid())
		return false;
	kymo_confine();
	is_frozen = false;
	if (kymo_runtime_is_here() && session_ensure()) {
		if (lifecycle_needs_calls(is_strict))
			end_before();
		else
			is_frozen = freeze();
	}
	signals_withdraw();
	session.is_restricted = true;
	return true;
}

static void note_restricted(void)
{
	if (!store_lock())
		return;
	note_write(KYMO_NOTE_LOSS, NOTE_KEY,
		   "the program gave up system calls: new threads and processes, and call paths "
		   "beyond a small reserve of memory, were not recorded afterwards");
	store_unlock();
}

static void thaw(void)
{
	if (!store_lock())
		return;
	store_freeze(false);
	store_unlock();
	helpers_begin(false);
	sampling_notify_closing(false);
}

void kymo_restrict_end(bool is_done)
{
	KEEP_ERRNO();

	if (is_done) {
		if (is_frozen)
			note_restricted();
	} else {
		session.is_restricted = false;
		signals_return();
		if (is_frozen)
			thaw();
	}
}

void kymo_runtime_end(int exit_status)
{
	if (session.is_restricted)
		session_end(exit_status);
	if (session.state == SESSION_FORKED)
		helpers_disable();
	/* A forked child without events so far gets a recording, too. */
	if (kymo_runtime_is_here() && session_ensure())
		session_end(exit_status);
}

/* The lock is held until the program is replaced, so that no thread makes chunks meanwhile. */
static bool leave_recording(void)
{
	struct kymo_header *header;

	sampling_notify_closing(true);
	helpers_stop();
	if (!store_lock()) {
		helpers_begin(false);
		sampling_notify_closing(false);
		return false;
	}
	header = store.header;
	store_calibrate(true);
	header->end_ticks = ticks_now();
	header->process_cpu_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	header->state = KYMO_STATE_ABANDONED;
	store_shrink();
	return true;
}

bool kymo_exec_begin(void)
{
	KEEP_ERRNO();
	bool is_begun = true;

	if (!kymo_runtime_is_here())
		return false;
	if (session.state == SESSION_FORKED)
		sampling_notify_replacing(true);
	else
		is_begun = leave_recording();
	if (is_begun)
		signals_withdraw();
	return is_begun;
}

void kymo_exec_failed(void)
{
	KEEP_ERRNO();

	signals_return();
	if (session.state == SESSION_FORKED) {
		sampling_notify_replacing(false);
	} else {
		store.header->end_ticks = 0;
		store.header->state = KYMO_STATE_OPEN;
		store_unlock();
		helpers_begin(false);
		sampling_notify_closing(false);
	}
}
