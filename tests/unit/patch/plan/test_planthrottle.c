/* Copies of functions that only count: they do what the function does, add one to a word of the
 * thread, and record nothing.  What leads there is found, and refused where it is not certain. */
#include "plan_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "patch/analyse/patchsweep.h"
#include "patch/plan/planblob.h"
#include "patch/read/planread.h"

#define HIDDEN	   __attribute__((visibility("hidden")))
#define CODE(name) extern HIDDEN const char name[], name##_end[]

__asm__(".pushsection .text.fixture, \"ax\", @progbits\n"
	".balign 4096\n"
	".globl code_start\n.hidden code_start\ncode_start:\n"
	/* 0: nothing but a sum */
	"sums: .cfi_startproc\n lea (%rdi,%rsi), %eax\n nop\n nop\n ret\n"
	" nop\n nop\n nop\n nop\nsums_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 1: jumps forth and back inside, also to its first instruction */
	"jumps: .cfi_startproc\n add $3, %edi\n test %esi, %esi\njumps_je: je 1f\n sub $1, %esi\n"
	"jumps_jmp: jmp jumps\n"
	"1: lea 1(%rdi), %eax\n cmp $100, %eax\n jae 2f\n add $50, %eax\n2: nop\n nop\n nop\n nop\n"
	"jumps_ret: ret\n nop\n nop\n nop\n nop\njumps_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 2: reads by its distance, and ends in another one */
	"reads: .cfi_startproc\n mov reads_data(%rip), %edi\n nop\n"
	"reads_jmp: {disp32} jmp sums\nreads_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 3: calls */
	"calls: .cfi_startproc\n sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n nop\n"
	"calls_call: call sums\n add $8, %rsp\n .cfi_adjust_cfa_offset -8\n"
	"calls_ret: ret\n nop\n nop\n nop\n nop\ncalls_end:\n .cfi_endproc\n"
	"reads_data: .long 1000\n"
	/* 4: two calls, of which one lies in two cache lines */
	" .balign 64, 0xcc\n"
	"twice: .cfi_startproc\n sub $8, %rsp\n .cfi_adjust_cfa_offset 8\n nop\n"
	"twice_call: call sums\n .balign 64, 0x90\n"
	" .fill 61, 1, 0x90\n"
	"twice_far: call sums\n add $8, %rsp\n .cfi_adjust_cfa_offset -8\n"
	"twice_ret: ret\n nop\n nop\n nop\n nop\ntwice_end:\n .cfi_endproc\n"
	".balign 4096\n"
	".globl code_end\n.hidden code_end\ncode_end:\n"
	".popsection\n");

CODE(sums);
CODE(jumps);
CODE(reads);
CODE(calls);
CODE(twice);
extern HIDDEN char code_start[], code_end[];
extern HIDDEN const char jumps_ret[], jumps_jmp[], reads_jmp[], calls_call[], calls_ret[],
	twice_call[], twice_far[], twice_ret[];

typedef int (*function)(int, int);

static __thread uint64_t counter __attribute__((tls_model("initial-exec")));
static struct patch_sweep sweep;

/* What the analysis would have found. */
static void sweep_text(struct fixture *fixture)
{
	size_t bits = (size_t)(code_end - code_start) / 8 + 1;

	fixture->module.targets_start = (uint64_t)code_start;
	fixture->module.targets_end = (uint64_t)code_end;
	fixture->module.targets = calloc(bits, 1);
	sweep.boundaries = calloc(bits, 1);
	sweep.notes = calloc(FIXTURE_FUNCTIONS, sizeof(*sweep.notes));
	for (unsigned i = 0; i < fixture->module.function_count; i++)
		sweep.notes[i] = PATCH_SWEPT_ALL;
	patchbits_set(sweep.boundaries, (uint64_t)(calls_call - code_start));
	patchbits_set(sweep.boundaries, (uint64_t)(twice_call - code_start));
	patchbits_set(sweep.boundaries, (uint64_t)(twice_far - code_start));
	fixture->module.sweep = &sweep;
}

