/* Code that is made while a program runs, to call one function with a pointer more than its caller
 * has: closures of libffi, and those of compilers.  The processor's; where none is known, nothing
 * is such code.  Context: any. */
#ifndef KYMO_THUNK_H
#define KYMO_THUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_row;

/* Code of no module that only jumps on, as a function that has just been called.  False: it is
 * something else. */
bool unwind_row_by_thunk(const uint8_t *code, size_t size, struct cfi_row *row_out);

#endif
