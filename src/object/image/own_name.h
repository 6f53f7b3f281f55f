/* The name that a library gives itself (DT_SONAME), independent of its file name.  Context: any
 * thread. */
#ifndef KYMO_OWN_NAME_H
#define KYMO_OWN_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* False: it has none that fits, or cannot be read, also if Kymo was built without libelf. */
bool own_name_read(const char *path, char *name, size_t size);

#endif
