/* The layout is TLS variant II: each module's storage is below the thread pointer, at the offset
 * that the loader chose; struct pthread begins at the thread pointer. */
#include "attach/agent/threadarea.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define PAGE		 4096u
#define MODULES_MAX	 4096u
#define BELOW_MAX	 (UINT64_C(16) << 20)
#define DESCRIPTOR_MAX	 (UINT64_C(64) << 10)
#define SPARE_BELOW	 16384u /* libraries may be loaded between measuring and use */
#define SPARE_SLOTS	 1024u
#define SLOT_BYTES	 16u
#define SLOT_UNALLOCATED UINT64_MAX
#define IMAGE_MAX	 (UINT64_C(4) << 20)
#define FORCED_DYNAMIC	 UINT64_MAX
#define SEGMENTS_MAX	 64u
#define GUARD		 PAGE
#define HEAD_BYTES	 PAGE
#define STACK_BYTES	 (UINT64_C(64) << 10)
#define STORAGE_AT	 (GUARD + HEAD_BYTES + STACK_BYTES)
#define MARK		 "kymo: a thread\1" /* 16 bytes with the end */

/* struct link_map as <link.h> has it, and <sys/link.h>'s struct r_debug */
#define MAP_BIAS    0
#define MAP_DYNAMIC 16
#define MAP_NEXT    24
#define DEBUG_MAP   8

/* tcbhead_t of x86-64: the thread pointer itself, the vector, struct pthread; whether there are
 * several threads; stack and pointer guards */
#define HEAD_POINTER  0
#define HEAD_VECTOR   8
#define HEAD_SELF     16
#define HEAD_SEVERAL  24
#define HEAD_SECRETS  40
#define SECRETS_BYTES 16

struct descriptor { /* of a field, in glibc's tables for debuggers */
	uint32_t bits, count, offset;
};

struct area_head { /* after the guard page */
	char mark[16];
	uint64_t size, below, descriptor, slots;
	uint8_t is_filled[MODULES_MAX / 8 + 1]; /* modules whose storage is initialised */
};
_Static_assert(sizeof(struct area_head) <= HEAD_BYTES, "a page");

struct module_storage {
	uint64_t module, offset; /* l_tls_modid, l_tls_offset */
	uint64_t image, image_bytes;
};

static enum kymo_status threadarea_unknown(const char *what, struct problem *problem)
{
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "the C library of the process is not one that kymo knows (%s)", what);
}

static bool read_field(struct remote *remote, const struct targetmodule *libc,
		       const struct elfimage_name *name, uint64_t bits, uint64_t *offset_out)
{
	struct descriptor field;

	if (!name->value || !remote_read(remote, libc->bias + name->value, &field, sizeof(field)) ||
	    field.bits != bits || field.offset > DESCRIPTOR_MAX)
		return false;
	*offset_out = field.offset;
	return true;
}

static bool read_glibc_offsets(struct threadarea *area, struct targetmaps *maps,
			       struct remote *remote, struct targetmodule *libc)
{
	struct elfimage *image = targetmaps_image(maps, libc, remote);
	struct elfimage_name names[] = {
		{.name = "_thread_db_sizeof_pthread"},
		{.name = "_thread_db_link_map_l_tls_modid"},
		{.name = "_thread_db_link_map_l_tls_offset"},
		{.name = "_thread_db_pthread_tid"},
	};
	uint32_t size = 0;

	if (!image)
		return false;
	elfimage_symbols(image, names, sizeof(names) / sizeof(*names));
	if (!names[0].value ||
	    !remote_read(remote, libc->bias + names[0].value, &size, sizeof(size)))
		return false;
	area->descriptor = ((uint64_t)size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	return size > HEAD_SECRETS + SECRETS_BYTES && area->descriptor <= DESCRIPTOR_MAX &&
	       read_field(remote, libc, &names[1], 64, &area->module_at) &&
	       read_field(remote, libc, &names[2], 64, &area->offset_at) &&
	       read_field(remote, libc, &names[3], 32, &area->id_at) && area->id_at + 4 <= size;
}

static bool find_list(struct threadarea *area, struct targetmaps *maps, struct remote *remote,
		      struct targetmodule *loader)
{
	struct elfimage *image = targetmaps_image(maps, loader, remote);
	struct elfimage_name debug = {.name = "_r_debug"};

