/* What the current instruction of a frame reveals about its visit.
 *
 * From 3.11 on a visit begins with an instruction of its own, RESUME, which handles signals before
 * it notifies the hooks (only 3.12 notifies first): if a signal handler raises, the visit ends
 * without an event of its beginning.  Context: hook, with the GIL held. */
#ifndef KYMO_BYTECODE_H
#define KYMO_BYTECODE_H

#include "compat.h"

#include <stdbool.h>

/* Whether signals are handled before the event of a visit. */
#define BYTECODE_SIGNALS_FIRST                                                                     \
	((PY_VERSION_HEX >= 0x030b0000 && PY_VERSION_HEX < 0x030c0000) ||                          \
	 PY_VERSION_HEX >= 0x030d0000)

/* True if a visit of code begins or resumes at offset, in bytes; false before 3.11. */
bool bytecode_is_resume(const PyCodeObject *code, int offset);

/* True at a yield and the instruction after it: a generator at this offset is suspended, though
 * throw() makes it the caller of what it delegates to.  False before 3.11. */
bool bytecode_is_suspended(const PyCodeObject *code, int offset);

/* The offset at which a visit begins, from the frame's offset at its enter: 0 for a call, else
 * where the generator resumes. */
int bytecode_entry(const PyCodeObject *code, int offset);

#endif
