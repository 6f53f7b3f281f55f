/* What the collector of the process's life asks of the runtime. */
#include "runtime/lifecycle.h"

#include <errno.h>
#include <unistd.h>

#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/session.h"
#include "runtime/store.h"

bool kymo_runtime_is_here(void)
{
	return (session.state == KYMO_RUNTIME_ACTIVE || session.state == SESSION_FORKED) &&
	       session.pid == getpid();
}

void kymo_runtime_end(int exit_status)
{
	/* A forked child in which nothing happened yet has a recording all the same. */
	if (kymo_runtime_is_here() && session_ensure())
		session_end(exit_status);
}

/* The lock is held until the program is replaced, so that nobody makes chunks meanwhile. */
bool kymo_exec_begin(void)
{
	struct kymo_header *header;
	int saved = errno;

	if (session.state != KYMO_RUNTIME_ACTIVE || session.pid != getpid() || !store_lock())
		return false;
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
}
