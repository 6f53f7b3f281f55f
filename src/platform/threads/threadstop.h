/* Stopping threads for moments by ptrace, all of a process or some, without signals: each is seized
 * and interrupted, waited for, and resumed.  They do not notice: a signal that comes meanwhile is
 * delivered when its thread is resumed, and system calls that the stop ended early (stoppedcall.h)
 * are made again.  When the tracer dies, the kernel resumes them all.
 *
 * Who asks may be another process, or one that shares the memory of those it stops: a thread of
 * their own process cannot trace them.  So these are raw system calls: nothing of the C library is
 * called, no lock is taken, nothing is allocated but by grow, and errno is kept.
 *
 * The caller owns the struct and its array of threads, which is valid until the next call that asks
 * or resumes.  All calls are from one and the same thread: ptrace knows no other tracer.
 * Context: any. */
#ifndef KYMO_THREADSTOP_H
#define KYMO_THREADSTOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/threads/threadregs.h"

struct threadstop_thread {
	int32_t id;
	int32_t signal;	  /* to be delivered when it is resumed, 0 = none */
	bool has_stopped; /* else it is asked, and stops before its next instruction */
	struct threadregs registers;
};

struct threadstop {
	int32_t process;
	int32_t except; /* a thread of it that is not asked, 0 = none */
	struct threadstop_thread *threads;
	size_t count, capacity;
	/* Make room for one more; false: there is none.  NULL = capacity is all there is. */
	bool (*grow)(struct threadstop *stop);
	/* So often all known threads have to be listed and none besides, though the kernel counts
	 * more: it counts some that have ended.  0 = never enough, and time alone is the limit. */
	unsigned clean_passes;
	bool is_yielding; /* at first, rather than sleep: quicker where processors are free */
	/* What came of the latest asking. */
	int32_t refused;    /* the thread that could not be asked … */
	int error;	    /* … and why, an errno: EPERM when it has another tracer */
	bool is_first_gone; /* the first thread has ended before others */
};

enum threadstop_result {
	THREADSTOP_DONE,
	THREADSTOP_LATE,    /* some did not stop in time: they sleep where nothing stops them */
	THREADSTOP_REFUSED, /* see error */
	THREADSTOP_ENDED,   /* the process has no threads to be listed any more */
};

/* Stop all threads, those too that begin meanwhile, until a time of threadstop_now_ns().  What has
 * stopped stays so, whatever the result, until it is resumed. */
enum threadstop_result threadstop_all(struct threadstop *stop, uint64_t until_ns);
/* Ask threads that are not known yet, limit of them at most, and say how many there were. */
enum threadstop_result threadstop_ask(struct threadstop *stop, size_t limit, size_t *asked_out);
/* Wait for all that are known; those that are gone are forgotten.  False: not in time. */
bool threadstop_wait(struct threadstop *stop, uint64_t until_ns);
/* Resume all that have stopped, and forget them. */
void threadstop_resume(struct threadstop *stop);
/* The same with those that are still to stop.  is_ending: who asks is about to end, and leaves
 * those to the kernel that sleep where nothing wakes them. */
void threadstop_resume_rest(struct threadstop *stop, uint64_t until_ns, bool is_ending);

/* One thread: */

struct threadstop_thread *threadstop_find(const struct threadstop *stop, int32_t id);
/* Ask it to stop; it is known from now on.  NULL: see error. */
struct threadstop_thread *threadstop_add(struct threadstop *stop, int32_t id);
void threadstop_forget(struct threadstop *stop, struct threadstop_thread *thread);
enum threadstop_arrival { THREADSTOP_ARRIVED, THREADSTOP_NOT_YET, THREADSTOP_GONE };
/* Whether it has stopped, without waiting.  Those that are gone are not forgotten. */
enum threadstop_arrival threadstop_look(struct threadstop_thread *thread);
/* Resume it, with its signal, as it is: no call is made again.  0, or -errno. */
long threadstop_detach(const struct threadstop_thread *thread);

/* One that has stopped: */

/* Put it elsewhere; and: one instruction on, with signals held back.  False: it is gone, a signal
 * that cannot be held back came, or the program ignores the one that a step is told by. */
bool threadstop_set_pc(struct threadstop_thread *thread, uint64_t pc);
bool threadstop_step(struct threadstop_thread *thread);

/* CLOCK_MONOTONIC, by a system call; and a sleep of 50 microseconds. */
uint64_t threadstop_now_ns(void);
void threadstop_nap(void);

#endif
