/* Modules of regions, from what is recorded of them.
 *
 * A Python function has a file but no package.  In a folder of installed packages or of the
 * standard library, the package is the next component of the path; elsewhere a folder is a package
 * if code of its __init__.py was recorded, and the outermost such folder is the package.  Other
 * files are scripts or modules of their own. */
#include "model/profile/module_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/hashset.h"
#include "base/text/utf8.h"
#include "model/findings/activity.h"

#define NAME_BYTES 256
#define INIT_FILE  "/__init__.py"

struct builder {
	const struct region_union *regions;
	struct module_table *table;
	struct hashset names;	 /* values are indexes + 1 */
	struct hashset packages; /* folders: values are regions + 1 with their INIT_FILE */
};

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t own = strlen(end);

	return length >= own && memcmp(text + length - own, end, own) == 0;
}

struct folder {
	const struct region_union *regions;
	const char *path;
	size_t length;
};

static bool is_folder(uint64_t value, const void *key)
{
	const struct folder *folder = key;
	const char *file = folder->regions->regions[value - 1]->file;

	return strlen(file) == folder->length + strlen(INIT_FILE) &&
	       memcmp(file, folder->path, folder->length) == 0;
}

static bool is_package(const struct builder *builder, const char *path, size_t length)
{
	struct folder folder = {builder->regions, path, length};

	return hashset_find(&builder->packages, hash_bytes(HASH_SEED, path, length), is_folder,
			    &folder) != 0;
}

static bool note_package(struct builder *builder, uint32_t region)
{
	const char *file = builder->regions->regions[region]->file;
	size_t length = file ? strlen(file) : 0;

	if (!file || !ends_in(file, length, INIT_FILE))
		return true;
	length -= strlen(INIT_FILE);
	if (is_package(builder, file, length))
		return true;
	return hashset_insert(&builder->packages, hash_bytes(HASH_SEED, file, length),
			      (uint64_t)region + 1);
}

/* The path below the last folder of installed packages, or of the standard library; else NULL. */
static const char *below_library(const char *file)
{
	const char *found = NULL, *at;

	for (at = file; (at = strstr(at, "-packages/")); at += strlen("-packages/"))
		found = at + strlen("-packages/");
	for (at = file; !found && (at = strstr(at, "/lib/python")); at++) {
		const char *version = at + strlen("/lib/python");
		size_t length = strspn(version, "0123456789.");

		if (length > 0 && version[length] == '/')
			found = version + length + 1;
	}
	return found && *found ? found : NULL;
}

/* The outermost package that contains the file, or else its base name. */
static const char *outermost_package(const struct builder *builder, const char *file)
{
	const char *slash = strrchr(file, '/'), *begin = path_base_name(file);

	while (slash && slash > file && is_package(builder, file, (size_t)(slash - file))) {
		const char *up = memrchr(file, '/', (size_t)(slash - file));

		begin = up ? up + 1 : file;
		slash = up;
	}
	return begin;
}

/* "<frozen importlib._bootstrap>" is importlib, "<string>" stays. */
static void name_unfiled(const char *file, char *name, size_t size)
{
	static const char frozen[] = "<frozen ";
	const char *begin = file + strlen(frozen);

	if (strncmp(file, frozen, strlen(frozen)) == 0)
		snprintf(name, size, "%.*s", (int)strcspn(begin, ".>"), begin);
	else
		snprintf(name, size, "%s", file);
}

static void name_python(const struct builder *builder, const char *file, char *name, size_t size)
{
	const char *begin = *file == '<' ? NULL : below_library(file);
	size_t length;

	if (*file == '<') {
		name_unfiled(file, name, size);
		return;
	}
	if (!begin)
		begin = outermost_package(builder, file);
	length = strcspn(begin, "/");
	if (begin[length] == '\0' && length > 3 && ends_in(begin, length, ".py"))
		length -= 3;
	snprintf(name, size, "%.*s", (int)length, begin);
}

static void name_library(const char *path, const char *fallback, char *name, size_t size)
{
	snprintf(name, size, "%s", path ? path_shown_name(path) : fallback);
}

/* Methods of built-in types have the type's name, without a module if it is in builtins. */
static void table_name_builtin(const struct region *region, char *name, size_t size)
{
	const char *module = region->module ? region->module : "builtins";

	if (region->kind == KYMO_REGION_PYTHON_METHOD && !strchr(module, '.'))
		module = "builtins";
	snprintf(name, size, "%.*s", (int)strcspn(module, "."), module);
}

