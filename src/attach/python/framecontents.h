/* The contents of a thread's Python frames: local variables, and the words on their evaluation
 * stacks, of 3.8 to 3.13; from 3.14 on local variables only.
 *
 * Read from memory that may change concurrently: the results are addresses of objects, which
 * callers must check.  The caller owns the structs.  One thread. */
#ifndef KYMO_FRAMECONTENTS_H
#define KYMO_FRAMECONTENTS_H

#include "pystack/pyobject.h"

#define FRAMECONTENTS_WORDS 256u /* of a frame that are read */

struct framecontents {
	const struct pyobjects *objects;
	uint64_t frame, code;
	uint64_t words;	       /* address of the first variable */
	uint32_t variables;    /* how many there are, */
	uint32_t certain;      /* and the number of words on the stack after them that are certainly
				* in use */
	uint64_t names, kinds; /* objects; kinds from 3.11 on */
	uint64_t cells[2];     /* to 3.10: names of cells and of free variables */
	uint32_t counts[3];    /* to 3.10: of names and of these */
};

/* offset: of the instruction, as in struct pyframe.  False: it cannot be read. */
bool framecontents_open(struct framecontents *contents, const struct pyobjects *objects,
			uint64_t frame, uint64_t code, uint32_t offset);
/* Variable i: its name, and the object it refers to, 0 = unbound.  small_out, for a tagged integer:
 * true, and the integer is in *object_out.  False: there is no such variable. */
bool framecontents_variable(const struct framecontents *contents, uint32_t i, char *name,
			    size_t size, uint64_t *object_out, bool *is_number_out);
/* Word i of the stack; beyond contents->sure it may be stale.  0 = none. */
uint64_t framecontents_word(const struct framecontents *contents, uint32_t i);

#endif
