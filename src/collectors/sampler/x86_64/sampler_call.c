/* System calls on x86-64, from the registers of the interrupted thread.
 *
 * A thread that was in the kernel is just after the instruction `syscall`, or, if the kernel
 * restarts the call, at it with the number in rax.  After it rax is the result. */
#include "collectors/sampler/sampler_call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "collectors/sampler/sampler_kernel.h"
#include "collectors/sampler/sampler_state.h"
#include "object/code/callnumber.h"
#include "runtime/control/signalshare.h"

#define SYSCALL_BYTES 2u

static bool is_syscall(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

void sampler_call_decode(const void *ucontext, struct sampler_thread *self,
			 struct sampler_call *out)
{
	const greg_t *registers = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
	uint64_t pc = (uint64_t)registers[REG_RIP], behind = pc - SYSCALL_BYTES;
	const uint8_t *code = (const uint8_t *)(uintptr_t)behind;

	*out = (struct sampler_call){.number = KYMO_FRAME_NO_CALL,
				     .argument = (uint64_t)registers[REG_RDI],
				     .operation = (uint64_t)registers[REG_RSI]};
	if (!sampler_can_read_code(self, pc, SYSCALL_BYTES, SYSCALL_BYTES))
		return;
	if (is_syscall(code)) {
		out->is_call = out->is_behind = true;
		out->is_interrupted = registers[REG_RAX] == -EINTR;
		out->may_have_slept = out->is_interrupted;
	} else if (is_syscall(code + SYSCALL_BYTES) && registers[REG_RAX] >= 0 &&
		   registers[REG_RAX] < CALLNUMBER_MAX) {
		out->is_call = out->may_have_slept = true;
		out->number = (uint32_t)registers[REG_RAX];
	}
}

/* A call that the kernel resumes after a stop has a number of its own. */
void sampler_call_name(const void *ucontext, const struct unwind_stack *stack,
		       struct sampler_call *call)
{
	const greg_t *registers = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;
	uint64_t pc = (uint64_t)registers[REG_RIP];
	uint32_t number;

	if (call->is_behind || call->number == SYS_restart_syscall) {
		number =
			callnumber_find(ucontext, call->is_behind ? pc - SYSCALL_BYTES : pc, stack);
		if (number == CALLNUMBER_UNKNOWN)
			number = kymo_handed_number((uintptr_t)registers[REG_RSP],
						    KYMO_FRAME_NO_CALL);
		call->number = number;
	}
	call->meant = kymo_wait_number((uintptr_t)registers[REG_RSP], call->number);
}

void sampler_call_end(void *ucontext)
{
	greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

	registers[REG_RIP] += SYSCALL_BYTES;
	registers[REG_RAX] = -EINTR;
}

/* Registers that any call may change are not preserved: this is not inlined, and does nothing
 * afterwards. */
__attribute__((noinline)) void sampler_call_on(void (*function)(void *), void *argument, void *top)
{
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D"(argument), [function] "+a"(function), [top] "+d"(top)
			 :
			 : "rbx", "rcx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

long sampler_system_call(long number, long first, long second, long third, long fourth)
{
	register long r10 __asm__("r10") = fourth;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(first), "S"(second), "d"(third), "r"(r10)
			 : "rcx", "r11", "memory");
	return number;
}
