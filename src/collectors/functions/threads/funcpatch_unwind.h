/* Unwinding through trampolines: through call-throughs, and through displaced calls. */
#ifndef KYMO_FUNCPATCH_UNWIND_H
#define KYMO_FUNCPATCH_UNWIND_H

/* Find the loader's own functions.  Context: init. */
void funcpatch_unwind_init(void);

#endif
