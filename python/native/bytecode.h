/* What the instruction at which a frame stands tells of its visit.
 *
 * From 3.11 on a visit begins with an instruction of its own, RESUME, which asks for signals
 * before it tells of itself (3.12 alone tells first): where a handler raises, the visit ends
 * and nobody heard of its beginning.
 * Context: hook, with the GIL held. */
#ifndef KYMO_BYTECODE_H
#define KYMO_BYTECODE_H

#include "compat.h"

#include <stdbool.h>

/* Whether signals are asked for before a visit is told. */
#define BYTECODE_ASKS_FIRST                                                                        \
	((PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000) ||                          \
	 PY_VERSION_HEX >= 0x030d0000)

/* True where a visit of code begins or goes on at offset, in bytes; false below 3.11. */
bool bytecode_is_resume(const PyCodeObject *code, int offset);

/* True where offset is of a yield and what follows it: a generator that stands there does not run,
 * though throw() shows it as the caller of what it delegates to.  False below 3.11. */
bool bytecode_is_suspended(const PyCodeObject *code, int offset);

/* The offset at which a visit begins, of what the interpreter says of the frame at its enter:
 * 0 for a call, else where the generator goes on. */
int bytecode_entry(const PyCodeObject *code, int offset);

#endif
