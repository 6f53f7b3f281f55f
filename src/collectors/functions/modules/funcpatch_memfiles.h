/* Plans without a cache: memfds that the command writes them into.  Context: init, or the
 * loader's hook. */
#ifndef KYMO_FUNCPATCH_MEMFILES_H
#define KYMO_FUNCPATCH_MEMFILES_H

#include <stddef.h>

struct funcpatch_found;

/* Open memfds for the modules with missing plans, as many as there are descriptors for; and
 * close them. */
void funcpatch_memfiles_open(struct funcpatch_found *found, size_t count);
void funcpatch_memfiles_close(struct funcpatch_found *found, size_t count);

#endif
