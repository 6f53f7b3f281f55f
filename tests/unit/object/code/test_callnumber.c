/* Which system call a thread has come from, for every way in which code brings the number into
 * its register: each sends the thread a signal, which comes right behind the call. */
#include "object/code/callnumber.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/code/codesource.h"

#ifdef __x86_64__

#define SYSCALL_BYTES 2

/* Each with (process, thread, signal). */
long plain(long, long, long);
long narrow_move(long, long, long);
long pushed(long, long, long);
long kept_in_a_register(long, long, long);
long hoisted(long, long, long);
long jumped_to(long, long, long);
long from_the_stack(long, long, long);
long below_a_frame(long, long, long);
long decoy(long, long, long);
long cancellable(long, long, long);
long cancellable_alone(long, long, long);
long by_three_functions(long, long, long);
long by_function(long, long, long);
long by_pointer_table(long, long, long);
long computed(long, long, long);
long passed_on(long, long, long);

#define BEGIN(name)                                                                                \
	"	.globl " #name "\n"                                                                \
	"	.type " #name ", @function\n" #name ":\n"                                          \
	"	.cfi_startproc\n"
#define END(name)                                                                                  \
	"	.cfi_endproc\n"                                                                          \
	"	.size " #name ", . - " #name "\n"

__asm__(".text\n"
	/* mov $tgkill, %eax */
	BEGIN(plain) "	movl $234, %eax\n	syscall\n	ret\n" END(plain)
		BEGIN(narrow_move) "	movq $234, %rax\n	nopw 0(%rax)\n	syscall\n	"
				   "ret\n" END(narrow_move) BEGIN(
					   pushed) "	push $62\n	.cfi_adjust_cfa_offset "
						   "8\n	pop %rax\n"
						   "	.cfi_adjust_cfa_offset -8\n	movq %rdx, "
						   "%rsi\n	syscall\n	ret\n" END(pushed)
	/* The kernel leaves r9 alone. */
	BEGIN(kept_in_a_register) "	movq (%rsp), %r9\n	movl $234, %r9d\n	movl %r9d, "
				  "%eax\n"
				  "	syscall\n	ret\n" END(kept_in_a_register)
	/* Out of a loop, and the register is not what it was. */
	BEGIN(hoisted) "	movl $234, %r9d\n	movl $2, %r8d\n"
		       "1:	decl %r8d\n	movl %r9d, %eax\n	movl $7, %r9d\n	testl "
		       "%r8d, %r8d\n	js 1b\n"
		       "	syscall\n	ret\n" END(hoisted) BEGIN(
			       jumped_to) "	movl $234, %ecx\n	jmp 2f\n	movl $7, "
					  "%ecx\n	ret\n	nop\n"
					  "2:	movl %ecx, %eax\n	syscall\n	ret\n" END(jumped_to) BEGIN(
						  from_the_stack) "	push $234\n	"
								  ".cfi_adjust_cfa_offset 8\n	"
								  "subq $16, %rsp\n"
								  "	.cfi_adjust_cfa_offset "
								  "16\n	movl 16(%rsp), %eax\n	"
								  "push %rbx\n"
								  "	.cfi_adjust_cfa_offset "
								  "8\n	syscall\n	addq $32, "
								  "%rsp\n"
								  "	.cfi_adjust_cfa_offset "
								  "-32\n	ret\n" END(from_the_stack) BEGIN(
									  below_a_frame) "	pus"
											 "h %rbp\n	.cfi_adjust_cfa_offset 8\n	.cfi_offset rbp, -16\n"
											 "	mov"
											 "q %rsp, "
											 "%rbp\n"
											 "	."
											 "cfi_def_"
											 "cfa_register rbp\n	push $234\n	movslq -8(%rbp), %rax\n"
											 "	sys"
											 "call\n"
											 "	lea"
											 "ve\n	"
											 ".cfi_def_"
											 "cfa rsp, "
											 "8\n	"
											 "ret"
											 "\n" END(
												 below_a_frame)
	/* The bytes of mov $7, %eax in the middle of another instruction. */
	BEGIN(decoy) "	movl $234, %r8d\n	movl %r8d, %eax\n	movl $5, %r8d\n"
		     "	movabsq $0x7b89090, %r9\n	syscall\n	ret\n" END(decoy)

	/* glibc from 2.41 on: (flags, number, a, b, c, d, e, f) */
	BEGIN(cancel_arch) "	movl (%rdi), %eax\n	testb $8, (%rdi)\n	jne 3f\n"
			   "	movq %rdi, %r11\n	movq %rsi, %rax\n	movq %rdx, "
			   "%rdi\n	movq %rcx, %rsi\n"
			   "	movq %r8, %rdx\n	movq %r9, %r10\n	movq 8(%rsp), "
			   "%r8\n	movq 16(%rsp), %r9\n"
			   "	movq %r11, 8(%rsp)\n	syscall\n3:	ret\n" END(cancel_arch)
	/* (a, b, c, d, e, f, number), where there are other threads; rbx: whether there are. */
	BEGIN(cancel_internal) "	push %rbx\n	.cfi_adjust_cfa_offset 8\n"
			       "	.cfi_offset rbx, -16\n	movl %eax, %ebx\n	movq %rcx, "
			       "%r10\n	testl %ebx, %ebx\n"
			       "	je 4f\n	leaq 5f(%rip), %r11\n	push %r9\n	"
			       ".cfi_adjust_cfa_offset 8\n"
			       "	movq %rcx, %r9\n	movq %rsi, %rcx\n	push "
			       "%r8\n	.cfi_adjust_cfa_offset 8\n"
			       "	movq 32(%rsp), %rsi\n	movq %rdx, %r8\n	movq %rdi, "
			       "%rdx\n	movq %r11, %rdi\n"
			       "	call cancel_arch\n	pop %rcx\n	"
			       ".cfi_adjust_cfa_offset -8\n	pop %rsi\n"
			       "	.cfi_adjust_cfa_offset -8\n	pop %rbx\n	"
			       ".cfi_adjust_cfa_offset -8\n	ret\n"
			       "	.cfi_adjust_cfa_offset 8\n"
			       "4:	movq 16(%rsp), %rax\n	syscall\n	pop %rbx\n	"
			       ".cfi_adjust_cfa_offset -8\n	ret\n" END(cancel_internal) BEGIN(
				       cancellable) "	push $234\n	.cfi_adjust_cfa_offset "
						    "8\n	movl $1, %eax\n"
						    "	call cancel_internal\n	addq $8, %rsp\n	"
						    ".cfi_adjust_cfa_offset -8\n	ret\n" END(
							    cancellable)
							    BEGIN(cancellable_alone) "	push "
										     "$234\n	"
										     ".cfi_adjust_"
										     "cfa_"
										     "offset "
										     "8\n	"
										     "xorl %eax, "
										     "%eax\n"
										     "	call "
										     "cancel_"
										     "internal\n"
										     "	"
										     "addq $8, "
										     "%rsp\n	"
										     ".cfi_adjust_"
										     "cfa_"
										     "offset "
										     "-8\n	"
										     "ret\n" END(
											     cancellable_alone)

	/* musl: (number, a, b, c), through two that hand it on, each in its way. */
	BEGIN(cp_asm) "	movq %rdi, %r11\n	movq %rsi, %rax\n	movq %rdx, %rdi\n	"
		      "movq %rcx, %rsi\n"
		      "	movq %r8, %rdx\n	syscall\n	ret\n" END(cp_asm) BEGIN(
			      cp_c) "	subq $24, %rsp\n	.cfi_adjust_cfa_offset 24\n	"
				    "movq %rcx, %r8\n"
				    "	movq %rdx, %rcx\n	movq %rsi, %rdx\n	movq %rdi, "
				    "%rsi\n	leaq 5f(%rip), %rdi\n"
				    "	call cp_asm\n	addq $24, %rsp\n	"
				    ".cfi_adjust_cfa_offset -24\n	ret\n" END(cp_c) BEGIN(
					    by_three_functions) "	push %rbx\n	"
								".cfi_adjust_cfa_offset 8\n"
								"	movq %rdx, %rcx\n	"
								"movq %rsi, %rdx\n	movq %rdi, "
								"%rsi\n	movl $234, %edi\n"
								"	call cp_c\n	pop "
								"%rbx\n	.cfi_adjust_cfa_offset "
								"-8\n	ret\n" END(
									by_three_functions)

	/* The C library's syscall(), by its import. */
	BEGIN(by_function) "	subq $8, %rsp\n	.cfi_adjust_cfa_offset 8\n	movq %rdx, %rcx\n"
			   "	movq %rsi, %rdx\n	movq %rdi, %rsi\n	movl $234, "
			   "%edi\n	xorl %eax, %eax\n"
			   "	call syscall@PLT\n	addq $8, %rsp\n	.cfi_adjust_cfa_offset "
			   "-8\n	ret\n" END(by_function) BEGIN(
				   by_pointer_table) "	subq $8, %rsp\n	.cfi_adjust_cfa_offset "
						     "8\n	movq %rdx, %rcx\n"
						     "	movq %rsi, %rdx\n	movq %rdi, "
						     "%rsi\n	movl $234, %edi\n	xorl %eax, "
						     "%eax\n"
						     "	call *syscall@GOTPCREL(%rip)\n	addq $8, "
						     "%rsp\n	.cfi_adjust_cfa_offset -8\n	"
						     "ret\n" END(by_pointer_table)

	/* What nothing says stays unknown. */
	BEGIN(computed) "	movl $233, %eax\n	addl $1, %eax\n	syscall\n	ret\n" END(
		computed)
	/* (number, a, b, c) from one that was called with something else. */
	BEGIN(last) "	movq %rdi, %rax\n	movq %rsi, %rdi\n	movq %rdx, %rsi\n	"
		    "movq %rcx, %rdx\n"
		    "	syscall\n	ret\n" END(last) BEGIN(
			    between) "	movq %rdx, %rcx\n	movq %rsi, %rdx\n	movq %r8, "
				     "%rsi\n"
				     "	movl $234, %edi\n	jmp last\n" END(between) BEGIN(
					     passed_on) "	subq $8, %rsp\n	"
							".cfi_adjust_cfa_offset 8\n	movq %rdi, "
							"%r8\n"
							"	movl $7, %edi\n	call between\n	"
							"addq $8, %rsp\n	"
							".cfi_adjust_cfa_offset -8\n	ret\n" END(
								passed_on) ".data\n5:	.quad "
									   "0\n.text\n");

