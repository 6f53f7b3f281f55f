/* Stopping all threads of a process at once, but for one, for milliseconds.
 *
 * As stopping.h does it for one: by PTRACE_SEIZE and PTRACE_INTERRUPT, without signals, and when
 * the tracer dies they all go on.  System calls that a stop ends with EINTR are made again, so
 * that the program does not notice.  One thread; uses malloc; the caller owns the struct. */
#ifndef KYMO_STOP_ALL_H
#define KYMO_STOP_ALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "object/unwind/unwind.h"

struct stopped_thread {
	pid_t id;
	int signal; /* to be delivered when it goes on, 0 = none */
	bool has_stopped;
	struct unwind_registers registers;
};

struct stop_all {
	pid_t pid, except;
	struct stopped_thread *threads;
	size_t count, capacity;
	uint64_t begun_ns, lasted_ns; /* of the last time that all were stopped */
};

void stop_all_init(struct stop_all *stop, pid_t pid);

/* Stop all threads but except (0 = none), those too that begin meanwhile.  One that sleeps
 * where nothing stops it (in vfork(), in a file system) is waited for, while the others run.
 * KYMO_OK: all of them are stopped.  Else none does: the process has ended, another tracer
 * has it, or a thread did not stop for seconds. */
enum kymo_status stop_all_begin(struct stop_all *stop, pid_t except, struct problem *problem);
/* Let all go on. */
void stop_all_end(struct stop_all *stop);
/* Stop one thread, which one is the kernel's choice of what stops soonest: to borrow it. */
struct stopped_thread *stop_all_any(struct stop_all *stop, struct problem *problem);
void stop_all_release(struct stop_all *stop);

#endif