	if (!image)
		return false;
	elfimage_symbols(image, &debug, 1);
	return debug.value &&
	       remote_read(remote, loader->bias + debug.value + DEBUG_MAP, &area->first_module,
			   sizeof(area->first_module)) &&
	       area->first_module != 0;
}

/* The initial TLS image of the module whose ELF header is mapped at start. */
static bool find_image(struct remote *remote, uint64_t start, uint64_t bias,
		       struct module_storage *out)
{
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS_MAX];

	if (!remote_read(remote, start, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phnum > SEGMENTS_MAX ||
	    header.e_phentsize != sizeof(*segments) ||
	    !remote_read(remote, start + header.e_phoff, segments,
			 header.e_phnum * sizeof(*segments)))
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		if (segments[i].p_type != PT_TLS)
			continue;
		out->image = bias + segments[i].p_vaddr;
		out->image_bytes = segments[i].p_filesz;
		return segments[i].p_filesz <= segments[i].p_memsz && out->image_bytes <= IMAGE_MAX;
	}
	return false;
}

struct walk { /* over the loader's list */
	uint64_t next;
	unsigned left;
};

/* The next module with TLS; false: there is none, or the list is malformed. */
static bool next_storage(struct walk *walk, const struct threadarea *area, struct targetmaps *maps,
			 struct remote *remote, struct module_storage *out)
{
	while (walk->next && walk->left-- > 0) {
		uint64_t map = walk->next, bias, dynamic;
		struct targetmodule *module;

		*out = (struct module_storage){0};
		if (!remote_read(remote, map + MAP_BIAS, &bias, sizeof(bias)) ||
		    !remote_read(remote, map + MAP_DYNAMIC, &dynamic, sizeof(dynamic)) ||
		    !remote_read(remote, map + MAP_NEXT, &walk->next, sizeof(walk->next)) ||
		    !remote_read(remote, map + area->module_at, &out->module,
				 sizeof(out->module)) ||
		    !remote_read(remote, map + area->offset_at, &out->offset, sizeof(out->offset)))
			return false;
		module = targetmaps_module(maps, dynamic);
		if (out->module != 0 && module && find_image(remote, module->start, bias, out))
			return true;
	}
	return false;
}

static struct walk threadarea_walk_begin(const struct threadarea *area)
{
	return (struct walk){area->first_module, MODULES_MAX};
}

static bool is_static(const struct module_storage *storage)
{
	return storage->offset != 0 && storage->offset != FORCED_DYNAMIC;
}

/* At least as large as a new one would be. */
static bool is_usable(const struct area_head *head, const struct threadarea *area,
		      uint64_t available)
{
	return memcmp(head->mark, MARK, sizeof(head->mark)) == 0 &&
	       head->size <= available + GUARD && head->below >= area->below &&
	       head->below <= BELOW_MAX + SPARE_BELOW + PAGE &&
	       head->descriptor == area->descriptor && head->slots >= area->slots &&
	       head->slots <= MODULES_MAX + 2 * SPARE_SLOTS &&
	       head->size >=
		       STORAGE_AT + head->below + head->descriptor + (head->slots + 2) * SLOT_BYTES;
}

static void find_old(struct threadarea *area, const struct targetmaps *maps, struct remote *remote)
{
	for (size_t i = 1; i < maps->count; i++) {
		const struct targetmap *map = &maps->maps[i], *guard = map - 1;
		struct area_head head;

		if (!map->is_writable || guard->is_readable || guard->is_executable ||
		    guard->end != map->start || guard->end - guard->start < GUARD ||
		    !remote_read(remote, map->start, &head, sizeof(head)) ||
		    !is_usable(&head, area, map->end - map->start))
			continue;
		area->address = map->start - GUARD;
		area->size = head.size;
		area->below = head.below;
		area->slots = head.slots;
		return;
	}
}

enum kymo_status threadarea_measure(struct threadarea *area, struct targetmaps *maps,
				    struct remote *remote, struct targetmodule *libc,
				    struct targetmodule *loader, struct problem *problem)
{
	struct module_storage storage;
	struct walk walk;
	uint64_t last = 0;

