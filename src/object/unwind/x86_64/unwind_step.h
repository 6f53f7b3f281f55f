/* Rare steps from a frame to its caller on x86-64, apart from the loop that handles the common
 * ones.  Context: any. */
#ifndef KYMO_UNWIND_STEP_X86_64_H
#define KYMO_UNWIND_STEP_X86_64_H

#include "object/unwind/unwind_rows.h"

/* A row's word, in parts: see struct cfi_row. */
#define ROW_CFA(word)	 ((uint8_t)((word) >> 48))
#define ROW_OFFSET(word) ((uint64_t)(int64_t)(int32_t)(word))
#define ROW_FRAME(word)	 ((int16_t)((word) >> 32))
#define ROW_RETURN(word) ((int8_t)((word) >> 56))

/* How memory is read, where rows come from and what is known of code: for this process or another
 * one. */
struct reader {
	bool (*read)(void *context, uint64_t address, uint64_t *word_out);
	uint64_t (*row)(void *context, uint64_t at, uint64_t next); /* 0 = none */
	/* The current row, for one that may be outdated. */
	uint64_t (*confirm)(void *context, uint64_t at, uint64_t next, uint64_t word);
	bool (*saved)(void *context, uint64_t pc, unsigned number, int32_t *offset_out);
	bool (*is_code)(void *context, uint64_t address);
	bool (*is_return)(void *context, uint64_t address); /* it follows a call */
	/* The same, and the callee can be the code at pc. */
	bool (*is_return_of)(void *context, uint64_t address, uint64_t pc);
	void *context;
};

/* The frames so far; a step leaves the last one. */
struct walked {
	const struct unwind_registers *from;
	const struct unwind_frame *frames;
	size_t count;
};

enum step {
	STEP_CALLER,
	STEP_THROUGH, /* likewise, from code that only passed a call on: no frame of its own */
	STEP_INTERRUPTED,
	STEP_COMPLETE,
	STEP_LOST,
	STEP_TORN,
	STEP_NOWHERE, /* not a frame: its address is not in code */
};

/* Any row, 0 = none, from the frame in *at to its caller's. */
enum step unwind_step_rare(const struct reader *reader, uint64_t word, const struct walked *walked,
			   struct unwind_registers *at);

/* The instruction before a return address. */

#define UNWIND_CALL_MAX 7u /* bytes of a call instruction at most, without prefixes */

bool unwind_is_indirect_call(const uint8_t before[UNWIND_CALL_MAX]);
/* The target; 0 = not call rel32. */
uint64_t unwind_called_directly(const uint8_t before[UNWIND_CALL_MAX], uint64_t address);

#endif
