/* The loader stores the address of its list in the program's dynamic section (DT_DEBUG), for
 * debuggers.  The list may be inconsistent during a change, or the program's memory corrupted:
 * every step is a read that may fail, and a name is accepted only if it resolves to the mapped
 * file. */
#include "platform/loadednames.h"

#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basename.h"

#define DYNAMIC_MAX  256u /* entries of a program's dynamic section */
#define SEGMENTS_MAX 64u
#define PAGE	     4096u

static bool loadednames_peek(const struct loadednames *names, uint64_t address, void *to,
			     size_t size)
{
	return address != 0 && names->read(names->context, address, to, size);
}

/* Address of the program's dynamic section; 0 = none, or unknown. */
static uint64_t dynamic_of_program(const struct loadednames *names)
{
	uint64_t base = 0, dynamic = 0;
	bool has_base = false;

	for (uint64_t i = 0; i < names->start.segment_count && i < SEGMENTS_MAX; i++) {
		ElfW(Phdr) segment;

		if (!loadednames_peek(names, names->start.segments + i * sizeof(segment), &segment,
				      sizeof(segment)))
			return 0;
		if (segment.p_type == PT_PHDR) {
			base = names->start.segments - segment.p_vaddr;
			has_base = true;
		} else if (segment.p_type == PT_DYNAMIC) {
			dynamic = segment.p_vaddr;
		}
	}
	return has_base && dynamic ? base + dynamic : 0;
}

static uint64_t first_of_list(const struct loadednames *names)
{
	uint64_t at = dynamic_of_program(names);
	struct r_debug debug;
	ElfW(Dyn) entry;

	for (unsigned i = 0; at && i < DYNAMIC_MAX; i++, at += sizeof(entry)) {
		if (!loadednames_peek(names, at, &entry, sizeof(entry)) || entry.d_tag == DT_NULL)
			return 0;
		if (entry.d_tag == DT_DEBUG)
			return loadednames_peek(names, entry.d_un.d_ptr, &debug, sizeof(debug))
				       ? (uint64_t)(uintptr_t)debug.r_map
				       : 0;
	}
	return 0;
}

void loadednames_read(struct loadednames *names, const struct loadednames_start *start,
		      loadednames_read_fn read, void *context)
{
	struct link_map object;
	uint64_t at;

	names->read = read;
	names->context = context;
	names->start = *start;
	names->count = 0;
	for (at = first_of_list(names); at && names->count < LOADEDNAMES_MAX;
	     at = (uint64_t)(uintptr_t)object.l_next) {
		if (!loadednames_peek(names, at, &object, sizeof(object)))
			return;
		names->items[names->count].dynamic = (uint64_t)(uintptr_t)object.l_ld;
		names->items[names->count++].name = (uint64_t)(uintptr_t)object.l_name;
	}
}

/* A name may end just before unmapped memory: read page by page, as far as possible. */
static bool read_given(struct loadednames *names, uint64_t address)
{
	size_t filled = 0;

	while (filled < sizeof(names->given)) {
		size_t part = PAGE - (address + filled) % PAGE;

		if (part > sizeof(names->given) - filled)
			part = sizeof(names->given) - filled;
		if (!loadednames_peek(names, address + filled, names->given + filled, part))
			return false;
		if (memchr(names->given + filled, '\0', part))
			return names->given[0] != '\0';
		filled += part;
	}
	return false;
}

/* Address of its name as requested; false: unknown. */
static bool find_given(const struct loadednames *names, uint64_t start, uint64_t end,
		       uint64_t *name_out)
{
	if (names->start.segments >= start && names->start.segments < end) {
		*name_out = names->start.program;
		return true;
	}
	for (size_t i = 0; i < names->count; i++) {
		if (names->items[i].dynamic < start || names->items[i].dynamic >= end)
			continue;
		*name_out = names->items[i].name;
		return true;
	}
	return false;
}

/* Append length bytes to names->full; false: they do not fit. */
static bool loadednames_append(struct loadednames *names, size_t *filled, const char *text,
			       size_t length)
{
	if (length >= sizeof(names->full) - *filled)
		return false;
	memcpy(names->full + *filled, text, length);
	*filled += length;
	names->full[*filled] = '\0';
	return true;
}

/* "root folder/name" as names->full. */
static bool loadednames_join(struct loadednames *names, const char *root, const char *folder,
			     size_t length, const char *name)
{
	size_t filled = 0;

	return loadednames_append(names, &filled, root, strlen(root)) &&
	       loadednames_append(names, &filled, folder, length) &&
	       (length == 0 || loadednames_append(names, &filled, "/", 1)) &&
	       loadednames_append(names, &filled, name, strlen(name));
}

static bool loadednames_is_file(const char *path, const struct stat *facts)
{
	struct stat found;

	return stat(path, &found) == 0 && found.st_dev == facts->st_dev &&
	       found.st_ino == facts->st_ino;
}

/* A relative name: from the current directory of the process, or, if that has changed since,
 * next to the file. */
static bool find_relative(struct loadednames *names, const struct loadednames_root *place,
			  const char *path, const struct stat *facts)
{
	ssize_t length = readlink(place->folder, names->folder, sizeof(names->folder));
	const char *given = names->given;

	if (given[0] == '.' && given[1] == '/')
		given += 2;
	if (length > 0 &&
	    loadednames_join(names, place->root, names->folder, (size_t)length, given) &&
	    loadednames_is_file(names->full, facts))
		return true;
	return path_base_name(path) > path &&
	       loadednames_join(names, place->root, path, (size_t)(path_base_name(path) - path) - 1,
				path_base_name(names->given)) &&
	       loadednames_is_file(names->full, facts);
}

bool loadednames_find(struct loadednames *names, uint64_t start, uint64_t end, const char *path,
		      const struct loadednames_root *place, const char **name_out)
{
	size_t root = strlen(place->root);
	struct stat facts;
	const char *last;
	uint64_t given;
	bool is_found;

	*name_out = NULL;
	if (!find_given(names, start, end, &given))
		return false;
	if (!read_given(names, given))
		return true;
	last = path_base_name(names->given);
	if (!*last || strcmp(last, path_base_name(path)) == 0 ||
	    !loadednames_join(names, place->root, "", 0, path) || stat(names->full, &facts) < 0)
		return true;
	if (names->given[0] == '/')
		is_found = loadednames_join(names, place->root, "", 0, names->given) &&
			   loadednames_is_file(names->full, &facts);
	else
		is_found = find_relative(names, place, path, &facts);
	if (is_found)
		*name_out = names->full + root;
	return true;
}
