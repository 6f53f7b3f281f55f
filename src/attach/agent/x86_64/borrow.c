/* A system call is made by an existing syscall instruction; every process has one in the vdso.  The
 * thread is traced from its entry to its exit: a single step would be reported by SIGTRAP, for
 * which the kernel resets a handler of the program. */
#include "attach/agent/borrow.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#define STOPS_MAX 16   /* signals that cannot be blocked may arrive in between */
#define CALL_STOP 0x80 /* PTRACE_O_TRACESYSGOOD */

_Static_assert(sizeof(struct user_regs_struct) <= BORROW_KEPT_BYTES, "registers fit");

size_t borrow_find_syscall(const unsigned char *code, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++)
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return i;
	return size;
}

static bool borrow_get(pid_t id, struct user_regs_struct *all)
{
	struct iovec to = {all, sizeof(*all)};

	return ptrace(PTRACE_GETREGSET, id, (void *)NT_PRSTATUS, &to) == 0;
}

static bool borrow_set(pid_t id, const struct user_regs_struct *all)
{
	struct iovec from = {(void *)(uintptr_t)all, sizeof(*all)};

	return ptrace(PTRACE_SETREGSET, id, (void *)NT_PRSTATUS, &from) == 0;
}

static const struct user_regs_struct *kept(const struct borrowed *borrowed)
{
	return (const struct user_regs_struct *)borrowed->kept;
}

bool borrow_begin(struct borrowed *borrowed, pid_t id, uint64_t syscall_insn)
{
	uint64_t all_signals = UINT64_MAX;
	struct user_regs_struct all;

	*borrowed = (struct borrowed){.id = id, .syscall_insn = syscall_insn};
	if (!borrow_get(id, &all))
		return false;
	memcpy(borrowed->kept, &all, sizeof(all));
	return ptrace(PTRACE_SETOPTIONS, id, NULL, (void *)PTRACE_O_TRACESYSGOOD) == 0 &&
	       ptrace(PTRACE_GETSIGMASK, id, (void *)sizeof(uint64_t), &borrowed->mask) == 0 &&
	       ptrace(PTRACE_SETSIGMASK, id, (void *)sizeof(uint64_t), &all_signals) == 0;
}

/* Resume until a system call begins or ends, or something else happens before: *is_call says which.
 * False: the thread has ended. */
static bool borrow_resume(struct borrowed *borrowed, bool *is_call)
{
	int status, signal;

	if (ptrace(PTRACE_SYSCALL, borrowed->id, NULL, NULL) < 0)
		return false;
	while (waitpid(borrowed->id, &status, __WALL) < 0)
		if (errno != EINTR)
			return false;
	if (!WIFSTOPPED(status))
		return false;
	signal = WSTOPSIG(status);
	*is_call = signal == (SIGTRAP | CALL_STOP);
	if (status >> 16 == 0 && !*is_call)
		borrowed->signal = signal;
	return true;
}

bool borrow_call(struct borrowed *borrowed, const struct borrow_call *call, int64_t *result_out)
{
	struct user_regs_struct all = *kept(borrowed);
	uint64_t syscall_insn = call->syscall_insn ? call->syscall_insn : borrowed->syscall_insn;
	bool is_call = false;
	int edges = 0; /* its begin and its end */

	all.rip = syscall_insn;
	all.rax = (uint64_t)call->number;
	all.orig_rax = UINT64_MAX; /* it is in no system call that could be restarted */
	all.rdi = call->arguments[0];
	all.rsi = call->arguments[1];
	all.rdx = call->arguments[2];
	all.r10 = call->arguments[3];
	all.r8 = call->arguments[4];
	all.r9 = call->arguments[5];
	all.rbx = call->extra;
	all.rbp = 0;
	if (!borrow_set(borrowed->id, &all))
		return false;
	for (int i = 0; i < STOPS_MAX && edges < 2; i++, edges += is_call)
		if (!borrow_resume(borrowed, &is_call))
			return false;
	if (edges < 2 || !borrow_get(borrowed->id, &all))
		return false;
	*result_out = (int64_t)all.rax;
	return true;
}

bool borrow_end(struct borrowed *borrowed)
{
	bool is_back = borrow_set(borrowed->id, kept(borrowed));

	return ptrace(PTRACE_SETSIGMASK, borrowed->id, (void *)sizeof(uint64_t), &borrowed->mask) ==
		       0 &&
	       is_back;
}

uint64_t borrow_pc(const struct borrowed *borrowed)
{
	return kept(borrowed)->rip;
}

uint64_t borrow_thread_pointer(const struct borrowed *borrowed)
{
	return kept(borrowed)->fs_base;
}

long borrow_system_call(const struct borrowed *borrowed)
{
	return (long)kept(borrowed)->orig_rax;
}
