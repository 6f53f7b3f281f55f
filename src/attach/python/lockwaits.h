/* The lock that each waiting thread waits for, its owner, and deadlocks.
 *
 * Reports only certain facts: the interpreter records the owner of the GIL and of an RLock, the C
 * library that of a mutex; the owner of a threading.Lock is the thread inside of a `with` block of
 * it, and unknown if it was taken by acquire().  One thread; uses malloc. */
#ifndef KYMO_LOCKWAITS_H
#define KYMO_LOCKWAITS_H

#include "attach/sample/watch.h"

enum lock_kind {
	LOCK_NONE,	/* it does not wait for a lock */
	LOCK_GIL,	/* the interpreter's own */
	LOCK_PLAIN,	/* _thread.lock */
	LOCK_RECURSIVE, /* _thread.RLock */
	LOCK_CONDITION, /* threading.Condition: it waits for a notification, which has no owner */
	LOCK_MUTEX,	/* pthread_mutex_t */
	LOCK_INTERNAL,	/* from 3.14 on: a PyMutex or PyEvent that is no object of Python's */
	LOCK_UNKNOWN,	/* a futex that is none of these */
};

struct lock_wait {
	enum lock_kind kind;
	uint64_t address;     /* of the object, if it is Python's; of the byte or the futex */
	pid_t owner;	      /* thread that holds it, 0 = not known */
	uint64_t owner_frame; /* where it was acquired, for framenames_find(); 0 = not known */
	uint64_t count;	      /* times an RLock was taken */
	bool is_in_cycle;     /* it waits for itself, transitively */
};

struct lockwaits {
	struct lock_wait *waits; /* one for each of the watch's threads */
	size_t count;
};

/* For the latest observation. */
bool lockwaits_read(struct lockwaits *locks, struct watch *watch);
void lockwaits_release(struct lockwaits *locks);
/* Index of the thread that has an id; SIZE_MAX = it is not watched. */
size_t lockwaits_thread(const struct watch *watch, pid_t id);

/* "the GIL", "threading.Lock" … */
const char *lockwaits_kind_text(enum lock_kind kind);

#endif
