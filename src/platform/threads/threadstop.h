/* Stopping threads briefly by ptrace, all of a process or some, without signals: each is seized and
 * interrupted, waited for, and resumed.  They do not notice: a signal that arrives meanwhile is
 * delivered when its thread is resumed, and system calls that the stop ended early (stoppedcall.h)
 * are restarted.  When the tracer dies, the kernel resumes them all.
 *
 * The tracer may be another process, or one that shares the memory of those it stops: a thread of
 * their own process cannot trace them.  So these are raw system calls: nothing of the C library is
 * called, no lock is taken, nothing is allocated except by grow, and errno is kept.
 *
 * The caller owns the struct and its array of threads, which is valid until the next call that
 * interrupts or resumes.  All calls are from the same thread: for ptrace only that is the
 * tracer.  Context: any. */
#ifndef KYMO_THREADSTOP_H
#define KYMO_THREADSTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/threads/threadregs.h"

struct threadstop_thread {
	int32_t id;
	int32_t signal;	  /* to be delivered when it is resumed, 0 = none */
	bool has_stopped; /* else it is interrupted, and stops before its next instruction */
	struct threadregs registers;
};

struct threadstop {
	int32_t process;
	int32_t except; /* a thread of it that is not interrupted, 0 = none */
	struct threadstop_thread *threads;
	size_t count, capacity;
	/* Reserve space for one more; false: out of memory.  NULL = capacity is fixed. */
	bool (*grow)(struct threadstop *stop);
	/* Number of passes without new threads after which the list is complete, though the
	 * kernel counts more: it counts some that have ended.  0 = unlimited, until the time
	 * limit. */
	unsigned clean_passes;
	bool is_yielding; /* at first, instead of sleeping: faster if processors are free */
	/* The result of the latest interrupts. */
	int32_t refused;      /* the thread that could not be interrupted … */
	int error;	      /* … and why, an errno: EPERM if it has another tracer */
	bool has_first_ended; /* the first thread has ended before others */
};

enum threadstop_result {
	THREADSTOP_DONE,
	THREADSTOP_LATE,    /* some did not stop in time: they are in uninterruptible sleep */
	THREADSTOP_REFUSED, /* see error */
	THREADSTOP_ENDED,   /* the process has no more threads to list */
};

/* Stop all threads, including new ones, until a time of threadstop_now_ns().  Stopped threads
 * stay so, whatever the result, until they are resumed. */
enum threadstop_result threadstop_all(struct threadstop *stop, uint64_t until_ns);
/* Interrupt threads that are not known yet, at most limit of them, and return their number. */
enum threadstop_result threadstop_interrupt(struct threadstop *stop, size_t limit,
					    size_t *interrupted_out);
/* Wait for all known threads; those that have ended are removed.  False: not in time. */
bool threadstop_wait(struct threadstop *stop, uint64_t until_ns);
/* Resume all that have stopped, and remove them. */
void threadstop_resume(struct threadstop *stop);
/* The same for those that have yet to stop.  is_ending: the tracer is about to end, and leaves
 * those in uninterruptible sleep to the kernel. */
void threadstop_resume_rest(struct threadstop *stop, uint64_t until_ns, bool is_ending);

/* One thread: */

struct threadstop_thread *threadstop_find(const struct threadstop *stop, int32_t id);
/* Interrupt it; it is known from now on.  NULL: see error. */
struct threadstop_thread *threadstop_add(struct threadstop *stop, int32_t id);
void threadstop_forget(struct threadstop *stop, struct threadstop_thread *thread);
enum threadstop_arrival { THREADSTOP_ARRIVED, THREADSTOP_NOT_YET, THREADSTOP_EXITED };
/* Whether it has stopped, without waiting.  Those that have ended are not removed. */
enum threadstop_arrival threadstop_check(struct threadstop_thread *thread);
/* Resume it, with its signal, unchanged: no call is restarted.  0, or -errno. */
long threadstop_detach(const struct threadstop_thread *thread);

/* One that has stopped: */

/* Set its program counter; and: single-step, with signals blocked.  False: it has ended, a
 * signal that cannot be blocked arrived, or the program ignores SIGTRAP, which signals a step. */
bool threadstop_set_pc(struct threadstop_thread *thread, uint64_t pc);
bool threadstop_step(struct threadstop_thread *thread);

/* CLOCK_MONOTONIC, by a system call; and a sleep of 50 microseconds. */
uint64_t threadstop_now_ns(void);
void threadstop_delay(void);

#endif
