/* What the collector of the process's life asks of the runtime. */
#include "runtime/lifecycle.h"

#include <errno.h>
#include <unistd.h>

#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/helpers.h"
#include "runtime/hot.h"
#include "runtime/modules.h"
#include "runtime/notes.h"
#include "runtime/samplingtell.h"
#include "runtime/session.h"
#include "runtime/store.h"

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

/* Metrics are read by system calls at every visit: where there are any, it is the end. */
bool kymo_restrict_begin(bool is_strict)
{
	if (!kymo_runtime_is_here() || !session_ensure())
		return false;
	if (is_strict || (session.mode & KYMO_MODE_METRICS)) {
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY,
			      "the program gave up what recording needs: nothing was recorded from "
			      "there on");
		session.is_finisher = false;
		session_end(-1);
		return false;
	}
	modules_prepare();
	sampling_tell_closing(true);
	helpers_stop();
	if (!store_lock())
		return false;
	store_freeze(true);
	session.is_restricted = true;
	store_unlock();
	return true;
}

void kymo_restrict_end(bool is_done)
{
	if (!store_lock())
		return;
	if (is_done) {
		note_write(KYMO_NOTE_LOSS, NOTE_KEY,
			   "the program gave up system calls: new threads and processes, and "
			   "more than a little memory's worth of call paths, were not recorded "
			   "from there on");
	} else {
		session.is_restricted = false;
		store_freeze(false);
	}
	store_unlock();
	if (!is_done) {
		helpers_begin(false);
		sampling_tell_closing(false);
	}
}

void kymo_runtime_end(int exit_status)
{
	if (session.is_restricted)
		session_end(exit_status);
	if (session.state == SESSION_FORKED)
		helpers_forgo();
	/* A forked child in which nothing happened yet has a recording all the same. */
	if (kymo_runtime_is_here() && session_ensure())
		session_end(exit_status);
}

/* The lock is held until the program is replaced, so that nobody makes chunks meanwhile. */
bool kymo_exec_begin(void)
{
	struct kymo_header *header;
	int saved = errno;

	if (session.state != KYMO_RUNTIME_ACTIVE || !kymo_runtime_is_here())
		return false;
	sampling_tell_closing(true);
	helpers_stop();
	if (!store_lock()) {
		helpers_begin(false);
		sampling_tell_closing(false);
		return false;
	}
	header = store.header;
	store_calibrate(true);
	header->end_ticks = ticks_now();
	header->process_cpu_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	header->state = KYMO_STATE_ABANDONED;
	store_shrink();
	errno = saved;
	return true;
}

void kymo_exec_failed(void)
{
	store.header->end_ticks = 0;
	store.header->state = KYMO_STATE_OPEN;
	store_unlock();
	helpers_begin(false);
	sampling_tell_closing(false);
}
