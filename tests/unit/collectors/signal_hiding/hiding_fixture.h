/* What hiding asks of the runtime: which signals are sampling's, and the calls that a wrapper
 * makes, which a test fills in hiding_found.  Include it once, behind the module. */
#ifndef KYMO_HIDING_FIXTURE_H
#define KYMO_HIDING_FIXTURE_H

#include <errno.h>

#include "collectors/signal_hiding/signal_hiding.h"

struct hiding_real hiding_found;
__thread struct kymo_wait kymo_wait_current;

static uint64_t hiding_ours; /* sampling's signals; 0 = nothing is sampled */

uint64_t kymo_sample_signals(void)
{
	return hiding_ours;
}

void hiding_resolve(void)
{
}

static inline uint64_t hiding_bit(int number)
{
	return UINT64_C(1) << (number - 1);
}

/* As where sampling comes right behind a call, which the kernel has ended because of it. */
static inline int hiding_interrupt(void)
{
	kymo_wait_current.is_blocked = 1;
	errno = EINTR;
	return -1;
}

static int hiding_no_option(int fd, int level, int option, void *value, socklen_t *size)
{
	(void)fd, (void)level, (void)option, (void)value, (void)size;
	errno = ENOTSOCK;
	return -1;
}

static void hiding_begin(uint64_t ours)
{
	memset(&hiding_found, 0, sizeof(hiding_found));
	memset(&kymo_wait_current, 0, sizeof(kymo_wait_current));
	hiding_found.getsockopt = hiding_no_option; /* they are found */
	hiding_ours = ours;
}

#endif
