/* Where trampolines that call a function's body keep its return address: at the address of
 * the first place with one bit turned over.  For the part of the address space that stacks lie
 * in this is a mapping of the same size, of which pages are used where stacks are.
 *
 * It is nothing but addresses: nothing is reserved for it, and core files show what belongs to
 * the stacks of the first threads, without which debuggers could not follow them.  Where even
 * that is not to be had no function is called through.  A program that locks all of its memory
 * would get memory for every one of them: there pages are locked as they come into use. */
#include "collectors/funcpatch/funcpatch.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define END   (UINT64_C(1) << 47)
#define FIRST (UINT64_C(16) << 40) /* how much is tried first */
#define LEAST (UINT64_C(64) << 30)

#define STACK_BYTES  (UINT64_C(8) << 20)
#define STACKS_SHOWN 64u

static uint64_t start = UINT64_MAX;
static bool is_tried;

uint64_t funcpatch_mirror_start(void)
{
	return start;
}

static bool map(uint64_t size)
{
	uint64_t place = (END - size) ^ UINT64_C(1) << PATCH_MIRROR_BIT;
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

bool funcpatch_mirror_can_be(void)
{
	return funcpatch_settings.has_calls && !is_limited() && !funcpatch_is_sanitized();
}

void funcpatch_mirror_map(void)
{
	if (is_tried)
		return;
	is_tried = true;
	if (!funcpatch_mirror_can_be())
		return;
	for (uint64_t size = FIRST; size >= LEAST; size /= 2) {
		if (map(size)) {
			start = END - size;
			funcpatch_mirror_show(getauxval(AT_EXECFN));
			return;
		}
	}
}

void funcpatch_mirror_show(uint64_t top)
{
	const uint64_t page = 4096;
	static unsigned shown;

	top = (top + page - 1) & ~(page - 1);
	if (start == UINT64_MAX || top > END || top < start + STACK_BYTES ||
	    __atomic_fetch_add(&shown, 1, __ATOMIC_RELAXED) >= STACKS_SHOWN)
		return;
	top ^= UINT64_C(1) << PATCH_MIRROR_BIT;
	madvise((void *)(uintptr_t)(top - STACK_BYTES), STACK_BYTES, MADV_DODUMP);
}

/* As the C library's. */
__attribute__((visibility("default"))) int mlockall(int flags)
{
	return (int)syscall(SYS_mlockall, start == UINT64_MAX ? flags : flags | MCL_ONFAULT);
}
