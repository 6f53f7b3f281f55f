/* The symbols of one ELF file, sorted by address.  One header, two implementations: with libelf
 * (symbol_table_elf.c) and without (symbol_table_none.c). */
#ifndef KYMO_SYMBOL_TABLE_H
#define KYMO_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_kind { SYMBOL_DATA, SYMBOL_FUNCTION, SYMBOL_KIND_COUNT };

struct symbol {
	uint64_t start, size;	/* as in the file; functions: never 0, up to the next */
	uint32_t name;		/* offset into names */
	bool is_sizeless;	/* the file does not have its size */
	const char *plain_name; /* demangled, at first use */
};

struct symbol_table {
	struct symbol *symbols[SYMBOL_KIND_COUNT]; /* by start, the best name of equal ones last */
	size_t counts[SYMBOL_KIND_COUNT];
	char *names;
	bool is_whole; /* the file or its debug file has a full symbol table */
};

/* Read the symbols of the file at path, whose build id must be build_id (hexadecimal; NULL = any),
 * and names of the stubs through which it calls others: "f@plt".  False when there are none; table
 * is then empty.  The caller releases it. */
bool symbol_table_read(const char *path, const char *build_id, bool uses_debuginfod,
		       struct symbol_table *table);
void symbol_table_release(struct symbol_table *table);

/* The symbol that covers value, the innermost of several; NULL = none. */
struct symbol *symbol_table_find(const struct symbol_table *table, enum symbol_kind kind,
				 uint64_t value);

#endif
