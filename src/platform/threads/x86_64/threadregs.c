/* The registers of a stopped thread, x86-64, without the C library. */
#include "platform/threads/threadregs.h"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "platform/rawcall.h"

#define SYSCALL_BYTES 2 /* of the instruction */

/* The return address; uc_flags, uc_link and uc_stack; then r8 to r15, rdi, rsi, rbp, rbx, rdx,
 * rax, rcx, rsp. */
const unsigned threadregs_frame_sp_word = 1 + 5 + 15;

static bool threadregs_transfer(long request, int32_t id, struct user_regs_struct *all)
{
	struct iovec bytes = {all, sizeof(*all)};

	return raw_call6(SYS_ptrace, request, id, NT_PRSTATUS, (long)&bytes, 0, 0) == 0;
}

bool threadregs_read(int32_t id, struct threadregs *registers_out)
{
	struct user_regs_struct all;

	if (!threadregs_transfer(PTRACE_GETREGSET, id, &all))
		return false;
	registers_out->pc = all.rip;
	registers_out->sp = all.rsp;
	registers_out->fp = all.rbp;
	registers_out->is_in_call = (int64_t)all.orig_rax >= 0;
	return true;
}

bool threadregs_set_pc(int32_t id, uint64_t pc)
{
	struct user_regs_struct all;

	if (!threadregs_transfer(PTRACE_GETREGSET, id, &all))
		return false;
	all.rip = pc;
	return threadregs_transfer(PTRACE_SETREGSET, id, &all);
}

int64_t threadregs_ended_call(int32_t id)
{
	struct user_regs_struct all;

	return threadregs_transfer(PTRACE_GETREGSET, id, &all) && (int64_t)all.rax == -EINTR
		       ? (int64_t)all.orig_rax
		       : -1;
}

bool threadregs_repeat_call(int32_t id)
{
	struct user_regs_struct all;

	if (!threadregs_transfer(PTRACE_GETREGSET, id, &all))
		return false;
	all.rax = all.orig_rax;
	all.orig_rax = UINT64_MAX; /* no call that the kernel would restart by itself */
	all.rip -= SYSCALL_BYTES;
	return threadregs_transfer(PTRACE_SETREGSET, id, &all);
}
