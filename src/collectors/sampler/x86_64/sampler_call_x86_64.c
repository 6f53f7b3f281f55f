/* System calls on x86-64, seen from the registers of who was interrupted.
 *
 * A thread that was in the kernel stands right behind the instruction `syscall`, or, where
 * the kernel begins the call anew, at it with the number in rax.  Behind it rax is the
 * result: the number then is what the code before put there. */
#include <errno.h>
#include <ucontext.h>

#include "collectors/sampler/sampler.h"

#define SYSCALL_BYTES 2u
#define BACK_MAX      24u /* bytes before the instruction that are looked at */
#define NUMBER_MAX    1024u

static bool is_syscall(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05;
}

static uint32_t immediate(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

/* The number from `mov $imm32,%eax` or `xor %eax,%eax` next before code. */
static uint32_t number_before(const uint8_t *code, size_t bytes)
{
	for (size_t back = 2; back <= bytes; back++) {
		const uint8_t *at = code - back;

		if (back >= 5 && at[0] == 0xb8 && immediate(at + 1) < NUMBER_MAX)
			return immediate(at + 1);
		if ((at[0] == 0x31 || at[0] == 0x33) && at[1] == 0xc0)
			return 0;
	}
	return KYMO_FRAME_NO_CALL;
}

void sampler_call_look(const void *ucontext, struct sampled *self, struct sampler_call *out)
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
		size_t back = behind % 4096 < BACK_MAX ? behind % 4096 : BACK_MAX;

		out->is_call = out->is_behind = true;
		out->is_interrupted = registers[REG_RAX] == -EINTR;
		out->number = number_before(code, back);
	} else if (is_syscall(code + SYSCALL_BYTES) && registers[REG_RAX] >= 0 &&
		   registers[REG_RAX] < NUMBER_MAX) {
		out->is_call = true;
		out->number = (uint32_t)registers[REG_RAX];
	}
}

void sampler_call_end(void *ucontext)
{
	greg_t *registers = ((ucontext_t *)ucontext)->uc_mcontext.gregs;

	registers[REG_RIP] += SYSCALL_BYTES;
	registers[REG_RAX] = -EINTR;
}

/* What the compiler must not expect to survive is what any call changes: this is no inline
 * function, and does nothing behind. */
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
