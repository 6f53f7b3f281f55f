/* The shadow stack: the return addresses of called-through calls. */
#ifndef KYMO_FUNCPATCH_SHADOW_H
#define KYMO_FUNCPATCH_SHADOW_H

#include <stdint.h>

/* Shadow slots of return addresses: vector.shadow_start, for further calls; and the start of
 * those of open calls. */
uint64_t funcpatch_shadow_start(void);
uint64_t funcpatch_shadow_floor(void);
/* Map them, once, when a function needs them. */
void funcpatch_shadow_map(void);
/* Include those of the stack that ends at top in core files. */
void funcpatch_shadow_show(uint64_t top);
/* Check whether a library was loaded with which no function can be called through.  Context:
 * init, or the loader's hook. */
void funcpatch_shadow_check_libraries(void);
/* The program limits its memory: no function is called through from now on, and what no open
 * call uses is released.  Context: thread. */
void funcpatch_shadow_limit(void);

#endif
