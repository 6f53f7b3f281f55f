/* Symbols by libelf: of the file itself, else of its separate debug file, else those of the loader
 * and of .gnu_debugdata.  libelf checks the structure of damaged files; values of symbols are only
 * compared and copied. */
#include "object/symbols/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "object/image/module_files.h"
#include "object/symbols/plt_stubs.h"

#define NAMES_MAX UINT32_MAX

/* How far before an address the symbol that encloses it may begin, counted in symbols. */
#define ENCLOSING_MAX 16

struct reading {
	struct symbol_table *table;
	size_t capacities[SYMBOL_KIND_COUNT];
	size_t name_bytes, name_capacity;
};

/* Offset of a copy of name with a suffix; UINT32_MAX when out of memory. */
static uint32_t elf_keep_name(struct reading *reading, const char *name, const char *suffix)
{
	size_t length = strlen(name), whole = length + strlen(suffix) + 1;
	size_t at = reading->name_bytes;
	char *names;

	if (whole > NAMES_MAX - at)
		return UINT32_MAX;
	names = array_grow(reading->table->names, &reading->name_capacity, at + whole, 1);
	if (!names)
		return UINT32_MAX;
	reading->table->names = names;
	memcpy(names + at, name, length);
	memcpy(names + at + length, suffix, whole - length);
	reading->name_bytes += whole;
	return (uint32_t)at;
}

static bool keep_symbol(struct reading *reading, enum symbol_kind kind, const struct symbol *source,
			const char *name, const char *suffix)
{
	struct symbol_table *table = reading->table;
	size_t count = table->counts[kind];
	struct symbol *symbols = array_grow(table->symbols[kind], &reading->capacities[kind],
					    count + 1, sizeof(*symbols));
	uint32_t name_at;

	if (!symbols)
		return false;
	table->symbols[kind] = symbols;
	name_at = elf_keep_name(reading, name, suffix);
	if (name_at == UINT32_MAX)
		return false;
	symbols[count] = *source;
	symbols[count].name = name_at;
	table->counts[kind]++;
	return true;
}

static int elf_kind_of(const GElf_Sym *symbol)
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

/* Assembler sources often omit the size of a function: it then extends to the next symbol, but not
 * beyond its section. */
static uint64_t space_after(Elf *elf, const GElf_Sym *symbol)
{
	Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
	GElf_Shdr header;

	if (!section || !gelf_getshdr(section, &header) || symbol->st_value < header.sh_addr ||
	    symbol->st_value - header.sh_addr >= header.sh_size)
		return 1;
	return header.sh_size - (symbol->st_value - header.sh_addr);
}

static bool read_section(struct reading *reading, Elf *elf, GElf_Word type)
{
	GElf_Shdr header;
	Elf_Scn *section = module_section(elf, NULL, type, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t size = data ? gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;

	for (size_t i = 1; size && i < data->d_size / size; i++) {
		struct symbol symbol = {0};
		const char *name;
		GElf_Sym source;
		int kind;

		if (!gelf_getsym(data, (int)i, &source))
			break;
		kind = elf_kind_of(&source);
		name = kind < 0 ? NULL : elf_strptr(elf, header.sh_link, source.st_name);
		if (!name || !*name)
			continue;
		symbol.start = source.st_value;
		symbol.size = source.st_size;
		symbol.is_sizeless = source.st_size == 0;
		if (symbol.is_sizeless && kind == SYMBOL_FUNCTION)
			symbol.size = space_after(elf, &source);
		if (!keep_symbol(reading, (enum symbol_kind)kind, &symbol, name, ""))
			return false;
	}
	return reading->name_bytes > 0;
}

/* Of several names at one address users see the one with the fewest leading underscores. */
static int elf_by_name(const char *left, const char *right)
{
	size_t left_lead = strspn(left, "_"), right_lead = strspn(right, "_");

	if (left_lead != right_lead)
		return left_lead > right_lead ? -1 : 1;
	return strcmp(right, left);
}

static int elf_by_start(const void *left, const void *right, void *names)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->is_sizeless != b->is_sizeless)
		return a->is_sizeless ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return elf_by_name((char *)names + a->name, (char *)names + b->name);
}

static void put_in_order(struct symbol_table *table)
{
	struct symbol *functions = table->symbols[SYMBOL_FUNCTION];
	uint64_t next = UINT64_MAX;

	for (int kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		if (table->counts[kind])
			qsort_r(table->symbols[kind], table->counts[kind], sizeof(struct symbol),
				elf_by_start, table->names);
	for (size_t i = table->counts[SYMBOL_FUNCTION]; i > 0; i--) {
		struct symbol *symbol = &functions[i - 1];

		if (i < table->counts[SYMBOL_FUNCTION] && functions[i].start != symbol->start)
			next = functions[i].start;
		if (symbol->is_sizeless && symbol->size > next - symbol->start)
			symbol->size = next - symbol->start;
	}
}

struct symbol *symbol_table_find(const struct symbol_table *table, enum symbol_kind kind,
				 uint64_t value)
{
	struct symbol *symbols = table->symbols[kind];
	size_t low = partition_point(table->counts[kind], i, symbols[i].start <= value);

	for (size_t i = low; i > 0 && low - i < ENCLOSING_MAX; i--) {
		uint64_t size = symbols[i - 1].size;

		if (value - symbols[i - 1].start < (size ? size : 1))
			return &symbols[i - 1];
	}
	return NULL;
}

static void keep_stub(const struct plt_stub *stub, void *context)
{
	struct symbol symbol = {.start = stub->start, .size = stub->size};
	struct reading *reading = context;
	const struct symbol *target = NULL;

	/* A function that chooses its own implementation (ifunc) is identified by its address. */
	if (!stub->function)
		target = symbol_table_find(reading->table, SYMBOL_FUNCTION, stub->target);
	if (stub->function || target)
		keep_symbol(reading, SYMBOL_FUNCTION, &symbol,
			    stub->function ? stub->function : reading->table->names + target->name,
			    "@plt");
}

/* The embedded symbols of a stripped file do not include those of the loader. */
static void read_symbols(struct reading *reading, struct module_files *files)
{
	Elf *own = files->own.elf, *debug = files->debug.elf, *mini;

	reading->table->is_whole = (own && read_section(reading, own, SHT_SYMTAB)) ||
				   (debug && read_section(reading, debug, SHT_SYMTAB));
	if (reading->table->is_whole || !own)
		return;
	read_section(reading, own, SHT_DYNSYM);
	mini = module_files_mini(files);
	if (mini)
		read_section(reading, mini, SHT_SYMTAB);
}

static bool elf_read_files(struct reading *reading, struct module_files *files)
{
	Elf *own = files->own.elf;

	read_symbols(reading, files);
	put_in_order(reading->table);
	if (own)
		plt_stubs_each(own, keep_stub, reading);
	put_in_order(reading->table);
	return reading->name_bytes > 0;
}

bool symbol_table_read(const char *path, const char *build_id, bool uses_debuginfod,
		       struct symbol_table *table)
{
	struct reading reading = {.table = table};
	struct module_files files;
	bool is_read;

	memset(table, 0, sizeof(*table));
	is_read = module_files_open(&files, path, build_id, uses_debuginfod) &&
		  elf_read_files(&reading, &files);
	module_files_close(&files);
	if (!is_read)
		symbol_table_release(table);
	return is_read;
}

void symbol_table_release(struct symbol_table *table)
{
	for (int kind = 0; kind < SYMBOL_KIND_COUNT; kind++)
		free(table->symbols[kind]);
	free(table->names);
	memset(table, 0, sizeof(*table));
}
