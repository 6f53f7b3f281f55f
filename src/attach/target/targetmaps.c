/* /proc/PID/maps, and the files behind it as the process itself sees them: it may be in a
 * container, and files may have been replaced or taken away since they were mapped. */
#include "attach/target/targetmaps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "platform/files/regularfile.h"

#define MEMORY_IMAGE_MAX (UINT64_C(512) << 20)
#define HEAD		 4096u

static int targetmaps_read_all(pid_t pid, char **text_out)
{
	char path[64], *text = NULL;
	size_t capacity = 0, filled = 0;
	int file;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return errno;
	do {
		char *larger = array_grow(text, &capacity, filled + 65536, 1);

		if (!larger) {
			got = -1;
			errno = ENOMEM;
			break;
		}
		text = larger;
		got = read(file, text + filled, capacity - filled - 1);
		filled += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	close(file);
	if (got < 0) {
		free(text);
		return errno;
	}
	text[filled] = '\0';
	*text_out = text;
	return 0;
}

/* "7f0-7f8 r-xp 00001000 08:01 1234      /path"; path is cut at its end. */
static bool targetmaps_parse_line(char *line, struct targetmap *map)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof(deleted) - 1;
	unsigned long major_id, minor_id;
	char *at, *path;
	size_t length;

	map->start = strtoull(line, &at, 16);
	if (*at++ != '-')
		return false;
	map->end = strtoull(at, &at, 16);
	if (*at++ != ' ' || strlen(at) < 5)
		return false;
	map->is_readable = at[0] == 'r';
	map->is_writable = at[1] == 'w';
	map->is_executable = at[2] == 'x';
	map->offset = strtoull(at + 4, &at, 16);
	major_id = strtoul(at, &at, 16);
	if (*at++ != ':')
		return false;
	minor_id = strtoul(at, &at, 16);
	map->device = makedev(major_id, minor_id);
	map->inode = strtoull(at, &at, 10);
	path = at + strspn(at, " ");
	length = strlen(path);
	map->is_deleted = length > tail && strcmp(path + length - tail, deleted) == 0;
	if (map->is_deleted)
		path[length - tail] = '\0';
	map->path = path;
	return true;
}

static int targetmaps_parse(struct targetmaps *maps)
{
	for (char *line = maps->text, *end; line && *line; line = end) {
		struct targetmap *grown =
			array_grow(maps->maps, &maps->capacity, maps->count + 1, sizeof(*grown));

		if (!grown)
			return ENOMEM;
		maps->maps = grown;
		end = strchr(line, '\n');
		if (end)
			*end++ = '\0';
		if (targetmaps_parse_line(line, &grown[maps->count]))
			maps->count++;
	}
	return 0;
}

static struct elfimage *head_image(struct remote *remote, uint64_t address)
{
	unsigned char *bytes = malloc(HEAD);

	if (!bytes || !remote_read(remote, address, bytes, HEAD)) {
		free(bytes);
		return NULL;
	}
	return elfimage_adopt(bytes, HEAD);
}

/* The module that begins with a mapping of a file's start; false: it is no ELF file. */
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

/* A file, or the code that the kernel itself puts into processes. */
static bool may_begin(const struct targetmap *map)
{
	return map->offset == 0 && map->is_readable &&
	       (map->path[0] == '/' || strcmp(map->path, "[vdso]") == 0);
}

/* A file that is mapped as it lies, to be read, takes less room than its segments would: what
 * stands behind it is another module. */
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
	result = targetmaps_read_all(remote->pid, &maps->text);
	if (result == 0)
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

/* File systems on top of others show other numbers in the list of mappings: the first page
 * with the segments and, as a rule, the build id decides then. */
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

/* What of the file is mapped, put together as the file has it: no sections, but what the
 * loader needs. */
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
	return bytes ? elfimage_adopt(bytes, size) : NULL;
}

struct elfimage *targetmaps_image(struct targetmaps *maps, struct targetmodule *module,
				  struct remote *remote)
{
	int file;

	if (module->has_looked)
		return module->image;
	module->has_looked = true;
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
