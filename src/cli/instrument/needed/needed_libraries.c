/* Libraries breadth first, in the order of the loader. */
#include "cli/instrument/needed/needed_libraries.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/instrument/needed/needed_dynamic.h"

#define OBJECTS_MAX 2048u
#define CACHE_FILE  "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#define CACHE_MAX   (64L << 20)

struct object { /* that is loaded */
	char *path;
	const char *name; /* in DT_NEEDED; in the strings of its parent */
	size_t parent;	  /* the object that needs it; the program's: itself */
	struct needed_dynamic dynamic;
};

struct search {
	struct object *objects;
	size_t count, capacity;
	char *cache; /* NULL = not readable; NUL-terminated */
	size_t cache_size;
};

struct cache_header {
	char magic[20];
	uint32_t count, string_bytes, unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t key, value; /* from the header on */
	uint32_t unused;
	uint64_t variant; /* 0 = for all processors */
};

static void read_cache(struct search *search)
{
	int fd = open(CACHE_FILE, O_RDONLY | O_CLOEXEC);
	struct stat info;

	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && info.st_size > 0 && info.st_size < CACHE_MAX &&
	    (search->cache = malloc((size_t)info.st_size + 1))) {
		search->cache_size = (size_t)info.st_size;
		if (read(fd, search->cache, search->cache_size) == (ssize_t)search->cache_size) {
			search->cache[search->cache_size] = '\0';
		} else {
			free(search->cache);
			search->cache = NULL;
		}
	}
	close(fd);
}

/* Older C libraries put an older table before it. */
static const char *find_header(const struct search *search, struct cache_header *header)
{
	const char *at = search->cache ? memmem(search->cache, search->cache_size, CACHE_MAGIC,
						sizeof(CACHE_MAGIC) - 1)
				       : NULL;
	size_t left = at ? search->cache_size - (size_t)(at - search->cache) : 0;

	if (left < sizeof(*header))
		return NULL;
	memcpy(header, at, sizeof(*header));
	return header->count <= (left - sizeof(*header)) / sizeof(struct cache_entry) ? at : NULL;
}

static bool libraries_search_cache(struct search *search, const char *name, char path[PATH_MAX],
				   struct needed_dynamic *out)
{
	struct cache_header header;
	const char *begin = find_header(search, &header);
	size_t left = begin ? search->cache_size - (size_t)(begin - search->cache) : 0;

	for (uint32_t i = 0; begin && i < header.count; i++) {
		struct cache_entry entry;

		memcpy(&entry, begin + sizeof(header) + i * sizeof(entry), sizeof(entry));
		if (entry.variant != 0 || entry.key >= left || entry.value >= left ||
		    strcmp(begin + entry.key, name) != 0)
			continue;
		snprintf(path, PATH_MAX, "%s", begin + entry.value);
		if (needed_dynamic_read(path, out))
			return true;
	}
	return false;
}

/* $ORIGIN is the folder of the file that contains it; false: too long, or another variable. */
static bool libraries_expand(const char *text, size_t length, const char *origin, char *out,
			     size_t size)
{
	static const char *const keys[] = {"$ORIGIN", "${ORIGIN}"};
	char path[PATH_MAX];
	const char *folder;
	size_t used = 0;

	snprintf(path, sizeof(path), "%s", origin);
	folder = dirname(path);
	for (size_t i = 0; i < length;) {
		size_t key = 0;

		for (size_t k = 0; k < 2; k++)
			if (length - i >= strlen(keys[k]) &&
			    strncmp(text + i, keys[k], strlen(keys[k])) == 0)
				key = strlen(keys[k]);
		if (!key && text[i] == '$')
			return false;
		used += key ? (size_t)snprintf(out + used, size - used, "%s", folder) : 1;
		if (used >= size)
			return false;
		if (!key)
			out[used - 1] = text[i];
		i += key ? key : 1;
	}
	out[used] = '\0';
	return true;
}

/* Search the folders of a list; an empty item is the current folder. */
static bool libraries_search_folders(const char *list, const char *origin, const char *name,
				     char path[PATH_MAX], struct needed_dynamic *out)
{
	while (list && *list) {
		size_t length = strcspn(list, ":;");
		char folder[PATH_MAX];

		if (libraries_expand(list, length, origin, folder, sizeof(folder)) &&
		    snprintf(path, PATH_MAX, "%s/%s", folder[0] ? folder : ".", name) < PATH_MAX &&
		    needed_dynamic_read(path, out))
			return true;
		list += length + (list[length] != '\0');
	}
	return false;
}

