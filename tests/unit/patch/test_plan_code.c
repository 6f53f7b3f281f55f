/* Trampolines, by running them: what functions give back, what is recorded, what is kept. */
#include "plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <x86intrin.h>
#include <cmocka.h>

#define HIDDEN	   __attribute__((visibility("hidden")))
#define CODE(name) extern HIDDEN const char name[], name##_end[]

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

static void fill(enum plan_way way)
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
	fixture_exit(&fixture, PATCH_EXIT_AGAIN, loops_at, loops_again, 6, 6);
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

static void check_results(void)
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

static void run_all(enum patch_cost cost, enum plan_way way)
{
	fill(way);
	fixture_apply(&fixture, cost, false);
	check_results();
}

static void full_and_coarse_tell_calls_in_order(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++) {
		run_all(cost, PLAN_WAY_EXITS);
		assert_string_equal(fixture_text(),
				    "+0 - +1 +0 - - +2 - +3 - +0 - +3 - +0 - +3 - +8 +7 - - "
				    "+9 - +1 +0 - - +11 - +10 - +11 -");
		assert_int_equal(fixture_slow_count, 0);
		assert_int_equal(fixture_hot.state, PATCH_STATE_READY);
		fixture_release(&fixture);
	}
}

static void entries_alone_tell_enters(void **state)
{
	(void)state;
	run_all(PATCH_COST_FULL, PLAN_WAY_ENTRIES);
	assert_string_equal(fixture_text(),
			    "+0 +1 +0 +2 +3 +0 +3 +0 +3 +8 +7 +9 +1 +0 +11 +10 +11");
	fixture_release(&fixture);
}

static void calls_through_tell_both(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++) {
		run_all(cost, PLAN_WAY_CALL);
		/* one that ends by a jump to another ends with it */
		assert_string_equal(fixture_text(), "+0 - +1 +0 - - +2 - +3 +0 - +3 +0 - +3 - "
						    "+8 +7 - - +9 +1 +0 - - +11 +10 - +11 -");
		assert_int_equal(fixture_slow_count, 0);
		fixture_release(&fixture);
	}
}

static void counts_are_exact(void **state)
{
	static const unsigned expected[] = {5, 2, 1, 3, 0, 0, 0, 1, 1, 1, 1, 2};

	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++) {
		run_all(PATCH_COST_COUNTS, way);
		for (unsigned i = 0; i < 12; i++)
			assert_int_equal(1000 - fixture_left[FIXTURE_FIRST_ID + i], expected[i]);
		assert_int_equal(fixture_slow_count, 0);
		fixture_release(&fixture);
	}
}

static void slots_are_those_of_the_call(void **state)
{
	struct fixture_event events[8];

	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++) {
		fill(PLAN_WAY_EXITS);
		fixture_apply(&fixture, cost, false);
		RUN(add_two, 1, 1);
		RUN(twice, 1, 1);
		assert_int_equal(fixture_events(events, 8), 6);
		assert_int_equal(events[0].slot, events[1].slot);
		assert_int_equal(events[2].slot, events[5].slot);
		assert_int_equal(events[3].slot, events[4].slot);
		/* rbp, rbx and the return address lie between */
		assert_int_equal((events[2].slot - events[3].slot) & PATCH_SLOT_MASK, 3);
		fixture_release(&fixture);
	}
}

static bool is_between(uint64_t least, uint64_t ticks, uint64_t most)
{
	return least <= ticks && ticks <= most;
}

static void long_records_have_their_time(void **state)
{
	struct fixture_event events[16];

	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		uint64_t before = __rdtsc(), after;

		fill(way);
		fixture_apply(&fixture, PATCH_COST_FULL, false);
		RUN(add_two, 1, 1);
		/* Entries that the slow routine lets pass: the exits come long after. */
		fixture_makes_ready = fixture_is_wanted = true;
		fixture_pause(PATCH_STATE_NEW);
		RUN(add_two, 1, 1);
		fixture_pause(PATCH_STATE_NEW);
		RUN(tails, 1, 1);
		after = __rdtsc();
		fixture_release(&fixture);
		assert_int_equal(fixture_events(events, 16), way == PLAN_WAY_EXITS ? 8 : 7);
		assert_true(events[0].is_long && is_between(before, events[0].ticks, after));
		assert_true(events[2].is_exit && events[2].is_long);
		assert_true(is_between(events[0].ticks, events[2].ticks, after));
		/* by a jump, or where the one that it jumps to begins */
		assert_int_equal(events[3].is_exit, way == PLAN_WAY_EXITS);
		assert_true(events[3].is_long);
		assert_true(is_between(events[2].ticks, events[3].ticks, after));
		assert_int_equal(fixture_slow_count, 2);
	}
}

/* Another time is the slow routine's affair, and so is a thread that is not to be recorded; the
 * room that was taken there is none of its chunk's. */
