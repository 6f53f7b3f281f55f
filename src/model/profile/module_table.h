/* The module of every region: the Python package or script by its file, the module of a built-in
 * function, the library of native code.
 *
 * Owns the names.  Read-only once made. */
#ifndef KYMO_MODULE_TABLE_H
#define KYMO_MODULE_TABLE_H

#include "model/profile/region_union.h"

struct module_table {
	char **names; /* printable */
	uint32_t count;
	uint32_t *of; /* per region of the union: index into names */
};

enum kymo_status module_table_new(const struct region_union *regions, struct module_table **out);
void module_table_free(struct module_table *table);

#endif
