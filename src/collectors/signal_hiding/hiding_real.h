/* The C library's functions that the wrappers call.  Context: any. */
#ifndef KYMO_HIDING_REAL_H
#define KYMO_HIDING_REAL_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

typedef void (*hiding_handler)(int number);

struct hiding_real {
#define WRAP(type, name, parameters, arguments)		type(*name) parameters;
#define ALIAS(type, other, name, parameters, arguments) /* nothing of its own */
#include "collectors/signal_hiding/signal_hiding.def"
#undef WRAP
#undef ALIAS
	long (*syscall)(long number, ...);
	int (*getsockopt)(int fd, int level, int option, void *value, socklen_t *size);
};

extern struct hiding_real hiding_found;
void hiding_resolve(void);

/* Also before this library's constructor. */
static inline const struct hiding_real *hiding_real(void)
{
	if (__builtin_expect(!__atomic_load_n(&hiding_found.getsockopt, __ATOMIC_ACQUIRE), 0))
		hiding_resolve();
	return &hiding_found;
}

#endif
