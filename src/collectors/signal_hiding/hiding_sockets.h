/* Calls on sockets that have a limit of their own.  errno says what a call fails with. */
#ifndef KYMO_HIDING_SOCKETS_H
#define KYMO_HIDING_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct hiding_call;

struct hiding_patience {
	int option;	  /* SO_RCVTIMEO or SO_SNDTIMEO */
	int late;	  /* what errno is when the time has passed */
	int64_t deadline; /* 0 = not asked for yet */
};

/* Behind a call that sampling has ended: true when it is to be made again.  False: errno says
 * what the call is to fail with. */
bool hiding_is_patient(struct hiding_call *call, int fd, struct hiding_patience *patience);

/* Whether short counts are how calls on fd end when a signal comes. */
bool hiding_is_stream(int fd);

/* What is left of parts behind that many bytes, up to the end of one; of size 0 at the end. */
struct iovec hiding_part(const struct iovec *parts, size_t count, size_t done);

#endif
