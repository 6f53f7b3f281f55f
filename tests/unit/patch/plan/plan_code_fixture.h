/* What the tests of trampolines share: functions that are called through them, and what they
 * record. */
#ifndef KYMO_PLAN_CODE_FIXTURE_H
#define KYMO_PLAN_CODE_FIXTURE_H

#include "plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <x86intrin.h>
#include <cmocka.h>

/* Each function ends at its _end; _ret is a place that is an exit, at the first byte that is
 * displaced for it when _at is not given. */
__asm__(".pushsection .text.fixture, \"ax\", @progbits\n"
	".balign 4096\n"
	".globl code_start\n.hidden code_start\ncode_start:\n"
	/* 0: a leaf that is all displaced */
	"add_two: .cfi_startproc\n lea (%rdi,%rsi), %eax\n ret\nadd_two_end:\n .cfi_endproc\n"
	" .balign 16, 0xcc\n"
	/* 1: a frame, a call, an exit behind pops */
	"twice: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	" mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n push %rbx\n .cfi_offset %rbx, -24\n"
	" mov %edi, %ebx\n mov %edi, %esi\n call add_two\n add %ebx, %eax\n sub %ebx, %eax\n"
	"twice_at: mov -8(%rbp), %rbx\n leave\n .cfi_def_cfa %rsp, 8\n"
	"twice_ret: ret\n twice_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 2: its first instruction reads by its distance; red zone */
	"reads: .cfi_startproc\n mov reads_data(%rip), %eax\n mov %rdi, -8(%rsp)\n"
	" mov %rdi, -16(%rsp)\n mov %rdi, -128(%rsp)\n add -8(%rsp), %eax\n add -16(%rsp), %eax\n"
	" add -128(%rsp), %eax\n"
	"reads_ret: ret\n nop\n nop\n nop\n nop\n reads_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 3: leaves by a jcc, a jump, a ret with an operand's twin */
	"chooses: .cfi_startproc\n cmp $1, %edi\n mov %edi, %eax\n nop\n"
	"chooses_first: cmp $1, %edi\n nop\n nop\n"
	"chooses_jcc: {disp32} je add_two\n cmp $2, %edi\n nop\n nop\n je 1f\n mov $7, %eax\n"
	"chooses_at: nopl (%rax)\n nop\n"
	"chooses_ret: ret\n"
	"1: nop\n"
	"chooses_jmp: {disp32} jmp add_two\n chooses_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 4: jrcxz among its first bytes, by distances of one byte */
	"counted: .cfi_startproc\n xor %eax, %eax\n jrcxz 1f\n mov $5, %eax\n"
	" nop\n nop\n nop\n1: add $1, %eax\n nop\n nop\n nop\n nop\n"
	"counted_ret: ret\n nop\n nop\n nop\n nop\n counted_end:\n .cfi_endproc\n .balign 16, "
	"0xcc\n"
	/* 5: a loop back to the entry */
	"loops: .cfi_startproc\n lea 1(%rax), %rax\n nop\n"
	"loops_at: sub $1, %rdi\n"
	"loops_again: jne loops\n nop\n"
	"loops_ret: ret\n nop\n nop\n nop\n nop\n loops_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 6: gives its carry back, and takes it */
	"carries: .cfi_startproc\n adc $0, %rdi\n mov %rdi, %rax\n nop\n nop\n cmp $100, %rdi\n"
	"carries_ret: ret\n nop\n nop\n nop\n nop\n carries_end:\n .cfi_endproc\n .balign 16, "
	"0xcc\n"
	/* 7: touches nothing */
	"quiet: .cfi_startproc\n .byte 0x66, 0x0f, 0x1f, 0x44, 0, 0\n nop\n nop\n"
	"quiet_ret: ret\n nop\n nop\n nop\n nop\n quiet_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 8: a call among its first bytes */
	"calls: .cfi_startproc\n push %rdi\n .cfi_def_cfa_offset 16\n call quiet\n pop %rax\n"
	" .cfi_def_cfa_offset 8\n nop\n nop\n nop\n nop\n"
	"calls_ret: ret\n nop\n nop\n nop\n nop\n calls_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 9: ends by a jump to one that is called through */
	"tails: .cfi_startproc\n lea 1(%rdi), %rdi\n nop\n nop\n nop\n"
	"tails_jmp: {disp32} jmp twice\n tails_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 10, 11: a jcc that leaves, between what is displaced at the entry */
	"near: .cfi_startproc\n mov $9, %eax\n"
	"near_ret: ret\n nop\n nop\n nop\n nop\n near_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	"early: .cfi_startproc\n test %edi, %edi\n"
	"early_jcc: je near\n cmp $5, %edi\n mov $6, %eax\n"
	"early_ret: ret\n nop\n nop\n nop\n nop\n early_end:\n .cfi_endproc\n"
	"reads_data: .long 1000\n"
	".balign 4096\n"
	".globl code_end\n.hidden code_end\ncode_end:\n"
	/* Fills all registers but rsp, calls *rdi, compares them: rax = 0, or which differs. */
	"keeps_all: push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	" push %rdi\n mov %rsi, %rax\n"
	" .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n movups 16*\\n(%rsi), %xmm\\n\n .endr\n"
	" fldl (%rsi)\n fldl 8(%rsi)\n"
	" mov 0x00(%rax), %rbx\n mov 0x08(%rax), %rcx\n mov 0x10(%rax), %rdx\n"
	" mov 0x18(%rax), %rbp\n mov 0x20(%rax), %rsi\n mov 0x28(%rax), %rdi\n"
	" mov 0x30(%rax), %r8\n mov 0x38(%rax), %r9\n mov 0x40(%rax), %r10\n"
	" mov 0x48(%rax), %r11\n mov 0x50(%rax), %r12\n mov 0x58(%rax), %r13\n"
	" mov 0x60(%rax), %r14\n mov 0x68(%rax), %r15\n"
	" call *(%rsp)\n"
	" cmp 0x00(%rax), %rbx\n jne 1f\n cmp 0x08(%rax), %rcx\n jne 1f\n"
	" cmp 0x10(%rax), %rdx\n jne 1f\n cmp 0x18(%rax), %rbp\n jne 1f\n"
	" cmp 0x20(%rax), %rsi\n jne 1f\n cmp 0x28(%rax), %rdi\n jne 1f\n"
	" cmp 0x30(%rax), %r8\n jne 1f\n cmp 0x38(%rax), %r9\n jne 1f\n"
	" cmp 0x40(%rax), %r10\n jne 1f\n cmp 0x48(%rax), %r11\n jne 1f\n"
	" cmp 0x50(%rax), %r12\n jne 1f\n cmp 0x58(%rax), %r13\n jne 1f\n"
	" cmp 0x60(%rax), %r14\n jne 1f\n cmp 0x68(%rax), %r15\n jne 1f\n"
	" fstpl 8(%rax)\n fstpl (%rax)\n"
	" .irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n movups %xmm\\n, 256+16*\\n(%rax)\n .endr\n"
	" xor %eax, %eax\n jmp 2f\n"
	"1: mov $1, %eax\n"
	"2: pop %rdi\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
	/* rax = carry that comes back << 8 | what it gives, for a carry that goes in */
	"with_carry: mov %rsi, %rax\n neg %rax\n mov %rdi, %rcx\n mov %rdx, %rdi\n call *%rcx\n"
	" setb %cl\n movzx %cl, %ecx\n shl $8, %rcx\n or %rcx, %rax\n ret\n"
	".popsection\n");

