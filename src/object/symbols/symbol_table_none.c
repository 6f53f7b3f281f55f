/* Without libelf there are no symbols. */
#include "object/symbols/symbol_table.h"

#include <string.h>

bool symbol_table_read(const char *path, const char *build_id, bool uses_debuginfod,
		       struct symbol_table *table)
{
	(void)uses_debuginfod;
	(void)path;
	(void)build_id;
	memset(table, 0, sizeof(*table));
	return false;
}

void symbol_table_release(struct symbol_table *table)
{
	(void)table;
}

struct symbol *symbol_table_find(const struct symbol_table *table, enum symbol_kind kind,
				 uint64_t value)
{
	(void)table;
	(void)kind;
	(void)value;
	return NULL;
}
