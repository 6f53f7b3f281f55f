/* Redirecting callers of a library's exported functions to trampolines.  Context: init, or the
 * loader's hook. */
#ifndef KYMO_FUNCPATCH_BIND_H
#define KYMO_FUNCPATCH_BIND_H

struct funcpatch_module;

/* Redirect all callers of the library's functions, now and later. */
void funcpatch_bind(struct funcpatch_module *module);

#endif
