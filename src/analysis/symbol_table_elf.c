/* Symbols by libelf: of the file itself, else of its separate debug file, else those that
 * the loader uses.  What a damaged file says of itself is checked by libelf; what it says
 * of its symbols is only compared and copied. */
#include "analysis/symbol_table.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

#define DEBUG_FOLDER   "/usr/lib/debug/.build-id"
#define BUILD_ID_BYTES 64
#define NAMES_MAX      UINT32_MAX

struct reading {
	struct symbol_table *table;
	size_t capacities[SYMBOL_KIND_COUNT];
	size_t name_bytes, name_capacity;
};

static Elf_Scn *section_of_type(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

/* ---- build ids ------------------------------------------------------------------------ */

/* The build id among notes, as hexadecimal digits; false when it is not there. */
static bool find_build_id(Elf_Data *data, char *text, size_t size)
{
	size_t at = 0, name, descriptor;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &descriptor)) > 0) {
		const unsigned char *bytes = (const unsigned char *)data->d_buf + descriptor;

		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((const char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0 ||
		    note.n_descsz == 0 || note.n_descsz * 2 >= size)
			continue;
		for (size_t i = 0; i < note.n_descsz; i++)
			snprintf(text + 2 * i, 3, "%02x", bytes[i]);
		return true;
	}
	return false;
}

static bool has_build_id(Elf *elf, const char *expected)
{
	char text[2 * BUILD_ID_BYTES + 1];
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		if (data && find_build_id(data, text, sizeof(text)))
			return strcmp(text, expected) == 0;
	}
	return false;
}

/* ---- symbols --------------------------------------------------------------------------- */

/* Offset of a copy of name; UINT32_MAX when there is no memory for it. */
static uint32_t keep_name(struct reading *reading, const char *name)
{
	size_t length = strlen(name) + 1, at = reading->name_bytes;
	char *names;

	if (length > NAMES_MAX - at)
		return UINT32_MAX;
	names = array_grow(reading->table->names, &reading->name_capacity, at + length, 1);
	if (!names)
		return UINT32_MAX;
	reading->table->names = names;
	memcpy(names + at, name, length);
	reading->name_bytes += length;
	return (uint32_t)at;
}

static bool keep_symbol(struct reading *reading, enum symbol_kind kind, const GElf_Sym *source,
			const char *name)
{
	struct symbol_table *table = reading->table;
	size_t count = table->counts[kind];
	struct symbol *symbols = array_grow(table->symbols[kind], &reading->capacities[kind],
					    count + 1, sizeof(*symbols));
	uint32_t name_at;

	if (!symbols)
		return false;
	table->symbols[kind] = symbols;
	name_at = keep_name(reading, name);
	if (name_at == UINT32_MAX)
		return false;
	symbols[count] = (struct symbol){source->st_value, source->st_size, name_at};
	table->counts[kind]++;
	return true;
}

static int kind_of(const GElf_Sym *symbol)
{
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0)
		return -1;
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_OBJECT:
	case STT_COMMON:
		return SYMBOL_DATA;
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return SYMBOL_FUNCTION;
	default:
		return -1;
	}
}

static bool read_section(struct reading *reading, Elf *elf, GElf_Word type)
{
	GElf_Shdr header;
	Elf_Scn *section = section_of_type(elf, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t size = data ? gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;

	for (size_t i = 1; size && i < data->d_size / size; i++) {
		const char *name;
		GElf_Sym symbol;
		int kind;

		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		kind = kind_of(&symbol);
		name = kind < 0 ? NULL : elf_strptr(elf, header.sh_link, symbol.st_name);
		if (name && *name && !keep_symbol(reading, (enum symbol_kind)kind, &symbol, name))
			return false;
	}
	return reading->name_bytes > 0;
}

static int by_start(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->size > b->size) - (a->size < b->size);
}

/* ---- files ----------------------------------------------------------------------------- */

/* True when symbols of that type of section were read. */
static bool read_file(struct reading *reading, const char *path, const char *build_id,
		      GElf_Word type)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool has_symbols = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF && (!build_id || has_build_id(elf, build_id)))
		has_symbols = read_section(reading, elf, type);
	elf_end(elf);
	close(fd);
	return has_symbols;
}

static bool read_debug_file(struct reading *reading, const char *build_id)
{
	char path[sizeof(DEBUG_FOLDER) + 2 * BUILD_ID_BYTES + 16];

	if (!build_id || strlen(build_id) < 3 || strlen(build_id) > 2 * (size_t)BUILD_ID_BYTES)
		return false;
	snprintf(path, sizeof(path), DEBUG_FOLDER "/%.2s/%s.debug", build_id, build_id + 2);
	return read_file(reading, path, build_id, SHT_SYMTAB);
}

bool symbol_table_read(const char *path, const char *build_id, struct symbol_table *table)
{
	struct reading reading = {.table = table};

	memset(table, 0, sizeof(*table));
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	if (!read_file(&reading, path, build_id, SHT_SYMTAB) &&
	    !read_debug_file(&reading, build_id) &&
	    !read_file(&reading, path, build_id, SHT_DYNSYM)) {
		symbol_table_release(table);
		return false;
	}
	for (int kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		if (table->counts[kind])
			qsort(table->symbols[kind], table->counts[kind], sizeof(struct symbol),
			      by_start);
	return true;
}

void symbol_table_release(struct symbol_table *table)
{
	for (int kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		free(table->symbols[kind]);
	free(table->names);
	memset(table, 0, sizeof(*table));
}
