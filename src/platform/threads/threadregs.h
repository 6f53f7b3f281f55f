/* The registers of a thread that is stopped by ptrace, by raw system calls: one file per kind of
 * processor.  For an unknown one, nothing can be read.  Called by the tracing thread.  Context:
 * any; errno is kept. */
#ifndef KYMO_THREADREGS_H
#define KYMO_THREADREGS_H

#include <stdbool.h>
#include <stdint.h>

struct threadregs {
	uint64_t pc, sp, fp;
	bool is_in_call; /* in a system call, which may be restarted */
};

/* False: it has ended, or runs, or the processor is unknown. */
bool threadregs_read(int32_t id, struct threadregs *registers_out);
/* Make it resume at another instruction. */
bool threadregs_set_pc(int32_t id, uint64_t pc);
/* The number of the system call that the stop has ended with EINTR; negative: none. */
int64_t threadregs_ended_call(int32_t id);
/* Make it restart that call. */
bool threadregs_repeat_call(int32_t id);

/* The kernel's signal frame begins with the return address of the handler; this is the offset,
 * in words, of the interrupted stack pointer.  0: unknown. */
extern const unsigned threadregs_frame_sp_word;

#endif