	*area = (struct threadarea){0};
	if (!read_glibc_offsets(area, maps, remote, libc))
		return threadarea_unknown("no tables for debuggers", problem);
	if (!find_list(area, maps, remote, loader))
		return threadarea_unknown("no list of modules", problem);
	walk = threadarea_walk_begin(area);
	while (next_storage(&walk, area, maps, remote, &storage)) {
		if (storage.module > last)
			last = storage.module;
		if (is_static(&storage) && storage.offset > area->below)
			area->below = storage.offset;
	}
	if (area->below > BELOW_MAX || last > MODULES_MAX)
		return threadarea_unknown("thread-local storage of odd size", problem);
	area->slots = last + 1;
	find_old(area, maps, remote);
	if (area->address)
		return KYMO_OK;
	area->below = (area->below + SPARE_BELOW + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	area->slots = last + SPARE_SLOTS;
	area->size = STORAGE_AT + area->below + area->descriptor + (area->slots + 2) * SLOT_BYTES;
	area->size = (area->size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	return KYMO_OK;
}

static void threadarea_put(unsigned char *bytes, uint64_t offset, uint64_t value)
{
	memcpy(bytes + offset, &value, sizeof(value));
}

/* Initialise the storage of modules that are not in there yet; bytes begin at the area's head. */
static void fill_storage(const struct threadarea *area, struct targetmaps *maps,
			 struct remote *remote, unsigned char *bytes)
{
	unsigned char *pointer = bytes + STORAGE_AT - GUARD + area->below;
	struct area_head *head = (struct area_head *)bytes;
	struct module_storage storage;
	struct walk walk = threadarea_walk_begin(area);

	while (next_storage(&walk, area, maps, remote, &storage)) {
		if (!is_static(&storage) || storage.offset > area->below ||
		    storage.image_bytes > storage.offset || storage.module > MODULES_MAX ||
		    head->is_filled[storage.module / 8] >> (storage.module % 8) & 1)
			continue;
		if (remote_read(remote, storage.image, pointer - storage.offset,
				storage.image_bytes))
			head->is_filled[storage.module / 8] |= (uint8_t)(1u << storage.module % 8);
	}
}

/* The vector states its number of slots, its generation of the loader's list (none), and that
 * nothing is allocated: then the loader looks up each module's static offset. */
static void threadarea_fill_vector(const struct threadarea *area, unsigned char *vector)
{
	threadarea_put(vector, 0, area->slots);
	for (uint64_t i = 1; i <= area->slots; i++)
		threadarea_put(vector, (i + 1) * SLOT_BYTES, SLOT_UNALLOCATED);
}

static void fill_new(const struct threadarea *area, unsigned char *bytes, uint64_t pointer)
{
	unsigned char *descriptor = bytes + STORAGE_AT - GUARD + area->below;
	struct area_head *head = (struct area_head *)bytes;

	memcpy(head->mark, MARK, sizeof(head->mark));
	head->size = area->size;
	head->below = area->below;
	head->descriptor = area->descriptor;
	head->slots = area->slots;
	threadarea_fill_vector(area, descriptor + area->descriptor);
	threadarea_put(descriptor, HEAD_POINTER, pointer);
	threadarea_put(descriptor, HEAD_VECTOR, pointer + area->descriptor + SLOT_BYTES);
	threadarea_put(descriptor, HEAD_SELF, pointer);
	descriptor[HEAD_SEVERAL] = 1;
}

enum kymo_status threadarea_write(const struct threadarea *area, struct targetmaps *maps,
				  struct remote *remote, uint64_t at, uint64_t like,
				  struct threadarea_use *use, struct problem *problem)
{
	uint64_t pointer = at + STORAGE_AT + area->below, size = area->size - GUARD;
	unsigned char *bytes = calloc(1, size);
	bool is_there;

	if (!bytes)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	*use = (struct threadarea_use){at + STORAGE_AT, pointer, pointer + area->id_at};
	if (at == area->address) {
		is_there = remote_read(remote, at + GUARD, bytes, size);
	} else {
		fill_new(area, bytes, pointer);
		is_there = remote_read(remote, like + HEAD_SECRETS,
				       bytes + STORAGE_AT - GUARD + area->below + HEAD_SECRETS,
				       SECRETS_BYTES);
	}
	if (is_there) {
		fill_storage(area, maps, remote, bytes);
		is_there = remote_write(remote, at + GUARD, bytes, size);
	}
	free(bytes);
	return is_there ? KYMO_OK
			: problem_set(problem, KYMO_SYSTEM, "cannot write memory of the process");
}

uint64_t threadarea_guard(void)
{
	return GUARD;
}
