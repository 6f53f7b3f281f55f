/* Stopping all threads of a process at once, but for one, for milliseconds.
 *
 * As stopping.h does it for one: by PTRACE_SEIZE and PTRACE_INTERRUPT, without signals, and when
 * the tracer dies they all go on.  System calls that a stop ends with EINTR are made again, so
 * that the program does not notice.  One thread; uses malloc; the caller owns the struct. */
#ifndef KYMO_HALT_H
#define KYMO_HALT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "object/unwind/unwind.h"

struct halted {
	pid_t id;
	int signal; /* to be delivered when it goes on, 0 = none */
	bool has_stopped;
	struct unwind_registers registers;
};

struct halt {
	pid_t pid, except;
	struct halted *threads;
	size_t count, capacity;
	uint64_t begun_ns, lasted_ns; /* of the last time that all were stopped */
};

void halt_init(struct halt *halt, pid_t pid);

/* Stop all threads but except (0 = none), those too that begin meanwhile.  One that sleeps
 * where nothing stops it (in vfork(), in a file system) is waited for, while the others run.
 * KYMO_OK: all of them stand still.  Else none does: the process has ended, another tracer
 * has it, or a thread did not stop for seconds. */
enum kymo_status halt_all(struct halt *halt, pid_t except, struct problem *problem);
/* Let all go on. */
void halt_go_on(struct halt *halt);
/* Stop one thread, which one is the kernel's choice of what stops soonest: to borrow it. */
struct halted *halt_any(struct halt *halt, struct problem *problem);
void halt_release(struct halt *halt);

#endif