#define HIDDEN	   __attribute__((visibility("hidden")))
#define CODE(name) extern HIDDEN const char name[], name##_end[]

CODE(add_two);
CODE(twice);
CODE(reads);
CODE(chooses);
CODE(counted);
CODE(loops);
CODE(carries);
CODE(quiet);
CODE(calls);
CODE(tails);
CODE(near);
CODE(early);
extern HIDDEN char code_start[], code_end[];
extern HIDDEN const char twice_at[], twice_ret[], reads_ret[], chooses_first[], chooses_jcc[],
	chooses_at[], chooses_ret[], chooses_jmp[], counted_ret[], loops_at[], loops_again[],
	loops_ret[], carries_ret[], quiet_ret[], calls_ret[], tails_jmp[], near_ret[], early_jcc[],
	early_ret[];
extern HIDDEN uint64_t keeps_all(const void *function, void *values);
extern HIDDEN uint64_t with_carry(const void *function, uint64_t carry, uint64_t argument);

enum { ADD, TWICE, READS, CHOOSES, COUNTED, LOOPS, CARRIES, QUIET, CALLS, TAILS, NEAR, EARLY };

static struct fixture fixture;

typedef int (*code_fn)(long a, long b);
#define RUN(name, a, b) (((code_fn)(uintptr_t)name)((a), (b)))

