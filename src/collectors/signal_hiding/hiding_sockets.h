/* Calls on sockets with a time limit of their own.  errno is the error of the call. */
#ifndef KYMO_HIDING_SOCKETS_H
#define KYMO_HIDING_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

struct hiding_call;

struct hiding_patience {
	int option;	  /* SO_RCVTIMEO or SO_SNDTIMEO */
	int late;	  /* the value of errno after the limit */
	int64_t deadline; /* 0 = not read yet */
};

/* After a call that sampling has ended: true if it has to be restarted.  False: errno is the
 * call's error. */
bool hiding_is_patient(struct hiding_call *call, int fd, struct hiding_patience *patience);

/* Whether calls on fd end with short counts if a signal arrives. */
bool hiding_is_stream(int fd);

/* The rest of the parts after that many bytes, up to the end of one part; of size 0 at the end. */
struct iovec hiding_part(const struct iovec *parts, size_t count, size_t done);

#endif
