/* /proc/PID/maps, and its files as the process itself sees them: it may be in a container, and
 * files may have been replaced or deleted since they were mapped. */
#include "attach/target/targetmaps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "platform/files/regularfile.h"
#include "platform/proc/proc_maps.h"

#define MEMORY_IMAGE_MAX (UINT64_C(512) << 20)
#define HEAD		 4096u

struct reading {
	struct targetmaps *maps;
	size_t used, capacity; /* of the paths */
	size_t last;	       /* path: mappings of one file are consecutive */
	bool is_out_of_memory;
};

/* Offset of the path among the others; SIZE_MAX: out of memory. */
static size_t targetmaps_keep_path(struct reading *reading, const char *path)
{
	size_t size = strlen(path) + 1;
	char *grown;

	if (reading->used && strcmp(reading->maps->text + reading->last, path) == 0)
		return reading->last;
	grown = array_grow(reading->maps->text, &reading->capacity, reading->used + size, 1);
	if (!grown)
		return SIZE_MAX;
	reading->maps->text = grown;
	memcpy(grown + reading->used, path, size);
	reading->last = reading->used;
	reading->used += size;
	return reading->last;
}

static bool targetmaps_take(const struct proc_map *from, const char *path, void *context)
{
	struct reading *reading = context;
	struct targetmaps *maps = reading->maps;
	struct targetmap *grown =
		array_grow(maps->maps, &maps->capacity, maps->count + 1, sizeof(*grown));
	size_t at = grown ? targetmaps_keep_path(reading, path) : SIZE_MAX;

	if (grown)
		maps->maps = grown;
	reading->is_out_of_memory = at == SIZE_MAX;
	if (reading->is_out_of_memory)
		return false;
	grown[maps->count++] = (struct targetmap){
		.start = from->start,
		.end = from->end,
		.offset = from->offset,
		.device = makedev(from->device_major, from->device_minor),
		.inode = from->inode,
		.is_readable = from->protection & PROT_READ,
		.is_writable = from->protection & PROT_WRITE,
		.is_executable = from->protection & PROT_EXEC,
		.path_at = at,
	};
	return true;
}

/* Set pointers to the paths, which do not move any more, without the kernel's suffixes. */
static void targetmaps_set_paths(struct targetmaps *maps)
{
	for (size_t i = 0; i < maps->count; i++) {
		struct targetmap *map = &maps->maps[i];
		char *path = maps->text + map->path_at;
		bool is_same = i > 0 && map->path_at == map[-1].path_at;
		size_t length = is_same ? SIZE_MAX : proc_maps_deleted(path);

		map->path = path;
		map->is_deleted = is_same ? map[-1].is_deleted : length != SIZE_MAX;
		if (length != SIZE_MAX)
			path[length] = '\0';
	}
}

/* 0 or an errno value. */
static int targetmaps_parse(struct targetmaps *maps)
{
	struct reading reading = {.maps = maps};
	char path[PATH_MAX + sizeof(PROC_MAPS_DELETED)];
	int error = proc_maps_each(maps->pid, path, sizeof(path), targetmaps_take, &reading);

	targetmaps_set_paths(maps);
	return reading.is_out_of_memory ? ENOMEM : error;
}

static struct elfimage *head_image(struct remote *remote, uint64_t address)
{
	unsigned char *bytes = malloc(HEAD);

	if (!bytes || !remote_read(remote, address, bytes, HEAD)) {
		free(bytes);
		return NULL;
	}
	return elfimage_from_bytes(bytes, HEAD);
}

/* Begin the module of a mapping of a file's start; false: it is no ELF file. */
static bool targetmaps_begin_module(struct targetmaps *maps, uint32_t first, struct remote *remote)
{
	const struct targetmap *map = &maps->maps[first];
	struct elfimage *image = head_image(remote, map->start);
	struct targetmodule *modules;
	uint64_t low, high;
	bool is_module = image && elfimage_span(image, &low, &high);

	elfimage_free(image);
	if (!is_module)
		return false;
	modules = array_grow(maps->modules, &maps->module_capacity, maps->module_count + 1,
			     sizeof(*modules));
	if (!modules)
		return false;
	maps->modules = modules;
	modules[maps->module_count++] = (struct targetmodule){
		.start = map->start,
		.end = map->start - low + high,
		.bias = map->start - low,
		.first = first,
		.path = map->path,
	};
	return true;
}

static bool runs(const struct targetmaps *maps, const struct targetmodule *module)
{
	for (size_t i = module->first; i < maps->count; i++) {
		if (maps->maps[i].start >= module->end)
			return false;
		if (maps->maps[i].is_executable)
			return true;
	}
	return false;
}

/* A file, or the vdso. */
static bool may_begin(const struct targetmap *map)
{
	return map->offset == 0 && map->is_readable &&
	       (map->path[0] == '/' || strcmp(map->path, "[vdso]") == 0);
}

/* A file that is mapped for reading covers less address space than its segments would: what follows
 * it is another module. */
static void end_at_the_next(struct targetmaps *maps, struct targetmodule *module,
			    struct remote *remote)
{
	const struct targetmap *own = &maps->maps[module->first];
	unsigned char magic[SELFMAG];