static void make(struct fixture *fixture, enum patch_cost cost)
{
	fixture_init(fixture, code_start, code_end);
	fixture_function(fixture, sums, sums_end, PLAN_WAY_EXITS, 6, true);
	fixture_exit(fixture, PATCH_EXIT_RETURN, sums + 5, sums + 5, 1, 0);
	fixture_function(fixture, jumps, jumps_end, PLAN_WAY_EXITS, 5, false);
	fixture_exit(fixture, PATCH_EXIT_RETURN, jumps_ret, jumps_ret, 1, 5);
	fixture_function(fixture, reads, reads_end, PLAN_WAY_EXITS, 6, false);
	fixture_exit(fixture, PATCH_EXIT_JUMP, reads_jmp, reads_jmp, 5, 5);
	fixture_function(fixture, calls, calls_end, PLAN_WAY_EXITS, 5, false);
	fixture_exit(fixture, PATCH_EXIT_RETURN, calls_ret, calls_ret, 1, 5);
	fixture_function(fixture, twice, twice_end, PLAN_WAY_EXITS, 5, false);
	fixture_exit(fixture, PATCH_EXIT_RETURN, twice_ret, twice_ret, 1, 5);
	for (unsigned i = 0; i < 3; i++)
		fixture->functions[i].copy = PATCH_COPY_LEAF;
	fixture->functions[3].copy = fixture->functions[4].copy = PATCH_COPY_CALLS;
	sweep_text(fixture);
	fixture->variant = PLAN_VARIANT_THROTTLE;
	fixture_apply(fixture, cost, false);
}

static void unmake(struct fixture *fixture)
{
	free(fixture->module.targets);
	free(sweep.boundaries);
	free(sweep.notes);
	memset(&sweep, 0, sizeof(sweep));
	fixture_release(fixture);
}

static const struct plan_copy *copy_of(const struct fixture *fixture, uint32_t number)
{
	for (uint64_t i = 0; i < fixture->plan.header->copy_count; i++)
		if (fixture->plan.copies[i].function == number)
			return &fixture->plan.copies[i];
	return NULL;
}

/* The copy of a function, which counts in counter. */
static function led(const struct fixture *fixture, uint32_t number)
{
	const struct plan_copy *copy = copy_of(fixture, number);
	int32_t distance = (int32_t)((char *)&counter - (char *)__builtin_thread_pointer());

	assert_non_null(copy);
	memcpy(fixture->region + copy->counter_at, &distance, sizeof(distance));
	return (function)(uintptr_t)(fixture->region + copy->code);
}

static void copies_do_what_the_function_does(void **state)
{
	static const enum patch_cost costs[] = {PATCH_COST_COUNTS, PATCH_COST_COARSE,
						PATCH_COST_FULL};
	struct fixture fixture;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		make(&fixture, costs[i]);
		counter = 0;
		assert_int_equal(led(&fixture, 0)(3, 4), 7);
		assert_int_equal(counter, 1);
		assert_int_equal(led(&fixture, 1)(0, 0), 54);
		assert_int_equal(led(&fixture, 1)(0, 2), 60);
		assert_int_equal(led(&fixture, 1)(200, 0), 204);
		assert_int_equal(counter, 4); /* jumps to its first instruction are no calls */
		assert_int_equal(fixture_hot.cursor - fixture_records, 0);
		unmake(&fixture);
	}
}

/* Reads what the original reads, and its jump goes to the other function's own entry. */
static void what_a_copy_leads_to_is_as_it_was(void **state)
{
	struct fixture fixture;

	(void)state;
	make(&fixture, PATCH_COST_FULL);
	counter = 0;
	assert_int_equal(led(&fixture, 2)(5, 7), 1007);
	assert_int_equal(counter, 1);
	assert_string_equal(fixture_text(), "+0 -");
	fixture_reset();
	assert_int_equal(led(&fixture, 3)(5, 7), 12);
	assert_int_equal(counter, 2);
	assert_string_equal(fixture_text(), "+0 -");
	unmake(&fixture);
}

/* With COUNTS a function that calls others is done in its place. */
static void counted_functions_go_on_in_their_place(void **state)
{
	struct fixture fixture;

	(void)state;
	make(&fixture, PATCH_COST_COUNTS);
	counter = 0;
	assert_true(copy_of(&fixture, 0)->flags & PLAN_COPY_WHOLE);
	assert_false(copy_of(&fixture, 3)->flags & PLAN_COPY_WHOLE);
	assert_int_equal(led(&fixture, 3)(5, 7), 12);
	assert_int_equal(counter, 1);
	assert_int_equal(fixture_left[FIXTURE_FIRST_ID + 3], 1000);
	assert_int_equal(fixture_left[FIXTURE_FIRST_ID], 999);
	unmake(&fixture);
}

