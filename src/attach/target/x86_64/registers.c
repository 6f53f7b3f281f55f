/* The registers of a stopped thread, x86-64. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "attach/target/registers.h"
#include "base/signalmask.h"

#define SYSCALL_BYTES 2 /* of the instruction */

static bool target_registers_get(pid_t thread, struct user_regs_struct *all)
{
	struct iovec to = {all, sizeof(*all)};

	return ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &to) == 0;
}

static bool target_registers_set(pid_t thread, struct user_regs_struct *all)
{
	struct iovec from = {all, sizeof(*all)};

	return ptrace(PTRACE_SETREGSET, thread, (void *)NT_PRSTATUS, &from) == 0;
}

bool registers_read(pid_t thread, struct unwind_registers *out)
{
	struct user_regs_struct all;

	if (!target_registers_get(thread, &all))
		return false;
	*out = (struct unwind_registers){.pc = all.rip, .sp = all.rsp, .fp = all.rbp};
	return true;
}

bool registers_set_pc(pid_t thread, uint64_t pc)
{
	struct user_regs_struct all;

	if (!target_registers_get(thread, &all))
		return false;
	all.rip = pc;
	return target_registers_set(thread, &all);
}

bool registers_was_interrupted(pid_t thread, uint32_t *call_out)
{
	struct user_regs_struct all;

	if (!target_registers_get(thread, &all) || (int64_t)all.orig_rax < 0 ||
	    (int64_t)all.rax != -EINTR)
		return false;
	*call_out = (uint32_t)all.orig_rax;
	return true;
}

bool registers_repeat_call(pid_t thread)
{
	struct user_regs_struct all;

	if (!target_registers_get(thread, &all))
		return false;
	all.rax = all.orig_rax;
	all.orig_rax = UINT64_MAX; /* nothing that the kernel would do again by itself */
	all.rip -= SYSCALL_BYTES;
	return target_registers_set(thread, &all);
}

bool registers_in_call(pid_t thread)
{
	struct user_regs_struct all;

	return target_registers_get(thread, &all) && (int64_t)all.orig_rax >= 0;
}

/* The kernel would take that away for good. */
static bool registers_ignores_steps(pid_t thread)
{
	unsigned long long ignored = UINT64_MAX;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)thread);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigIgn: %llx", &ignored) == 1)
			break;
	if (file)
		fclose(file);
	return ignored & signalmask_bit(SIGTRAP);
}

bool registers_step(pid_t thread, struct unwind_registers *out)
{
	uint64_t mask, held = signalmask_held();
	bool has_stepped;
	int status;

	if (registers_ignores_steps(thread) ||
	    ptrace(PTRACE_GETSIGMASK, thread, (void *)sizeof(mask), &mask) < 0 ||
	    ptrace(PTRACE_SETSIGMASK, thread, (void *)sizeof(mask), &held) < 0)
		return false;
	has_stepped = ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL) == 0;
	while (has_stepped && waitpid(thread, &status, __WALL) < 0)
		has_stepped = errno == EINTR;
	has_stepped = has_stepped && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
	return ptrace(PTRACE_SETSIGMASK, thread, (void *)sizeof(mask), &mask) == 0 && has_stepped &&
	       registers_read(thread, out);
}
