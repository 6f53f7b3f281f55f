/* Unwinders get to frames of trampolines: called-through functions, and displaced calls.  The C++
 * runtime gets the unwind tables for an address from the loader, by one of the two functions below:
 * interposed here, they also return those of trampolines.
 *
 * gdb reads tables from files and does not see these. */
#include "collectors/functions/threads/funcpatch_unwind.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "collectors/functions/funcpatch.h"
#include "collectors/functions/modules/funcpatch_module.h"

#define EXPORT __attribute__((visibility("default")))

/* As in glibc 2.35; this library may be built with an earlier one. */
struct found_object {
	unsigned long long flags;
	void *start, *end;
	struct link_map *link_map;
	void *frames_header;
	unsigned long long reserved[7];
};

typedef int (*find_fn)(void *address, struct found_object *out);
typedef int (*iterate_callback)(struct dl_phdr_info *, size_t, void *);
typedef int (*iterate_fn)(iterate_callback, void *);

/* A C library that has it declares it differently. */
EXPORT int funcpatch_find_object(void *address,
				 struct found_object *out) __asm__("_dl_find_object");

static find_fn real_find;
static iterate_fn real_iterate;
static struct link_map *own_map; /* any that is never unloaded */

/* Looked up by version, or this library's own would be found. */
static void *real(const char *name, const char *version)
{
	void *function = dlvsym(RTLD_NEXT, name, version);

	return function ? function : dlsym(RTLD_NEXT, name);
}

void funcpatch_unwind_init(void)
{
	real_find = (find_fn)real("_dl_find_object", "GLIBC_2.35");
	real_iterate = (iterate_fn)real("dl_iterate_phdr", "GLIBC_2.2.5");
	own_map = _r_debug.r_map;
}

static const struct funcpatch_module *trampolines_at(uint64_t address)
{
	const struct funcpatch_module *module = funcpatch_module_at(address);

	return module && module->is_loaded && module->applied.frames_header ? module : NULL;
}

EXPORT int funcpatch_find_object(void *address, struct found_object *out)
{
	const struct funcpatch_module *module = trampolines_at((uint64_t)(uintptr_t)address);

	if (!module)
		return real_find ? real_find(address, out) : -1;
	memset(out, 0, sizeof(*out));
	out->start = (void *)(uintptr_t)module->applied.code;
	out->end = (void *)(uintptr_t)module->applied.code_end;
	out->link_map = own_map;
	out->frames_header = (void *)(uintptr_t)module->applied.frames_header;
	return 0;
}

static int unwind_report(const struct funcpatch_module *module, iterate_callback callback,
			 void *data, const struct dl_phdr_info *like)
{
	uint64_t code = module->applied.code;
	uint64_t frames = (uint64_t)(uintptr_t)module->applied.frames_header;
	ElfW(Phdr) segments[2];
	struct dl_phdr_info info = *like;

	memset(segments, 0, sizeof(segments));
	segments[0].p_type = PT_LOAD;
	segments[0].p_flags = PF_R | PF_X;
	segments[0].p_vaddr = 0;
	segments[0].p_memsz = module->applied.code_end - code;
	segments[1].p_type = PT_GNU_EH_FRAME;
	segments[1].p_vaddr = frames - code;
	segments[1].p_memsz = module->applied.plan.header->header_size;
	info.dlpi_addr = code;
	info.dlpi_name = "[trampolines]";
	info.dlpi_phdr = segments;
	info.dlpi_phnum = 2;
	return callback(&info, sizeof(info), data);
}

struct last { /* the loader's latest answer, a template for further ones */
	iterate_callback callback;
	void *data;
	struct dl_phdr_info info;
};

static int unwind_keep(struct dl_phdr_info *info, size_t size, void *context)
{
	struct last *last = context;

	memcpy(&last->info, info, size < sizeof(last->info) ? size : sizeof(last->info));
	return last->callback(info, size, last->data);
}

EXPORT int dl_iterate_phdr(iterate_callback callback, void *data)
{
	struct last last = {.callback = callback, .data = data};
	uint32_t count = __atomic_load_n(&funcpatch_module_count, __ATOMIC_ACQUIRE);
	int result;

	if (!real_iterate)
		funcpatch_unwind_init();
	if (!real_iterate)
		return 0;
	result = real_iterate(unwind_keep, &last);
	for (uint32_t i = 0; i < count && result == 0; i++)
		if (funcpatch_modules[i].is_loaded && funcpatch_modules[i].applied.frames_header)
			result = unwind_report(&funcpatch_modules[i], callback, data, &last.info);
	return result;
}
