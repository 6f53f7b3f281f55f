/* Code objects: their identity, names, lines and flags. */
#ifndef KYMO_PYCODE_H
#define KYMO_PYCODE_H

#include <stdbool.h>
#include <stdint.h>

#include "pystack/pystack.h"

struct pymemory;
struct pyruntime;

bool pycode_identify(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		     struct pycode_identity *out);

#define PYCODE_TEXT_MAX 1024u /* bytes of a name or path, longer ones are truncated */

struct pycode {
	char name[PYCODE_TEXT_MAX]; /* UTF-8, terminated */
	char qualname[PYCODE_TEXT_MAX];
	char filename[PYCODE_TEXT_MAX];
	uint32_t first_line, flags; /* flags: CO_* */
	uint64_t lines;		    /* address of the bytes of the line table */
	uint32_t lines_size;
};
/* Read with checked copies, also in the process itself.  False: not a code object. */
bool pycode_read(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		 struct pycode *out);

#endif
