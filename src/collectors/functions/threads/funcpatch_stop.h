/* Stopping all threads of one's own process, but for the one that asks, for milliseconds.
 *
 * A thread cannot stop another of its process without a signal, which is the program's.  So a
 * process is made that shares the memory, is nobody's child and ends without a signal: it seizes
 * the threads (ptrace), does the work while they are stopped, and resumes them.  System calls
 * that a stop ends early (signal(7): epoll_wait() and a few more) are made again.
 *
 * Refused where the program is traced already, gave up system calls, or may not be looked at:
 * then nothing has happened.  Context: the helper's thread. */
#ifndef KYMO_FUNCPATCH_STOP_H
#define KYMO_FUNCPATCH_STOP_H

#include <stdbool.h>
#include <stdint.h>

#define FUNCPATCH_STOP_THREADS_MAX 4096u

struct funcpatch_stopped { /* a stopped thread */
	int32_t id;
	int32_t signal; /* to be delivered when it goes on, 0 = none */
	bool has_stopped;
	bool is_in_call; /* the kernel has not finished its system call */
	uint64_t pc, sp;
};

struct funcpatch_stop {
	uint32_t count;
	struct funcpatch_stopped threads[FUNCPATCH_STOP_THREADS_MAX];
};

/* How work says whether it was done: false has the same effects as a refusal. */
typedef bool (*funcpatch_stop_fn)(struct funcpatch_stop *stop, void *context);

/* Do work while all others are stopped.  It shares the memory, but has files of its own, calls
 * nothing of the C library, allocates nothing and takes no lock: anybody may hold it.  False:
 * they could not all be stopped, and nothing was done. */
bool funcpatch_stopped(funcpatch_stop_fn work, void *context);
/* How long they were stopped the last time, ns. */
uint64_t funcpatch_stop_lasted_ns(void);

/* Of what it must not do: to be called before the program begins.  Context: init. */
void funcpatch_stop_init(void);

/* On the process that stops them: for work. */

/* Put a stopped thread elsewhere; and: one instruction on, without signals. */
bool funcpatch_stopped_set_pc(struct funcpatch_stopped *thread, uint64_t pc);
bool funcpatch_stopped_step(struct funcpatch_stopped *thread);

struct funcpatch_call { /* the system call that a thread is in */
	int64_t number; /* negative: none */
	bool is_interrupted;
};
/* False: it is gone, or the processor is not known. */
bool funcpatch_registers_read(struct funcpatch_stopped *thread, struct funcpatch_call *call_out);
bool funcpatch_registers_set_pc(int32_t id, uint64_t pc);
/* Have the call made again that ended early. */
bool funcpatch_registers_repeat(int32_t id);
/* What the kernel puts onto a signal handler's stack begins with the address that it returns
 * to; so many words on is the stack pointer of what was interrupted.  0: not known. */
extern const unsigned funcpatch_frame_sp_word;
/* A process that shares this one's memory and ends without a signal; its stack ends at top.  Its
 * id, or negative. */
long funcpatch_process_make(int (*function)(void *), void *top);

#endif