/* Search the system's folders, the first being that of this process's own C library. */
static bool libraries_search_system(const char *name, char path[PATH_MAX],
				    struct needed_dynamic *out)
{
	static const char usual[] = "/lib64:/usr/lib64:/lib:/usr/lib";
	char folder[PATH_MAX] = "";
	Dl_info info;

	if (dladdr((void *)(uintptr_t)&malloc, &info) && info.dli_fname) {
		snprintf(folder, sizeof(folder), "%s", info.dli_fname);
		if (libraries_search_folders(dirname(folder), "/", name, path, out))
			return true;
	}
	return libraries_search_folders(usual, "/", name, path, out);
}

/* Search DT_RPATH of the file and of those that needed it, up to the first with a DT_RUNPATH. */
static bool libraries_search_rpaths(const struct search *search, size_t from, const char *name,
				    char path[PATH_MAX], struct needed_dynamic *out)
{
	if (search->objects[from].dynamic.runpath)
		return false;
	for (;; from = search->objects[from].parent) {
		const struct object *object = &search->objects[from];

		if (!object->dynamic.runpath &&
		    libraries_search_folders(object->dynamic.rpath, object->path, name, path, out))
			return true;
		if (from == 0)
			return false;
	}
}

static bool libraries_find(struct search *search, size_t from, const char *name,
			   char path[PATH_MAX], struct needed_dynamic *out)
{
	const struct object *object = &search->objects[from];

	if (strchr(name, '/'))
		return libraries_expand(name, strlen(name), object->path, path, PATH_MAX) &&
		       needed_dynamic_read(path, out);
	return libraries_search_rpaths(search, from, name, path, out) ||
	       libraries_search_folders(getenv("LD_LIBRARY_PATH"), object->path, name, path, out) ||
	       libraries_search_folders(object->dynamic.runpath, object->path, name, path, out) ||
	       libraries_search_cache(search, name, path, out) ||
	       libraries_search_system(name, path, out);
}

static bool libraries_is_loaded(const struct search *search, const char *name)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->objects[i].name && strcmp(search->objects[i].name, name) == 0)
			return true;
	return false;
}

static bool libraries_is_same_file(const struct search *search,
				   const struct needed_dynamic *dynamic)
{
	for (size_t i = 0; i < search->count; i++)
		if (search->objects[i].dynamic.device == dynamic->device &&
		    search->objects[i].dynamic.inode == dynamic->inode)
			return true;
	return false;
}

/* Takes ownership of dynamic. */
static bool libraries_add(struct search *search, const char *path, const char *name, size_t parent,
			  struct needed_dynamic *dynamic)
{
	struct object *grown = array_grow(search->objects, &search->capacity, search->count + 1,
					  sizeof(*search->objects));
	char *copy = strdup(path);

	if (grown)
		search->objects = grown;
	if (!grown || !copy) {
		free(copy);
		needed_dynamic_release(dynamic);
		return false;
	}
	grown[search->count++] = (struct object){copy, name, parent, *dynamic};
	return true;
}

static bool add_needed(struct search *search, size_t from)
{
	for (size_t i = 0; i < search->objects[from].dynamic.name_count; i++) {
		const char *name = search->objects[from].dynamic.names[i];
		struct needed_dynamic dynamic;
		char path[PATH_MAX];

		if (search->count >= OBJECTS_MAX || libraries_is_loaded(search, name) ||
		    !libraries_find(search, from, name, path, &dynamic))
			continue;
		if (libraries_is_same_file(search, &dynamic))
			needed_dynamic_release(&dynamic);
		else if (!libraries_add(search, path, name, from, &dynamic))
			return false;
	}
	return true;
}

static void libraries_release(struct search *search)
{
	for (size_t i = 0; i < search->count; i++) {
		free(search->objects[i].path);
		needed_dynamic_release(&search->objects[i].dynamic);
	}
	free(search->objects);
	free(search->cache);
}

enum kymo_status needed_libraries(const char *program, char ***paths_out, size_t *count_out)
{
	struct search search = {0};
	struct needed_dynamic dynamic;
	char **paths = NULL;
	size_t count = 0;
	bool is_right = true;

	if (needed_dynamic_read(program, &dynamic)) {
		read_cache(&search);
		is_right = libraries_add(&search, program, NULL, 0, &dynamic);
	}
	for (size_t i = 0; is_right && i < search.count; i++)
		is_right = add_needed(&search, i);
	for (size_t i = 1; is_right && i < search.count; i++)
		is_right = lines_add(&paths, &count, "%s", search.objects[i].path);
	libraries_release(&search);
	if (!is_right) {
		lines_free(paths, count);
		return KYMO_MEMORY;
	}
	*paths_out = paths;
	*count_out = count;
	return KYMO_OK;
}