	for (size_t i = module->first; i < maps->count && maps->maps[i].start < module->end; i++) {
		const struct targetmap *map = &maps->maps[i];

		if (map->offset == 0 && map->path[0] == '/' && map->is_readable &&
		    (map->inode != own->inode || map->device != own->device) &&
		    remote_read(remote, map->start, magic, sizeof(magic)) &&
		    memcmp(magic, ELFMAG, SELFMAG) == 0)
			module->end = map->start;
	}
}

static void targetmaps_find_modules(struct targetmaps *maps, struct remote *remote)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < maps->count; i++) {
		const struct targetmap *map = &maps->maps[i];

		if (!may_begin(map) || map->start < end ||
		    !targetmaps_begin_module(maps, i, remote))
			continue;
		end_at_the_next(maps, &maps->modules[maps->module_count - 1], remote);
		if (runs(maps, &maps->modules[maps->module_count - 1]))
			end = maps->modules[maps->module_count - 1].end;
		else
			maps->module_count--;
	}
}

int targetmaps_read(struct targetmaps *maps, struct remote *remote)
{
	int result;

	*maps = (struct targetmaps){.pid = remote->pid};
	result = targetmaps_parse(maps);
	if (result != 0) {
		targetmaps_release(maps);
		return result;
	}
	targetmaps_find_modules(maps, remote);
	return 0;
}

void targetmaps_release(struct targetmaps *maps)
{
	for (size_t i = 0; i < maps->module_count; i++)
		elfimage_free(maps->modules[i].image);
	free(maps->modules);
	free(maps->maps);
	free(maps->text);
	*maps = (struct targetmaps){0};
}

struct targetmodule *targetmaps_module(struct targetmaps *maps, uint64_t address)
{
	size_t at = partition_point(maps->module_count, i, maps->modules[i].end <= address);

	return at < maps->module_count && maps->modules[at].start <= address ? &maps->modules[at]
									     : NULL;
}

static bool targetmaps_is_same_file(int file, const struct targetmap *map)
{
	struct stat status;

	return fstat(file, &status) == 0 && status.st_ino == map->inode &&
	       status.st_dev == map->device;
}

/* Stacked file systems show other device numbers in the maps: the first page with the program
 * headers and, usually, the build id decides then. */
static bool has_same_head(int file, const struct targetmap *map, struct remote *remote)
{
	unsigned char there[HEAD], here[HEAD];

	return remote_read(remote, map->start, there, sizeof(there)) &&
	       pread(file, here, sizeof(here), 0) == (ssize_t)sizeof(here) &&
	       memcmp(there, here, sizeof(here)) == 0;
}

static int open_checked(const char *path, const struct targetmap *map, struct remote *remote)
{
	int file = regularfile_open(path);

	if (file >= 0 && !targetmaps_is_same_file(file, map) && !has_same_head(file, map, remote)) {
		close(file);
		file = -1;
	}
	return file;
}

static int targetmaps_open_file(pid_t pid, const struct targetmap *map, struct remote *remote)
{
	char path[PATH_MAX + 64];
	int file = -1;

	if (map->path[0] != '/')
		return -1;
	if (!map->is_deleted) {
		snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, map->path);
		file = open_checked(path, map, remote);
	}
	if (file < 0) {
		snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)pid,
			 (unsigned long long)map->start, (unsigned long long)map->end);
		file = open_checked(path, map, remote);
	}
	if (file < 0) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
		file = open_checked(path, map, remote);
	}
	return file;
}

/* The mapped part of the file, in the file's layout: no sections, but what the loader needs. */
static struct elfimage *image_from_memory(const struct targetmaps *maps,
					  const struct targetmodule *module, struct remote *remote)
{
	uint64_t size = 0;
	unsigned char *bytes;

	for (size_t i = module->first; i < maps->count && maps->maps[i].start < module->end; i++) {
		const struct targetmap *map = &maps->maps[i];
		uint64_t end = map->offset + (map->end - map->start);

		if (map->inode == maps->maps[module->first].inode && end > size)
			size = end;
	}
	if (size == 0 || size > MEMORY_IMAGE_MAX)
		return NULL;
	bytes = calloc(1, size);
	for (size_t i = module->first;
	     bytes && i < maps->count && maps->maps[i].start < module->end; i++) {
		const struct targetmap *map = &maps->maps[i];

		if (map->inode == maps->maps[module->first].inode && map->is_readable)
			remote_read(remote, map->start, bytes + map->offset, map->end - map->start);
	}
	return bytes ? elfimage_from_bytes(bytes, size) : NULL;
}

struct elfimage *targetmaps_image(struct targetmaps *maps, struct targetmodule *module,
				  struct remote *remote)
{
	int file;

	if (module->is_tried)
		return module->image;
	module->is_tried = true;
	file = targetmaps_open_file(maps->pid, &maps->maps[module->first], remote);
	if (file >= 0) {
		module->image = elfimage_open(file);
		close(file);
	}
	if (!module->image) {
		module->image = image_from_memory(maps, module, remote);
		if (module->image)
			module->image->bias = module->bias;
	}
	return module->image;
}
