/* Code generated at run time to call one function with an additional pointer: closures of libffi,
 * and trampolines of compilers.  Processor-specific; without an implementation no code is
 * recognised.  Context: any. */
#ifndef KYMO_THUNK_H
#define KYMO_THUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_row;

/* Code outside of modules that only jumps on: the stack is as at a function's entry.  False: it is
 * something else. */
bool unwind_row_by_thunk(const uint8_t *code, size_t size, struct cfi_row *row_out);

#endif