/* Samples have frames outside of any file. */
static const char *unmapped(const char *name)
{
	if (strstr(name, " (kernel)"))
		return "(kernel)";
	return strncmp(name, "[waits", 6) == 0 ? "(waiting)" : "(unknown)";
}

static void name_module(const struct builder *builder, const struct region *region, char *name,
			size_t size)
{
	switch (region->kind) {
	case KYMO_REGION_PYTHON_C:
	case KYMO_REGION_PYTHON_METHOD:
		table_name_builtin(region, name, size);
		return;
	case KYMO_REGION_PYTHON:
		if (region->file)
			name_python(builder, region->file, name, size);
		else
			snprintf(name, size,
				 activity_is_import(region) ? "(imports)" : "(unknown)");
		return;
	case KYMO_REGION_PTHREAD:
		snprintf(name, size, "(threads and waiting)");
		return;
	case KYMO_REGION_MPI:
		snprintf(name, size, "(MPI)");
		return;
	case KYMO_REGION_IO:
		snprintf(name, size, "(input and output)");
		return;
	case KYMO_REGION_PROGRAM:
		name_library(region->module, region->name, name, size);
		return;
	case KYMO_REGION_NATIVE:
		name_library(region->module, unmapped(region->name), name, size);
		return;
	case KYMO_REGION_ROOT: /* time in no region: see profile/time_base.h */
		snprintf(name, size, "%s", region->name);
		return;
	case KYMO_REGION_USER:
	case KYMO_REGION_TASK:
	case KYMO_REGION_PHASE:
	case KYMO_REGION_PARAMETER:
	case KYMO_REGION_PROGRESS:
	case KYMO_REGION_INSTANT:
		snprintf(name, size, "(annotated regions)");
		return;
	}
	snprintf(name, size, "(unknown)");
}

struct name_key {
	const struct module_table *table;
	const char *name;
};

static bool table_is_name(uint64_t value, const void *key)
{
	const struct name_key *wanted = key;

	return strcmp(wanted->table->names[value - 1], wanted->name) == 0;
}

static bool table_find_module(struct builder *builder, const char *name, uint32_t *module_out)
{
	struct module_table *table = builder->table;
	struct name_key key = {table, name};
	uint64_t hash = hash_bytes(HASH_SEED, name, strlen(name));
	uint64_t value = hashset_find(&builder->names, hash, table_is_name, &key);
	size_t count = table->count;

	if (value == 0) {
		if (!lines_add(&table->names, &count, "%s", name) ||
		    !hashset_insert(&builder->names, hash, count))
			return false;
		table->count = (uint32_t)count;
		value = count;
	}
	*module_out = (uint32_t)(value - 1);
	return true;
}

static bool name_region(struct builder *builder, uint32_t region)
{
	char raw[NAME_BYTES], name[NAME_BYTES];

	name_module(builder, builder->regions->regions[region], raw, sizeof(raw));
	utf8_clean(*raw ? raw : "(unknown)", name, sizeof(name));
	return table_find_module(builder, name, &builder->table->of[region]);
}

static bool table_build(struct builder *builder)
{
	const struct region_union *regions = builder->regions;

	if (!builder->table)
		return false;
	builder->table->of = calloc((size_t)regions->count + 1, sizeof(*builder->table->of));
	if (!builder->table->of)
		return false;
	for (uint32_t i = 0; i < regions->count; i++)
		if (!note_package(builder, i))
			return false;
	for (uint32_t i = 0; i < regions->count; i++)
		if (!name_region(builder, i))
			return false;
	return true;
}

enum kymo_status module_table_new(const struct region_union *regions, struct module_table **out)
{
	struct builder builder = {
		.regions = regions,
		.table = calloc(1, sizeof(*builder.table)),
	};
	bool is_complete = table_build(&builder);

	hashset_release(&builder.names);
	hashset_release(&builder.packages);
	if (!is_complete) {
		module_table_free(builder.table);
		return KYMO_MEMORY;
	}
	*out = builder.table;
	return KYMO_OK;
}

void module_table_free(struct module_table *table)
{
	if (!table)
		return;
	lines_free(table->names, table->count);
	free(table->of);
	free(table);
}
