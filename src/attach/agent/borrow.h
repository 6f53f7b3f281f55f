/* Makes a stopped thread of another process execute system calls, and nothing else.
 *
 * This works wherever the thread is and whatever locks it holds: registers, signal mask and the
 * system call that it was in are restored.  No code of the process runs, and none of its memory is
 * used.  One thread; no malloc. */
#ifndef KYMO_BORROW_H
#define KYMO_BORROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BORROW_KEPT_BYTES 512u

struct borrowed {
	pid_t id;
	int signal;	       /* arrived in the meantime: to be delivered when the thread
				* resumes */
	uint64_t syscall_insn; /* address of a system call instruction */
	uint64_t mask;
	_Alignas(16) unsigned char kept[BORROW_KEPT_BYTES]; /* its registers */
};

struct borrow_call {
	long number;
	uint64_t arguments[6];
	uint64_t extra;	       /* in a register that calls preserve: the argument of a new thread */
	uint64_t syscall_insn; /* another address than the usual one, 0 = that */
};

/* Offset of such an instruction in code; size = there is none. */
size_t borrow_find_syscall(const unsigned char *code, size_t size);
/* The thread is stopped by ptrace, with no signal to be delivered. */
bool borrow_begin(struct borrowed *borrowed, pid_t id, uint64_t syscall_insn);
/* False: the thread does not exist any more.  result_out is the kernel's: negative errno values. */
bool borrow_call(struct borrowed *borrowed, const struct borrow_call *call, int64_t *result_out);
bool borrow_end(struct borrowed *borrowed);

/* Its program counter, and its thread pointer. */
uint64_t borrow_pc(const struct borrowed *borrowed);
uint64_t borrow_thread_pointer(const struct borrowed *borrowed);
/* The number of the system call that it is in, -1 = none. */
long borrow_system_call(const struct borrowed *borrowed);

#endif