static void marks_of_time_are_left_to_the_slow_routine(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		fill(way);
		fixture_apply(&fixture, PATCH_COST_COARSE, false);
		fixture_is_wanted = true;
		assert_int_equal(RUN(add_two, 1, 2), 3);
		assert_int_equal(fixture_slow_count, 0);
		fixture_clock++;
		assert_int_equal(RUN(add_two, 1, 2), 3);
		assert_int_equal(fixture_slow_count, 2);
		assert_false(fixture_slow[0].is_exit);
		assert_true(fixture_slow[1].is_exit);
		assert_ptr_equal(fixture_hot.cursor, fixture_records + 6);
		assert_string_equal(fixture_text(), "+0 -");
		fixture_makes_ready = true;
		fixture_pause(PATCH_STATE_NEW);
		assert_int_equal(RUN(add_two, 1, 2), 3);
		assert_string_equal(fixture_text(), "+0 - -");
		fixture_release(&fixture);
	}
}

/* At the end of a chunk nothing is written at all: what was taken stays zeros. */
static void marked_records_do_not_go_beyond_the_limit(void **state)
{
	(void)state;
	fill(PLAN_WAY_EXITS);
	fixture_apply(&fixture, PATCH_COST_COARSE, false);
	fixture_hot.limit = fixture_records + 5;
	assert_int_equal(RUN(add_two, 1, 2), 3);
	assert_int_equal(fixture_slow_count, 0); /* an exit at 4 */
	assert_int_equal(RUN(add_two, 1, 2), 3);
	assert_int_equal(fixture_slow_count, 2);
	for (unsigned i = 6; i < 64; i++)
		assert_int_equal(fixture_records[i], 0);
	fixture_release(&fixture);
}

static void check_registers(const char *function)
{
	uint64_t values[64];

	for (unsigned i = 0; i < 32; i++)
		values[i] = 0x1010101010101010u * (i % 7) + i;
	values[0] = 0x3ff0000000000000u; /* 1.0 and 1.5: x87 */
	values[1] = 0x3ff8000000000000u;
	memset(values + 32, 0, 32 * sizeof(values[0]));
	assert_int_equal(keeps_all(function, values), 0);
	assert_memory_equal(values, values + 32, 256);
}

static void registers_are_kept(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++)
			for (unsigned how = 0; how < 4; how++) {
				fill(way);
				fixture_apply(&fixture, cost, false);
				fixture.gate->is_off = how == 1;
				if (how >= 2)
					fixture_pause(PATCH_STATE_NEW);
				fixture_left[FIXTURE_FIRST_ID + QUIET] = how >= 2 ? 0 : 9;
				fixture_is_wanted = how == 3;
				check_registers(quiet);
				fixture_release(&fixture);
			}
}

static void flags_are_kept_where_they_must_be(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (unsigned off = 0; off < 2; off++) {
			fill(PLAN_WAY_EXITS);
			fixture_apply(&fixture, cost, false);
			fixture.gate->is_off = (uint8_t)off;
			assert_int_equal(with_carry(carries, 0, 5), 0x100 | 5);
			assert_int_equal(with_carry(carries, 1, 5), 0x100 | 6);
			assert_int_equal(with_carry(carries, 0, 150), 150);
			assert_int_equal(with_carry(carries, 1, 150), 151);
			fixture_release(&fixture);
		}
}

static void loops_to_the_entry_are_not_calls(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		int result;

		fill(way);
		fixture_apply(&fixture, PATCH_COST_FULL, false);
		result = ((int (*)(long))(uintptr_t)loops)(10);
		(void)result; /* rax came in as it was */
		assert_string_equal(fixture_text(), "+5 -");
		fixture_reset();
		RUN(counted, 0, 0);
		assert_string_equal(fixture_text(), "+4 -");
		fixture_release(&fixture);
	}
}

static void switched_off_nothing_is_told(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++) {
			fill(way);
			fixture_apply(&fixture, cost, false);
			fixture.gate->is_off = 1;
			fixture_pause(PATCH_STATE_NEW);
			memset(fixture_left, 0, sizeof(fixture_left));
			check_results();
			assert_string_equal(fixture_text(), "");
			assert_int_equal(fixture_slow_count, 0);
			fixture_release(&fixture);
		}
}

static void slow_routines_get_who_and_where(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COARSE; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
			fill(way);
			fixture_apply(&fixture, cost, false);
			fixture_pause(PATCH_STATE_INSIDE);
			fixture_is_wanted = true;
			assert_int_equal(RUN(twice, 21, 0), 42);
			assert_int_equal(fixture_slow_count, 4);
			assert_int_equal(fixture_slow[0].index, TWICE);
			assert_int_equal(fixture_slow[1].index, ADD);
			assert_true(!fixture_slow[1].is_exit && fixture_slow[2].is_exit);
			assert_int_equal(fixture_slow[1].slot, fixture_slow[2].slot);
			assert_int_equal(fixture_slow[0].slot, fixture_slow[3].slot);
			assert_int_equal(fixture_slow[0].slot - fixture_slow[1].slot, 24);
			assert_string_equal(fixture_text(), "");
			fixture_release(&fixture);
		}
}

