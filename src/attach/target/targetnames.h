/* The paths by which another process opened its files: platform/loadednames.h, applied to /proc.
 * The caller owns it.  One thread. */
#ifndef KYMO_TARGETNAMES_H
#define KYMO_TARGETNAMES_H

#include "attach/target/targetmaps.h"

struct targetnames;

/* The current ones; NULL: unavailable, or out of memory. */
struct targetnames *targetnames_new(pid_t pid);
void targetnames_free(struct targetnames *names);

/* NULL: the module's own path.  Valid until the next call. */
const char *targetnames_find(struct targetnames *names, const struct targetmodule *module);

#endif
