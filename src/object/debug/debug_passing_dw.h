/* How a value of a type is passed on x86-64 (System V), by its debug information.  When uncertain
 * it is unknown: then the locations of later values are unknown, too. */
#ifndef KYMO_DEBUG_PASSING_DW_H
#define KYMO_DEBUG_PASSING_DW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "object/debug/debug_values.h"

enum passing_way {
	PASSING_UNKNOWN,
	PASSING_NOTHING,   /* void */
	PASSING_REGISTERS, /* integers and vectors are the numbers of registers */
	PASSING_X87,	   /* in memory as a parameter, in st0 as a result */
	PASSING_MEMORY,	   /* of bytes; a result by a hidden pointer */
	PASSING_POINTER,   /* by a pointer to the caller's copy; likewise */
};

struct passing {
	enum passing_way way;
	uint8_t integers, vectors; /* registers */
	bool is_aligned;	   /* in memory: aligned to 16 bytes */
	uint64_t bytes;
	uint8_t kind, size; /* of struct values_value; kind 0 = it is not shown */
};

/* type: the one that an attribute refers to; NULL = void.  is_cxx: of C++, where classes may be
 * passed by pointers. */
void passing_of(Dwarf_Die *type, bool is_cxx, struct passing *out);

#endif
