/* Stopping all threads of another process at once, except one, for milliseconds: threadstop.h, with
 * retries for seconds, and a message about the obstacle.
 *
 * One thread; uses malloc; the caller owns the struct. */
#ifndef KYMO_STOP_ALL_H
#define KYMO_STOP_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "platform/threads/threadstop.h"

struct stop_all {
	struct threadstop all;
	uint64_t begun_ns, lasted_ns; /* of the latest stop of all threads */
};

void stop_all_init(struct stop_all *stop, pid_t pid);

/* Stop all threads but except (0 = none), including those created meanwhile.  A thread in an
 * uninterruptible sleep (in vfork(), in a file system) is waited for, while the others run.
 * KYMO_OK: all of them are stopped.  Else none is: the process has ended, another tracer has it, or
 * a thread did not stop for seconds. */
enum kymo_status stop_all_begin(struct stop_all *stop, pid_t except, struct problem *problem);
/* Resume all. */
void stop_all_end(struct stop_all *stop);
/* Stop one thread, whichever stops soonest: to borrow it. */
struct threadstop_thread *stop_all_any(struct stop_all *stop, struct problem *problem);
void stop_all_release(struct stop_all *stop);

/* Allocate one more thread: threadstop.grow. */
bool stop_all_grow(struct threadstop *all);

#endif
