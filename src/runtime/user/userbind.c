/* Loaded objects with annotations are found by their notes.  A note may contain anything, so it
 * counts only if all that it refers to is inside of its object. */
#define KYMO_DISABLE 1 /* the runtime's own copy of the header has no slot */
#include "runtime/user/userbind.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "base/keeperrno.h"
#include "runtime/lifecycle/session.h"
#include "runtime/user/userapi.h"

#define OWNER	   "Kymo"
#define NOTE_ALIGN 4u

KYMO_EXPORT void kymo_bind(const struct kymo_api **slot, unsigned version);

static const struct kymo_api *table; /* NULL until the runtime is open */

static bool userbind_is_open(void)
{
	return session.state == KYMO_RUNTIME_ACTIVE || session.state == SESSION_FORKED;
}

/* True if [address, address + size) is in a segment of object with the requested rights. */
static bool userbind_is_inside(const struct dl_phdr_info *object, uintptr_t address, size_t size,
			       uint32_t rights)
{
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & rights) == rights &&
		    address >= start && size <= segment->p_memsz &&
		    address - start <= segment->p_memsz - size)
			return true;
	}
	return false;
}

/* desc is the distance from itself to the slot. */
static void bind_note(const struct dl_phdr_info *object, uintptr_t desc)
{
	int64_t distance;
	uintptr_t slot;

	memcpy(&distance, (const void *)desc, sizeof(distance));
	slot = desc + (uintptr_t)distance;
	if (slot % sizeof(void *) == 0 &&
	    userbind_is_inside(object, slot, sizeof(void *), PF_R | PF_W))
		__atomic_store_n((const struct kymo_api **)slot, table, __ATOMIC_RELEASE);
}

static uint64_t userbind_padded(uint64_t size)
{
	return (size + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1);
}

static bool userbind_is_own(const ElfW(Nhdr) * note, const char *name)
{
	return note->n_type == KYMO_API_VERSION && note->n_namesz == sizeof(OWNER) &&
	       note->n_descsz == sizeof(uint64_t) && !memcmp(name, OWNER, sizeof(OWNER));
}

static void bind_notes(const struct dl_phdr_info *object, uintptr_t notes, size_t size)
{
	size_t at = 0;

	while (size - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
		uint64_t name = at + sizeof(*note), desc = name + userbind_padded(note->n_namesz);
		uint64_t end = desc + userbind_padded(note->n_descsz);

		if (end > size)
			return;
		if (userbind_is_own(note, (const char *)(notes + name)))
			bind_note(object, notes + desc);
		at = end;
	}
}

static int bind_object(struct dl_phdr_info *object, size_t size, void *unused)
{
	(void)size, (void)unused;
	for (unsigned i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + segment->p_vaddr;

		if (segment->p_type == PT_NOTE && segment->p_align <= NOTE_ALIGN &&
		    start % NOTE_ALIGN == 0 &&
		    userbind_is_inside(object, start, segment->p_memsz, PF_R))
			bind_notes(object, start, segment->p_memsz);
	}
	return 0;
}

/* Objects that are loaded later look for kymo_bind among the global symbols.  If an interpreter
 * has loaded this library with RTLD_LOCAL, they are not global yet. */
static void make_visible(void)
{
	Dl_info self;

	if (dladdr((void *)kymo_bind, &self) && self.dli_fname)
		dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

void userbind_open(void)
{
	KEEP_ERRNO();

	__atomic_store_n(&table, userapi_open(), __ATOMIC_RELEASE);
	make_visible();
	dl_iterate_phdr(bind_object, NULL);
}

void kymo_bind(const struct kymo_api **slot, unsigned version)
{
	if (slot && version == KYMO_API_VERSION && userbind_is_open() &&
	    __atomic_load_n(&table, __ATOMIC_ACQUIRE))
		__atomic_store_n(slot, __atomic_load_n(&table, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

const struct kymo_api *kymo_api_get(unsigned version)
{
	return version == KYMO_API_VERSION && userbind_is_open() ? table : NULL;
}
