/* The name that a library has for itself (DT_SONAME), whatever its file is called.
 * Context: any thread. */
#ifndef KYMO_OWN_NAME_H
#define KYMO_OWN_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* False: it has none that fits, or cannot be read, also where Kymo was built without libelf. */
bool own_name_read(const char *path, char *name, size_t size);

#endif