static volatile uint32_t found;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	static const struct unwind_stack unknown;

	(void)signal, (void)info;
	found = callnumber_find(context, (uint64_t)registers[REG_RIP] - SYSCALL_BYTES, &unknown);
}

static int begin(void **state)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	(void)state;
	action.sa_sigaction = on_signal;
	unwind_learn();
	return sigaction(SIGUSR1, &action, NULL);
}

static const struct {
	const char *name;
	long (*make)(long, long, long);
	uint32_t number;
} ways[] = {
	{"plain", plain, SYS_tgkill},
	{"narrow_move", narrow_move, SYS_tgkill},
	{"pushed", pushed, SYS_kill},
	{"kept_in_a_register", kept_in_a_register, SYS_tgkill},
	{"hoisted", hoisted, SYS_tgkill},
	{"jumped_to", jumped_to, SYS_tgkill},
	{"from_the_stack", from_the_stack, SYS_tgkill},
	{"below_a_frame", below_a_frame, SYS_tgkill},
	{"decoy", decoy, SYS_tgkill},
	{"cancellable", cancellable, SYS_tgkill},
	{"cancellable_alone", cancellable_alone, SYS_tgkill},
	{"by_three_functions", by_three_functions, SYS_tgkill},
	{"by_function", by_function, SYS_tgkill},
	{"by_pointer_table", by_pointer_table, SYS_tgkill},
	{"computed", computed, CALLNUMBER_UNKNOWN},
	{"passed_on", passed_on, CALLNUMBER_UNKNOWN},
};

