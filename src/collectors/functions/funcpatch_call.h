/* Processor-specific: calls from trampolines into C and back, and their cost.  Implemented in the
 * folder of each processor. */
#ifndef KYMO_FUNCPATCH_CALL_H
#define KYMO_FUNCPATCH_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/apply/patchabi.h"

/* The addresses in the vector; use general registers only. */
void funcpatch_slow_enter(void);
void funcpatch_slow_exit(void);

/* Decrement *left in one instruction; true: it was 0. */
bool funcpatch_count_down(uint32_t *left);

/* Call function on another stack that ends at top, with all vector registers saved. */
void funcpatch_call_on(void (*function)(void *), void *argument, void *top);
/* Call function with the vector registers saved that compiled code uses. */
void funcpatch_call_kept(void (*function)(void *), void *argument);
/* Offset of the calling thread's patch_thread_state from its thread pointer. */
uint64_t funcpatch_thread_offset(void);
/* Detect the processor's features.  False: trampolines are not supported here. */
bool funcpatch_call_init(void);

/* x86_64/funcpatch_call.c: create a thread unknown to the C library.  function runs on the stack
 * that ends at top, with the thread pointer local; *id is cleared when it has ended.  Returns its
 * id, or negative. */
long funcpatch_thread_make(int (*function)(void *), void *top, uint64_t local, int32_t *id);
/* Create a process that shares this one's memory and ends without a signal; its stack ends at
 * top.  Returns its id, or negative. */
long funcpatch_process_make(int (*function)(void *), void *top);
uint64_t funcpatch_thread_pointer(void);
/* True for an address in a trampoline that a called-through function returns to. */
bool funcpatch_is_return_point(uint64_t address);
/* Correct the copy of the memory around a thread pointer, which is at another address: pointer. */
void funcpatch_thread_pointer_fix(uint64_t pointer);

#endif
