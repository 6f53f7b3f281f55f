/* Unwinders meet frames of trampolines: where a function's body is called by one, and where a
 * call was displaced into one. */
#ifndef KYMO_FUNCPATCH_UNWIND_H
#define KYMO_FUNCPATCH_UNWIND_H

/* Find the loader's own functions.  Context: init. */
void funcpatch_unwind_init(void);

#endif
