/* Large pages for the heap of the process that analyses a file. */
#include "patch/analyse/patchmemory.h"

#include <limits.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM_PER_BYTE 5u
#define ROOM_LEAST    (UINT64_C(16) << 20) /* less is not worth it */
#define ROOM_MOST     (UINT64_C(256) << 20)
#define LARGE_PAGE    (UINT64_C(2) << 20)
#define BLOCK_BYTES   (1u << 20)
#define HEAP_MOST     (24 << 20) /* larger blocks have mappings of their own */
#define PAD_BYTES     (1 << 20)

void patchmemory_prepare(uint64_t code_bytes)
{
#ifdef __GLIBC__
	uint64_t room = code_bytes < ROOM_MOST ? code_bytes * ROOM_PER_BYTE : ROOM_MOST;
	uintptr_t start, end;
	void *block;

	if (room < ROOM_LEAST)
		return;
	if (room > ROOM_MOST)
		room = ROOM_MOST;
	mallopt(M_ARENA_MAX, 1); /* threads, too, which allocate seldom */
	mallopt(M_MMAP_THRESHOLD, HEAP_MOST);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, (int)room);
	block = malloc(BLOCK_BYTES); /* from the heap, which grows by the room besides */
	mallopt(M_TOP_PAD, PAD_BYTES);
	start = ((uintptr_t)block + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
	end = (uintptr_t)sbrk(0);
	if (block && end > start && end - start < 2 * ROOM_MOST)
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
