/* The names by which another process asked for its files: platform/loadednames.h, with what /proc
 * tells of it.  The caller owns it.  One thread. */
#ifndef KYMO_TARGETNAMES_H
#define KYMO_TARGETNAMES_H

#include "attach/target/targetmaps.h"

struct targetnames;

/* As they are now; NULL: nothing can be known, or there is no memory. */
struct targetnames *targetnames_new(pid_t pid);
void targetnames_free(struct targetnames *names);

/* NULL: the module's own path.  Valid until the next call. */
const char *targetnames_find(struct targetnames *names, const struct targetmodule *module);

#endif
