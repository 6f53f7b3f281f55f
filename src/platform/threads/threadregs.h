/* The registers of a thread that is stopped by ptrace, by raw system calls: one file a kind of
 * processor.  Where it is not known, nothing can be read.  Called by the thread that traces.
 * Context: any; errno is kept. */
#ifndef KYMO_THREADREGS_H
#define KYMO_THREADREGS_H

#include <stdbool.h>
#include <stdint.h>

struct threadregs {
	uint64_t pc, sp, fp;
	bool is_in_call; /* in a system call, which may begin again */
};

/* False: it is gone, or runs, or the processor is not known. */
bool threadregs_read(int32_t id, struct threadregs *registers_out);
/* Have it resume at another instruction. */
bool threadregs_set_pc(int32_t id, uint64_t pc);
/* The number of the system call that the stop has ended with EINTR; negative: it has ended none. */
int64_t threadregs_ended_call(int32_t id);
/* Have that call made again. */
bool threadregs_repeat_call(int32_t id);

/* What the kernel puts onto a signal handler's stack begins with the address that it returns
 * to; so many words on is the stack pointer of what was interrupted.  0: not known. */
extern const unsigned threadregs_frame_sp_word;

#endif
