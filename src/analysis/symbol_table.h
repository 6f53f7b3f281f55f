/* The symbols of one ELF file, sorted by address.  One header, two answers: with libelf
 * (symbol_table_elf.c) and without (symbol_table_none.c). */
#ifndef KYMO_SYMBOL_TABLE_H
#define KYMO_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/symbols.h"

struct symbol {
	uint64_t start, size; /* as the file has them; size 0 = unknown */
	uint32_t name;	      /* offset into names */
};

struct symbol_table {
	struct symbol *symbols[SYMBOL_KIND_COUNT]; /* by start */
	size_t counts[SYMBOL_KIND_COUNT];
	char *names;
};

/* Read the symbols of the file at path, whose build id must be build_id (hexadecimal;
 * NULL = any).  False when there are none to be had; table is then empty.  The caller
 * releases it. */
bool symbol_table_read(const char *path, const char *build_id, struct symbol_table *table);
void symbol_table_release(struct symbol_table *table);

#endif
