/* Plans without a cache: files without a name that the command writes them into.
 * Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_HANDS_H
#define KYMO_FUNCPATCH_HANDS_H

#include <stddef.h>

struct funcpatch_found;

/* Give those modules whose plans are missing their hands, as many as there are descriptors for; and
 * close them. */
void funcpatch_hands_open(struct funcpatch_found *found, size_t count);
void funcpatch_hands_close(struct funcpatch_found *found, size_t count);

#endif
