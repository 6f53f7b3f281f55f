/* Large pages for the heap of the process that analyses a file. */
#include "patch/analyse/patchmemory.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define RESERVE_PER_BYTE 5u
#define RESERVE_LEAST	 (UINT64_C(16) << 20) /* for less it does not pay */
#define RESERVE_MOST	 (UINT64_C(256) << 20)
#define LARGE_PAGE	 (UINT64_C(2) << 20)
#define BLOCK_BYTES	 (1u << 20)
#define HEAP_MOST	 (24 << 20) /* larger blocks have mappings of their own */
#define PAD_BYTES	 (1 << 20)

void patchmemory_prepare(uint64_t code_bytes)
{
#ifdef __GLIBC__
	uint64_t reserve = code_bytes < RESERVE_MOST ? code_bytes * RESERVE_PER_BYTE : RESERVE_MOST;
	uintptr_t start, end;
	void *block;

	if (reserve < RESERVE_LEAST)
		return;
	if (reserve > RESERVE_MOST)
		reserve = RESERVE_MOST;
	mallopt(M_ARENA_MAX, 1); /* one arena, for threads, too: they allocate rarely */
	mallopt(M_MMAP_THRESHOLD, HEAP_MOST);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, (int)reserve);
	block = malloc(BLOCK_BYTES); /* from the heap, which grows by the reserve as well */
	mallopt(M_TOP_PAD, PAD_BYTES);
	start = ((uintptr_t)block + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
	end = (uintptr_t)sbrk(0);
	if (block && end > start && end - start < 2 * RESERVE_MOST)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
	free(block);
#else
	(void)code_bytes;
#endif
}

void patchmemory_release(void)
{
#ifdef __GLIBC__
	mallopt(M_TRIM_THRESHOLD, PAD_BYTES);
	malloc_trim(0);
#endif
}