static void calls_that_are_not_wanted_are_not_called_through(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++) {
		fill(PLAN_WAY_CALL);
		fixture_apply(&fixture, cost, false);
		fixture_pause(PATCH_STATE_INSIDE);
		memset(fixture_left, 0, sizeof(fixture_left));
		check_results();
		for (unsigned i = 0; i < fixture_slow_count; i++)
			assert_false(fixture_slow[i].is_exit);
		fixture_release(&fixture);
	}
}

static void full_buffers_are_told_behind_the_record(void **state)
{
	(void)state;
	fill(PLAN_WAY_EXITS);
	fixture_apply(&fixture, PATCH_COST_FULL, false);
	fixture_hot.limit = fixture_records + 1;
	assert_int_equal(RUN(add_two, 1, 2), 3);
	assert_int_equal(fixture_slow_count, 2);
	assert_false(fixture_slow[0].is_exit);
	assert_true(fixture_slow[1].is_exit);
	assert_int_equal(fixture_records[0] & 3, 2); /* where the enter was before */
	fixture_release(&fixture);
}

static void timed_calls_end_where_they_began(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		fill(way);
		fixture_apply(&fixture, PATCH_COST_COUNTS, false);
		fixture_left[FIXTURE_FIRST_ID + TWICE] = 0;
		fixture_is_wanted = true;
		assert_int_equal(RUN(twice, 21, 0), 42);
		assert_int_equal(fixture_slow_count, 2);
		assert_int_equal(fixture_slow[0].index, TWICE);
		assert_true(!fixture_slow[0].is_exit && fixture_slow[1].is_exit);
		assert_int_equal(fixture_slow[0].slot, fixture_slow[1].slot);
		fixture_release(&fixture);
	}
}

static void stacks_without_second_place_are_not_called_through(void **state)
{
	(void)state;
	fill(PLAN_WAY_CALL);
	fixture_apply(&fixture, PATCH_COST_FULL, false);
	((struct patch_vector *)fixture.plan.header->vector_address)->shadow_start = UINT64_MAX;
	check_results();
	assert_string_equal(fixture_text(),
			    "+0 +1 +0 +2 +3 +0 +3 +0 +3 +8 +7 +9 +1 +0 +11 +10 +11");
	fixture_release(&fixture);
}

static void equal_input_gives_equal_plans(void **state)
{
	unsigned char *first;
	size_t size;

	(void)state;
	run_all(PATCH_COST_FULL, PLAN_WAY_EXITS);
	size = fixture.size;
	first = fixture.bytes;
	fixture.bytes = NULL;
	fixture_release(&fixture);
	run_all(PATCH_COST_FULL, PLAN_WAY_EXITS);
	assert_int_equal(fixture.size, size);
	assert_memory_equal(fixture.bytes, first, size);
	free(first);
	fixture_release(&fixture);
}

static void what_cannot_be_moved_is_left(void **state)
{
	(void)state;
	fill(PLAN_WAY_EXITS);
	fixture.functions[CALLS].has_handlers = true; /* a call in front of a handler */
	fixture_apply(&fixture, PATCH_COST_FULL, false);
	assert_int_equal(fixture.plan.functions[CALLS].way, PLAN_WAY_NONE);
	assert_int_equal(fixture.plan.functions[CALLS].reason, PLAN_NOT_MOVABLE);
	assert_int_equal(fixture.plan.header->reasons[PLAN_NOT_MOVABLE], 1);
	check_results();
	fixture_release(&fixture);
}

static int put_back(void **state)
{
	(void)state;
	fixture_release(&fixture); /* when a test failed before it did */
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(full_and_coarse_tell_calls_in_order, put_back),
		cmocka_unit_test_teardown(entries_alone_tell_enters, put_back),
		cmocka_unit_test_teardown(calls_through_tell_both, put_back),
		cmocka_unit_test_teardown(counts_are_exact, put_back),
		cmocka_unit_test_teardown(slots_are_those_of_the_call, put_back),
		cmocka_unit_test_teardown(long_records_have_their_time, put_back),
		cmocka_unit_test_teardown(marks_of_time_are_left_to_the_slow_routine, put_back),
		cmocka_unit_test_teardown(marked_records_do_not_go_beyond_the_limit, put_back),
		cmocka_unit_test_teardown(registers_are_kept, put_back),
		cmocka_unit_test_teardown(flags_are_kept_where_they_must_be, put_back),
		cmocka_unit_test_teardown(loops_to_the_entry_are_not_calls, put_back),
		cmocka_unit_test_teardown(switched_off_nothing_is_told, put_back),
		cmocka_unit_test_teardown(slow_routines_get_who_and_where, put_back),
		cmocka_unit_test_teardown(calls_that_are_not_wanted_are_not_called_through,
					  put_back),
		cmocka_unit_test_teardown(full_buffers_are_told_behind_the_record, put_back),
		cmocka_unit_test_teardown(timed_calls_end_where_they_began, put_back),
		cmocka_unit_test_teardown(stacks_without_second_place_are_not_called_through,
					  put_back),
		cmocka_unit_test_teardown(equal_input_gives_equal_plans, put_back),
		cmocka_unit_test_teardown(what_cannot_be_moved_is_left, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
