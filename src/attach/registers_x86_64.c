/* The registers of a stopped thread, x86-64. */
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "attach/registers.h"

bool registers_read(pid_t thread, struct unwind_registers *out)
{
	struct user_regs_struct all;
	struct iovec to = {&all, sizeof(all)};

	if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &to) < 0)
		return false;
	*out = (struct unwind_registers){.pc = all.rip, .sp = all.rsp, .fp = all.rbp};
	return true;
}
