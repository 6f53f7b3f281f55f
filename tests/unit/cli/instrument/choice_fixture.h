/* A file with a choice among its functions: one of each kind that lists tell apart. */
#ifndef KYMO_CHOICE_FIXTURE_H
#define KYMO_CHOICE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "cli/instrument/function_choice.h"
#include "cli/instrument/instrument_report.h"

enum chosen {
	CHOSEN_TAKEN,	 /* a::solve(int), by its exits */
	CHOSEN_SMALL,	 /* tiny, left out for its size */
	CHOSEN_OVERLAPS, /* shared, which cannot be */
	CHOSEN_UNNAMED,	 /* taken, only counted */
	CHOSEN_PART,	 /* no function of its own */
	CHOSEN_LOOP,	 /* of a::solve(int) */
	CHOSEN_COUNT
};

struct chosen_file {
	struct function_choice choice;
	struct plan_header header;
	struct plan_function functions[CHOSEN_COUNT];
	enum function_verdict verdicts[CHOSEN_COUNT];
	uint8_t taken[CHOSEN_COUNT];
	struct instrument_report report;
};

/* Into the caller's memory, which must not be moved; chosen_release() it. */
static inline void chosen_make(struct chosen_file *file)
{
	static const char names[] = "\0_ZN1a5solveEi\0tiny\0shared\0part";

	*file = (struct chosen_file){
		.header = {.function_count = CHOSEN_COUNT,
			   .cost = PATCH_COST_COUNTS,
			   .build_id = {0xab, 0x01},
			   .build_id_size = 2},
		.functions =
			{
				{.address = 0x1000,
				 .size = 64,
				 .name = 1,
				 .way = PLAN_WAY_EXITS,
				 .instructions = 20,
				 .exits = 2,
				 .flags = PLAN_FUNCTION_NAMED | PLAN_FUNCTION_GLOBAL |
					  PLAN_FUNCTION_LOOPS},
				{.address = 0x1040,
				 .size = 8,
				 .name = 15,
				 .way = PLAN_WAY_CALL,
				 .instructions = 3,
				 .flags = PLAN_FUNCTION_NAMED},
				{.address = 0x1050,
				 .size = 16,
				 .name = 20,
				 .reason = PLAN_OVERLAPPING,
				 .flags = PLAN_FUNCTION_NAMED},
				{.address = 0x1060,
				 .size = 32,
				 .way = PLAN_WAY_ENTRIES,
				 .reason = PLAN_UNKNOWN_JUMPS},
				{.address = 0x1080, .size = 16, .name = 27, .reason = PLAN_PART},
				{.address = 0x1010,
				 .size = 16,
				 .name = 1,
				 .way = PLAN_WAY_EXITS,
				 .flags = PLAN_FUNCTION_NAMED | PLAN_FUNCTION_LOOP},
			},
		.verdicts = {FUNCTION_TAKEN, FUNCTION_SMALL_BYTES, FUNCTION_CANNOT, FUNCTION_TAKEN,
			     FUNCTION_CANNOT, FUNCTION_SMALL_BYTES},
		.taken = {CHOICE_TAKEN, 0, 0, CHOICE_TAKEN, 0, 0},
	};
	file->choice = (struct function_choice){
		.path = (char *)"/opt/app",
		.plan = {.header = &file->header, .functions = file->functions, .names = names},
		.verdicts = file->verdicts,
		.taken = file->taken,
		.counts =
			{.found = 4, .possible = 3, .taken = 2, .with_exits = 1, .only_counted = 1},
	};
	file->report =
		(struct instrument_report){&file->choice, 1, symbols_new(), PATCH_COST_COUNTS};
	assert_non_null(file->report.symbols);
}

static inline void chosen_release(struct chosen_file *file)
{
	symbols_free(file->report.symbols);
}

#endif
