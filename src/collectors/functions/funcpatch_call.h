/* What the processor answers: the way from trampolines into C and back, and what that costs.
 * Each folder of a processor has it. */
#ifndef KYMO_FUNCPATCH_CALL_H
#define KYMO_FUNCPATCH_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/apply/patchabi.h"

/* What the vector names; general registers alone are touched. */
void funcpatch_slow_enter(void);
void funcpatch_slow_exit(void);

/* One was taken off *left in one step; true: there was none. */
bool funcpatch_count_down(uint32_t *left);

/* Call function on another stack that ends at top, with all vector registers kept. */
void funcpatch_call_on(void (*function)(void *), void *argument, void *top);
/* Call function with the vector registers kept that compiled code uses. */
void funcpatch_call_kept(void (*function)(void *), void *argument);
/* Distance of the calling thread's patch_thread_state from its thread pointer. */
uint64_t funcpatch_thread_offset(void);
/* Look what the processor has.  False: trampolines cannot be served here. */
bool funcpatch_call_init(void);

/* x86_64/funcpatch_call.c: a thread that the C library does not know.  function runs on
 * the stack that ends at top, with the thread pointer local; *id is cleared when it has ended.
 * Its id, or negative. */
long funcpatch_thread_make(int (*function)(void *), void *top, uint64_t local, int32_t *id);
/* A process that shares this one's memory and ends without a signal; its stack ends at top.  Its
 * id, or negative. */
long funcpatch_process_make(int (*function)(void *), void *top);
uint64_t funcpatch_thread_pointer(void);
/* True of an address in a trampoline where a function that it calls through comes back to. */
bool funcpatch_is_return_point(uint64_t address);
/* The copy of the memory around a thread pointer is at another address: pointer. */
void funcpatch_thread_pointer_fix(uint64_t pointer);

#endif
