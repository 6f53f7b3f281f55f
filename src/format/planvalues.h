/* Locations of the parameters and results of functions, for the collector that reads them: derived
 * from debug information, they follow the bytes of a choice (plan.h), at the next multiple of 8.
 *
 * The header, functions by index, values by function (parameters, then the result), and texts
 * with NUL.  Context: any. */
#ifndef KYMO_PLANVALUES_H
#define KYMO_PLANVALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VALUES_MAGIC	  "KYMOARGS"
#define VALUES_EACH_MAX	  16u /* of one function */
#define VALUES_TEXT_BYTES 64u /* of a text behind a pointer */

enum values_kind {
	VALUES_SIGNED = 1,
	VALUES_UNSIGNED,
	VALUES_BOOL,
	VALUES_FLOAT, /* of 4 or 8 bytes, or 16: x87 */
	VALUES_POINTER,
	VALUES_TEXT, /* a pointer to bytes up to NUL */
	VALUES_ENUM, /* words: "NAME=-1;…" */
	VALUES_KINDS
};

/* place: a register, or a word above the return address; of results a register. */
#define VALUES_INTEGER	0u   /* + 0 to 5: rdi rsi rdx rcx r8 r9; of results 0 rax */
#define VALUES_VECTOR	16u  /* + 0 to 7 */
#define VALUES_X87	32u  /* of results */
#define VALUES_STACK	256u /* + word */
#define VALUES_MASK	0x3fffu
#define VALUES_POINTED	0x4000u /* this points to the value: Fortran */
#define VALUES_PLACES	(VALUES_STACK + 512u)
#define VALUES_INTEGERS 6u
#define VALUES_VECTORS	8u

struct values_value {
	uint32_t name, words; /* offsets of texts; words 0 = none */
	uint16_t place;
	uint8_t kind; /* enum values_kind */
	uint8_t size; /* 1 2 4 8, or 16 with FLOAT */
};

struct values_function {
	uint32_t index; /* of the plan */
	uint32_t name;
	uint32_t first;
	uint16_t count;	    /* of parameters */
	uint8_t has_result; /* after them */
	uint8_t is_ended;   /* ends are recorded, with or without a result */
};

struct values_header {
	char magic[8];
	uint32_t size; /* of all, a multiple of 8 */
	uint32_t function_count, value_count, texts_size;
};

struct values { /* as read */
	const struct values_function *functions;
	const struct values_value *values;
	const char *texts;
	uint32_t function_count;
};

/* False: invalid.  index_end: of the plan's functions. */
bool values_read(const void *bytes, size_t size, uint64_t index_end, struct values *out);
/* NULL = no values of it are recorded. */
const struct values_function *values_find(const struct values *values, uint32_t index);

#endif
