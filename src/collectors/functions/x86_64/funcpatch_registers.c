/* The registers of a stopped thread, x86-64, without the C library. */
#include "collectors/functions/threads/funcpatch_stop.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "patch/apply/patchapply_raw.h"

#define SYSCALL_BYTES 2 /* of the instruction */

/* The return address; uc_flags, uc_link and uc_stack; then r8 to r15, rdi, rsi, rbp, rbx, rdx,
 * rax, rcx, rsp. */
const unsigned funcpatch_frame_sp_word = 1 + 5 + 15;

static bool funcpatch_registers_get(int32_t id, struct user_regs_struct *all)
{
	struct iovec to = {all, sizeof(*all)};

	return raw_call6(SYS_ptrace, PTRACE_GETREGSET, id, NT_PRSTATUS, (long)&to, 0, 0) == 0;
}

static bool funcpatch_registers_set(int32_t id, struct user_regs_struct *all)
{
	struct iovec from = {all, sizeof(*all)};

	return raw_call6(SYS_ptrace, PTRACE_SETREGSET, id, NT_PRSTATUS, (long)&from, 0, 0) == 0;
}

bool funcpatch_registers_read(struct funcpatch_stopped *thread, struct funcpatch_call *call_out)
{
	struct user_regs_struct all;

	if (!funcpatch_registers_get(thread->id, &all))
		return false;
	thread->pc = all.rip;
	thread->sp = all.rsp;
	thread->is_in_call = (int64_t)all.orig_rax >= 0;
	call_out->number = (int64_t)all.orig_rax;
	call_out->is_interrupted = (int64_t)all.orig_rax >= 0 && (int64_t)all.rax == -EINTR;
	return true;
}

bool funcpatch_registers_set_pc(int32_t id, uint64_t pc)
{
	struct user_regs_struct all;

	if (!funcpatch_registers_get(id, &all))
		return false;
	all.rip = pc;
	return funcpatch_registers_set(id, &all);
}

bool funcpatch_registers_repeat(int32_t id)
{
	struct user_regs_struct all;

	if (!funcpatch_registers_get(id, &all))
		return false;
	all.rax = all.orig_rax;
	all.orig_rax = UINT64_MAX; /* nothing that the kernel would do again by itself */
	all.rip -= SYSCALL_BYTES;
	return funcpatch_registers_set(id, &all);
}