/* Twice: the second time it is known already. */
static void test_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * sizeof(ways) / sizeof(ways[0]); i++) {
		const size_t way = i / 2;

		found = 0;
		assert_int_equal(ways[way].make(getpid(), syscall(SYS_gettid), SIGUSR1), 0);
		if (found != ways[way].number)
			fail_msg("%s: %u, not %u", ways[way].name, found, ways[way].number);
	}
}

/* Numbers of calls that are made with other arguments. */
static void test_zero(void **state)
{
	static const uint8_t code[] = {0x90, 0x31, 0xc0, 0x48, 0x89, 0xd7};
	struct codesource source = codesource_find(code, code + sizeof(code), 1, 0, 0);

	(void)state;
	assert_int_equal(source.kind, CODESOURCE_CONSTANT);
	assert_int_equal(source.value, 0);
}

/* Any bytes are an answer, and an end. */
static void test_noise(void **state)
{
	static const uint8_t often[] = {0xeb, 0x75, 0x89, 0xe8, 0x05, 0xf0, 0x8b, 0x58};
	uint8_t code[512];
	uint64_t random = 88172645463325252u;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		for (size_t i = 0; i < sizeof(code); i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			/* Short branches, moves and calls, more than chance has. */
			code[i] = random & 3 ? (uint8_t)(random >> 8) : often[random >> 8 & 7];
		}
		(void)codesource_find(code, code + sizeof(code), (int)(round & 1), round & 15, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
