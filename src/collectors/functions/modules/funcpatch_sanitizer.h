/* Sanitizers that a program was built with: they are initialised before Kymo, and intercept every
 * call of the C library. */
#ifndef KYMO_FUNCPATCH_SANITIZER_H
#define KYMO_FUNCPATCH_SANITIZER_H

#include <stdbool.h>

/* Called before anything of the C library is.  Context: init. */
void funcpatch_sanitizer_init(void);
/* The program was built with a sanitizer whose reports contain callers.  Context: init. */
bool funcpatch_is_sanitized(void);

#endif
