/* Which symbol covers an address: a cache of symbol tables, and names of the objects that threads
 * wait for. */
#include "model/code/symbols.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "object/names/cython_name.h"
#include "object/names/rust_name.h"
#include "object/symbols/symbol_table.h"

#define DEMANGLER_LIBRARY "libstdc++.so.6"
#define PLT_SUFFIX	  "@plt"

struct file { /* one module's file, of one build */
	char *path;
	char *build_id; /* NULL = unknown */
	struct symbol_table table;
};

struct symbols {
	struct file *files;
	size_t file_count, file_capacity;
	char **names; /* demangled and composed ones */
	size_t name_count;
	char *(*demangle)(const char *name, char *buffer, size_t *length, int *status);
	bool has_looked; /* for the demangler */
	bool uses_debuginfod;
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; i < symbols->file_count; i++) {
		symbol_table_release(&symbols->files[i].table);
		free(symbols->files[i].path);
		free(symbols->files[i].build_id);
	}
	free(symbols->files);
	lines_free(symbols->names, symbols->name_count);
	free(symbols);
}

void symbols_use_debuginfod(struct symbols *symbols)
{
	symbols->uses_debuginfod = true;
}

static bool symbols_is_same(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

static struct file *symbols_file_of(struct symbols *symbols, const struct module *module)
{
	struct file *files, *file;

	for (size_t i = 0; i < symbols->file_count; i++)
		if (symbols_is_same(symbols->files[i].path, module->path) &&
		    symbols_is_same(symbols->files[i].build_id, module->build_id))
			return &symbols->files[i];
	files = array_grow(symbols->files, &symbols->file_capacity, symbols->file_count + 1,
			   sizeof(*files));
	if (!files)
		return NULL;
	symbols->files = files;
	file = &files[symbols->file_count];
	*file = (struct file){.path = strdup(module->path)};
	if (module->build_id)
		file->build_id = strdup(module->build_id);
	if (!file->path || (module->build_id && !file->build_id)) {
		free(file->path);
		free(file->build_id);
		return NULL;
	}
	symbols->file_count++;
	symbol_table_read(file->path, file->build_id, symbols->uses_debuginfod, &file->table);
	return file;
}

/* The C++ runtime library has the demangler; it is installed where C++ programs run. */
static void find_demangler(struct symbols *symbols)
{
	void *library;

	if (symbols->has_looked)
		return;
	symbols->has_looked = true;
	library = dlopen(DEMANGLER_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	if (library)
		*(void **)&symbols->demangle = dlsym(library, "__cxa_demangle");
}

static const char *symbols_keep(struct symbols *symbols, const char *text)
{
	return lines_add(&symbols->names, &symbols->name_count, "%s", text)
		       ? symbols->names[symbols->name_count - 1]
		       : NULL;
}

/* A suffix that the compiler appends to the name of a part or clone of a function. */
static bool is_variant(const char *suffix)
{
	static const char *const words[] = {".cold",	 ".part.",	".constprop.", ".isra.",
					    ".lto_priv", ".localalias", ".llvm."};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strncmp(suffix, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* The length of the name without its version, "@@GLIBC_2.2.5", and the compiler's suffixes. */
static size_t symbols_bare_length(const char *name)
{
	size_t length = *name ? 1 + strcspn(name + 1, "@") : 0;

	for (size_t i = 1; i < length; i++)
		if (name[i] == '.' && is_variant(name + i))
			return i;
	return length;
}

static char *demangled(struct symbols *symbols, const char *name)
{
	int status = -1;
	char *plain;

	find_demangler(symbols);
	plain = symbols->demangle ? symbols->demangle(name, NULL, NULL, &status) : NULL;
	if (plain && status == 0)
		return plain;
	free(plain);
	return NULL;
}

/* "__module_MOD_procedure", as GNU Fortran calls it. */
static char *fortran_name(const char *name)
{
	const char *middle = strstr(name, "_MOD_");
	char *plain = NULL;

	if (!middle || middle == name + 2 ||
	    asprintf(&plain, "%.*s::%s", (int)(middle - name - 2), name + 2, middle + 5) < 0)
		return NULL;
	return plain;
}

/* Demangle names of languages other than C; NULL: it is none of these. */
static char *symbols_plain_name(struct symbols *symbols, const char *path, const char *bare)
{
	char *plain, *python;

	plain = rust_name(bare);
	if (plain)
		return plain;
	if (strncmp(bare, "_Z", 2) != 0) {
		if (strncmp(bare, "__", 2) != 0)
			return NULL;
		python = cython_name(bare, path);
		return python ? python : fortran_name(bare);
	}
	plain = demangled(symbols, bare);
	python = plain ? cython_name(plain, path) : NULL; /* compiled as C++ */
	if (python)
		free(plain);
	return python ? python : plain;
}

const char *symbols_readable_in(struct symbols *symbols, const char *path, const char *name)
{
	size_t length = strlen(name), stub = strlen(PLT_SUFFIX);
	bool is_stub = length > stub && strcmp(name + length - stub, PLT_SUFFIX) == 0;
	char *bare = strndup(name, symbols_bare_length(name)), *plain = NULL, *whole = NULL;
	const char *kept = NULL;

	if (!bare)
		return name;
	plain = symbols_plain_name(symbols, path, bare);
	if (asprintf(&whole, "%s%s", plain ? plain : bare, is_stub ? PLT_SUFFIX : "") >= 0) {
		kept = strcmp(whole, name) == 0 ? name : symbols_keep(symbols, whole);
		free(whole);
	}
	free(bare);
	free(plain);
	return kept ? kept : name;
}

const char *symbols_readable(struct symbols *symbols, const char *name)
{
	return symbols_readable_in(symbols, NULL, name);
}

const struct module *symbols_module_at(const struct recording *recording, uint64_t address)
{
	for (size_t i = recording->module_count; i > 0; i--) {
		const struct module *module = &recording->modules[i - 1];

		if (address >= module->start && address < module->end)
			return module;
	}
	return NULL;
}

bool symbols_find(struct symbols *symbols, const struct module *module, enum symbol_kind kind,
		  uint64_t address, const char **name_out, uint64_t *offset_out)
{
	const struct file *file = symbols_file_of(symbols, module);
	uint64_t value = address - module->bias;
	struct symbol *symbol = file ? symbol_table_find(&file->table, kind, value) : NULL;

	if (!symbol)
		return false;
	if (!symbol->plain_name)
		symbol->plain_name = symbols_readable_in(symbols, module->path,
							 file->table.names + symbol->name);
	*offset_out = value - symbol->start;
	*name_out = symbol->plain_name;
	return true;
}

bool symbols_are_whole(struct symbols *symbols, const struct module *module)
{
	const struct file *file = symbols_file_of(symbols, module);

	return file && file->table.is_whole;
}

char *symbols_describe(struct symbols *symbols, const struct recording *recording, uint64_t address)
{
	const struct module *module = symbols_module_at(recording, address);
	const char *name;
	uint64_t offset;
	char *text;
	int length;

	if (!module)
		return NULL;
	if (!symbols_find(symbols, module, SYMBOL_DATA, address, &name, &offset))
		length = asprintf(&text, "%s+0x%" PRIx64, path_shown_name(module->name),
				  address - module->bias);
	else if (offset)
		length = asprintf(&text, "&%s+%" PRIu64, name, offset);
	else
		length = asprintf(&text, "&%s", name);
	return length >= 0 ? text : NULL;
}

/* The address in "(0x7f…)"; 0 if there is none. */
static uint64_t address_in(const char *arguments)
{
	char *end;
	uint64_t address;

	if (!arguments || strncmp(arguments, "(0x", 3) != 0)
		return 0;
	address = strtoull(arguments + 3, &end, 16);
	return strcmp(end, ")") == 0 ? address : 0;
}

void symbols_name_objects(struct symbols *symbols, struct recording *recording)
{
	for (uint32_t id = 0; id < recording->region_count; id++) {
		struct region *region = &recording->regions[id];
		uint64_t address =
			region->flags & KYMO_REGION_OBJECT ? address_in(region->arguments) : 0;
		char *text = address ? symbols_describe(symbols, recording, address) : NULL;

		if (!text)
			continue;
		if (lines_add(&recording->texts, &recording->text_count, "(%s)", text))
			region->arguments = recording->texts[recording->text_count - 1];
		free(text);
	}
}

/* Threads and conditions: a program may make any number of them. */
static bool is_passing(const struct region *region)
{
	return strstr(region->name, "join") || strstr(region->name, "cond_") ||
	       strstr(region->name, "cnd_");
}

void recording_group_objects(struct recording *recording)
{
	for (uint32_t id = 0; id < recording->region_count; id++) {
		struct region *region = &recording->regions[id];

		if (region->flags & KYMO_REGION_OBJECT && address_in(region->arguments) &&
		    is_passing(region))
			region->arguments = NULL;
	}
}