static inline void fill(enum plan_way way)
{
	fixture_init(&fixture, code_start, code_end);
#define FUNCTION(name, displaced, ends)                                                            \
	fixture_function(&fixture, name, name##_end, way, displaced, ends)
	FUNCTION(add_two, 4, true);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, add_two + 3, add_two + 3, 1, 0);
	FUNCTION(twice, 5, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, twice_at, twice_ret, 6, 6);
	FUNCTION(reads, 6, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, reads_ret, reads_ret, 1, 5);
	FUNCTION(chooses, 5, false);
	fixture_exit(&fixture, PATCH_EXIT_CONDITIONAL, chooses_first, chooses_jcc, 11, 11);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, chooses_at, chooses_ret, 5, 5);
	fixture_exit(&fixture, PATCH_EXIT_JUMP, chooses_jmp, chooses_jmp, 5, 5);
	FUNCTION(counted, 9, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, counted_ret, counted_ret, 1, 5);
	FUNCTION(loops, 5, false);
	fixture_exit(&fixture, PATCH_EXIT_OWN_ENTRY, loops_at, loops_again, 6, 6);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, loops_ret, loops_ret, 1, 5);
	FUNCTION(carries, 7, false);
	fixture.functions[CARRIES].entry.keeps_flags = true;
	fixture_exit(&fixture, PATCH_EXIT_RETURN, carries_ret, carries_ret, 1, 5);
	fixture.exits[fixture.module.exit_count - 1].keeps_flags = true;
	FUNCTION(quiet, 6, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, quiet_ret, quiet_ret, 1, 5);
	FUNCTION(calls, 6, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, calls_ret, calls_ret, 1, 5);
	FUNCTION(tails, 4 + 1, false);
	fixture_exit(&fixture, PATCH_EXIT_JUMP, tails_jmp, tails_jmp, 5, 5);
	FUNCTION(near, 5, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, near_ret, near_ret, 1, 5);
	FUNCTION(early, 7, false);
	fixture_exit(&fixture, PATCH_EXIT_CONDITIONAL, early_jcc, early_jcc, 2, 0);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, early_ret, early_ret, 1, 5);
#undef FUNCTION
}

static inline void check_results(void)
{
	assert_int_equal(RUN(add_two, 3, 4), 7);
	assert_int_equal(RUN(twice, 21, 0), 42);
	assert_int_equal(RUN(reads, 5, 0), 1015);
	assert_int_equal(RUN(chooses, 1, 10), 11);
	assert_int_equal(RUN(chooses, 2, 10), 12);
	assert_int_equal(RUN(chooses, 3, 10), 7);
	assert_int_equal(RUN(calls, 77, 0), 77);
	assert_int_equal(RUN(tails, 20, 0), 42);
	assert_int_equal(RUN(early, 0, 0), 9);
	assert_int_equal(RUN(early, 1, 0), 6);
}

static inline void run_variant(enum patch_cost cost, enum plan_way way, unsigned variant)
{
	fill(way);
	fixture.variant = variant;
	fixture_apply(&fixture, cost, false);
	check_results();
}

static inline void run_all(enum patch_cost cost, enum plan_way way)
{
	run_variant(cost, way, 0);
}

static inline int put_back(void **state)
{
	(void)state;
	fixture_release(&fixture); /* when a test failed before it did */
	return 0;
}

#endif
