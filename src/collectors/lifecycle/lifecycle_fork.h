/* Implementation of the fork wrappers, in particular of forks that run no handlers of
 * pthread_atfork(); and system calls by number.  errno is the wrapped function's.  Context: any. */
#ifndef KYMO_LIFECYCLE_FORK_H
#define KYMO_LIFECYCLE_FORK_H

#include <sys/types.h>

/* Resolve the real functions now, while that may allocate.  Context: init. */
void lifecycle_fork_resolve(void);

/* As pthread_atfork(), which is linked into each library, calls it. */
int lifecycle_register_handlers(void (*before)(void), void (*in_parent)(void),
				void (*in_child)(void), void *object);
pid_t lifecycle_fork_bare(void);
int lifecycle_daemon(int stays, int keeps_streams);
struct lifecycle_clone { /* the arguments of clone() */
	int (*routine)(void *);
	void *stack;
	int flags;
	void *argument;
	pid_t *parent_id;
	void *thread_area;
	pid_t *child_id;
};
int lifecycle_clone(const struct lifecycle_clone *clone);
/* As syscall(). */
long lifecycle_system_call(long number, const long arguments[6]);

#endif
