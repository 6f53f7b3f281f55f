/* The shadow stack, where trampolines that call a function's body keep its return address: at the
 * address of the original slot with one bit inverted.  For the part of the address space that
 * contains stacks there is a mapping of the same size, whose pages are used where stacks are.
 *
 * It is only address space: nothing is reserved for it, and core files contain what belongs to the
 * stacks of the first threads, which debuggers need to unwind them.  If even that is not available,
 * no function is called through.  For a program that locks all of its memory, every page would be
 * allocated: there, pages are locked when they are used.
 *
 * If stacks are copied away and back, as by greenlets, one address holds several return
 * addresses, but a shadow slot only one.  Libraries that do so are known by name: when one is
 * loaded, before it runs, no further call is called through.  Those that are open then are
 * further up than anything that is copied later, and return as before. */
#include "collectors/functions/threads/funcpatch_shadow.h"

#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/basename.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_sanitizer.h"
#include "platform/code/rawmemory.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define END   (UINT64_C(1) << 47)
#define FIRST (UINT64_C(16) << 40) /* first attempted size */
#define LEAST (UINT64_C(64) << 30)

#define STACK_BYTES  (UINT64_C(8) << 20)
#define STACKS_SHOWN 64u

static uint64_t start = UINT64_MAX;
static bool is_tried;
static bool is_stopped;

uint64_t funcpatch_shadow_start(void)
{
	return __atomic_load_n(&is_stopped, __ATOMIC_RELAXED) ? UINT64_MAX : start;
}

uint64_t funcpatch_shadow_floor(void)
{
	return start;
}

static bool shadow_map(uint64_t size)
{
	uint64_t place = (END - size) ^ UINT64_C(1) << PATCH_SHADOW_BIT;
	void *got = mmap((void *)(uintptr_t)place, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (got == MAP_FAILED)
		return false;
	if ((uint64_t)(uintptr_t)got != place) {
		munmap(got, size);
		return false;
	}
	madvise(got, size, MADV_DONTDUMP);
	madvise(got, size, MADV_NOHUGEPAGE);
	return true;
}

/* A limit of the address space is left to the program. */
static bool is_limited(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void funcpatch_shadow_map(void)
{
	if (is_tried)
		return;
	is_tried = true;
	if (!PATCH_HAS_CALLS || !funcpatch_settings.has_calls || is_limited() || is_stopped ||
	    funcpatch_is_sanitized())
		return;
	for (uint64_t size = FIRST; size >= LEAST; size /= 2) {
		if (shadow_map(size)) {
			start = END - size;
			funcpatch_shadow_show(getauxval(AT_EXECFN));
			return;
		}
	}
}

void funcpatch_shadow_show(uint64_t top)
{
	const uint64_t page = 4096;
	static unsigned shown;

	top = (top + page - 1) & ~(page - 1);
	if (start == UINT64_MAX || top > END || top < start + STACK_BYTES ||
	    __atomic_fetch_add(&shown, 1, __ATOMIC_RELAXED) >= STACKS_SHOWN)
		return;
	top ^= UINT64_C(1) << PATCH_SHADOW_BIT;
	madvise((void *)(uintptr_t)(top - STACK_BYTES), STACK_BYTES, MADV_DODUMP);
}

/* Also those that return to where a stack was copied from (Mono: what is below its own frames). */
static bool is_breaker(const char *path)
{
	static const char *const names[] = {"_greenlet", "continuation.so", "libpypy", "libmono"};
	const char *name = path_base_name(path);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

/* Other threads may read it concurrently. */
static void stop_in(struct patch_vector *vector)
{
	if (mprotect(vector, PATCH_VECTOR_SIZE, PROT_READ | PROT_WRITE) != 0)
		return;
	__atomic_store_n(&vector->shadow_start, UINT64_MAX, __ATOMIC_SEQ_CST);
	mprotect(vector, PATCH_VECTOR_SIZE, PROT_READ);
}

static void shadow_stop(const char *why)
{
	char text[FUNCPATCH_PATH_MAX + 256];
	bool is_used = false;

	__atomic_store_n(&is_stopped, true, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		if (!funcpatch_modules[i].is_loaded || start == UINT64_MAX)
			continue;
		stop_in(funcpatch_modules[i].applied.vector);
		is_used = true;
	}
	if (!is_used)
		return;
	funcpatch_modules_forget(); /* write their FUNCTIONS again, without ends */
	snprintf(
		text, sizeof(text),
		"%s: the ends of functions whose bodies were called are not recorded from then on; "
		"with KYMO_FUNCTIONS_NO_CALLS=ON those that can be patched are",
		why);
	funcpatch_complain(text);
}

static void stop_for(const char *path)
{
	char why[FUNCPATCH_PATH_MAX + 32];

	snprintf(why, sizeof(why), "'%s' copies stacks", path);
	shadow_stop(why);
}

void funcpatch_shadow_check_libraries(void)
{
	for (const struct link_map *map = _r_debug.r_map; map && !is_stopped; map = map->l_next)
		if (map->l_name && is_breaker(map->l_name))
			stop_for(map->l_name);
}

static void unmap_places(uint64_t from, uint64_t to)
{
	if (to > END)
		to = END;
	if (from < to)
		raw_unmap(from ^ UINT64_C(1) << PATCH_SHADOW_BIT, to - from);
}

/* Release the shadow slots of the gap between two mappings. */
static bool release_gap(const struct proc_map *mapping, const char *path, void *context)
{
	uint64_t *free_from = context;

	(void)path;
	unmap_places(*free_from, mapping->start);
	if (mapping->end > *free_from)
		*free_from = mapping->end;
	return *free_from < END;
}

/* Open calls keep their slots, which belong to mapped stacks. */
void funcpatch_shadow_limit(void)
{
	uint64_t free_from = start;

	if (start == UINT64_MAX)
		return;
	if (!__atomic_load_n(&is_stopped, __ATOMIC_RELAXED))
		shadow_stop("the program limits its memory");
	if (proc_maps_each(PROC_SELF, NULL, 0, release_gap, &free_from) == 0)
		unmap_places(free_from, END);
}

/* As the C library's. */
__attribute__((visibility("default"))) int mlockall(int flags)
{
	return (int)syscall(SYS_mlockall, start == UINT64_MAX ? flags : flags | MCL_ONFAULT);
}