static void copies_begin_at_cache_lines(void **state)
{
	struct fixture fixture;

	(void)state;
	make(&fixture, PATCH_COST_FULL);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(copy_of(&fixture, i)->code % PLAN_LINE, 0);
	unmake(&fixture);
}

static void calls_in_one_cache_line_are_found(void **state)
{
	struct fixture fixture;
	const struct plan_copy *copy;

	(void)state;
	make(&fixture, PATCH_COST_FULL);
	copy = copy_of(&fixture, 0);
	assert_int_equal(copy->call_count, 2);
	assert_int_equal(fixture.plan.calls[copy->first_call].distance_at,
			 calls_call + 1 - code_start);
	assert_int_equal(fixture.plan.calls[copy->first_call + 1].distance_at,
			 twice_call + 1 - code_start);
	assert_int_equal(copy_of(&fixture, 1)->call_count, 0);
	unmake(&fixture);
}

static void flags_that_are_looked_at_rule_a_copy_out(void **state)
{
	struct fixture fixture;

	(void)state;
	make(&fixture, PATCH_COST_FULL);
	assert_non_null(copy_of(&fixture, 1));
	unmake(&fixture);
	fixture_init(&fixture, code_start, code_end);
	fixture_function(&fixture, sums, sums_end, PLAN_WAY_EXITS, 6, true);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, sums + 5, sums + 5, 1, 0);
	fixture.functions[0].copy = PATCH_COPY_LEAF;
	fixture.functions[0].entry.keeps_flags = true;
	sweep_text(&fixture);
	fixture.variant = PLAN_VARIANT_THROTTLE;
	fixture_apply(&fixture, PATCH_COST_COUNTS, false);
	assert_int_equal(fixture.plan.header->copy_count, 0);
	unmake(&fixture);
}

/* Each number of a copy and of a call that leads out of the plan or its text is refused. */
static void damaged_copies_are_refused(void **state)
{
	struct fixture fixture;
	struct plan plan;
	unsigned char *bytes;

	(void)state;
	make(&fixture, PATCH_COST_FULL);
	bytes = aligned_alloc(4096, (fixture.size + 4095) / 4096 * 4096);
	for (unsigned i = 0; i < 9; i++) {
		struct plan_header *header = (struct plan_header *)(void *)bytes;
		struct plan_copy *copy;
		struct plan_call *call;

		memcpy(bytes, fixture.bytes, fixture.size);
		copy = (struct plan_copy *)(void *)(bytes + header->copies_offset);
		call = (struct plan_call *)(void *)(bytes + header->calls_offset);
		assert_true(plan_read(bytes, fixture.size, true, &plan));
		switch (i) {
		case 0:
			copy[0].function = copy[1].function;
			break;
		case 1:
			copy[header->copy_count - 1].function = (uint32_t)header->function_count;
			break;
		case 2:
			copy[0].counter_at = (uint32_t)header->code_size - 3;
			break;
		case 3:
			copy[0].code = copy[0].counter_at + 1;
			break;
		case 4:
			copy[0].call_count++;
			break;
		case 5:
			copy[1].first_call--;
			break;
		case 6:
			call[0].distance_at = 0;
			break;
		case 7:
			call[0].distance_at = (uint32_t)(header->text_end - header->text_start) - 3;
			break;
		default:
			header->variant = 0;
		}
		assert_false(plan_read(bytes, fixture.size, true, &plan));
	}
	free(bytes);
	unmake(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_do_what_the_function_does),
		cmocka_unit_test(what_a_copy_leads_to_is_as_it_was),
		cmocka_unit_test(counted_functions_go_on_in_their_place),
		cmocka_unit_test(copies_begin_at_cache_lines),
		cmocka_unit_test(calls_in_one_cache_line_are_found),
		cmocka_unit_test(flags_that_are_looked_at_rule_a_copy_out),
		cmocka_unit_test(damaged_copies_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
