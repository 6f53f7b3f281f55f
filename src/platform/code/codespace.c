/* Choosing gaps between mappings.
 *
 * A process's heap grows upwards from its break: the space there is left to it, since a program
 * whose break cannot move may have no fallback. */
#include "platform/code/codespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "platform/code/rawmemory.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define PAGE	     4096u
#define LOWEST	     UINT64_C(0x10000) /* the kernel maps nothing below it */
#define HIGHEST	     UINT64_C(0x7ffffffff000)
#define HEAP_RESERVE (UINT64_C(768) << 20)
#define ATTEMPTS     8u

struct search {
	const struct space_request *request;
	uint64_t free_from; /* end of the mapping before */
	uint64_t heap_end;  /* the break */
	uint64_t best, best_distance;
	uint64_t refused; /* an address that turned out not to be free: search beyond it */
};

static uint64_t space_distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* The address in [start, end) nearest to the preferred one. */
static void try_gap(struct search *search, uint64_t start, uint64_t end)
{
	const struct space_request *request = search->request;
	uint64_t at;

	if (start < request->low)
		start = request->low;
	if (end > request->high)
		end = request->high;
	if (start < search->refused + request->size && end > search->refused && search->refused)
		start = search->refused + request->size;
	if (end < start || end - start < request->size)
		return;
	at = request->near < start ? start : request->near;
	if (at > end - request->size)
		at = end - request->size;
	at &= ~(uint64_t)(PAGE - 1);
	if (at < start)
		return;
	if (search->best && space_distance(at, request->near) >= search->best_distance)
		return;
	search->best = at;
	search->best_distance = space_distance(at, request->near);
}

/* A page next to each mapping stays free: stacks may grow. */
static bool space_take_mapping(const struct proc_map *mapping, const char *path, void *context)
{
	struct search *search = context;
	uint64_t from = search->free_from;

	(void)path;
	if (search->heap_end && search->heap_end >= from && search->heap_end <= mapping->start)
		from = search->heap_end + HEAP_RESERVE;
	if (mapping->start > from + PAGE)
		try_gap(search, from, mapping->start - PAGE);
	search->free_from = mapping->end;
	return search->free_from < search->request->high;
}

bool space_reserve_at(uint64_t address, uint64_t size)
{
	uint64_t heap_end = (uint64_t)raw_call(SYS_brk, 0, 0, 0);
	long result;

	if (address < LOWEST || address > HIGHEST - size ||
	    (address + size > heap_end && address < heap_end + HEAP_RESERVE))
		return false;
	result = raw_map(address, size, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (result > 0 && (uint64_t)result != address) /* a kernel that does not know the flag */
		raw_unmap((uint64_t)result, size);
	return result > 0 && (uint64_t)result == address;
}

uint64_t space_reserve(const struct space_request *request)
{
	struct search search;

	search.request = request;
	search.refused = 0;
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		search.free_from = LOWEST;
		search.heap_end = (uint64_t)raw_call(SYS_brk, 0, 0, 0);
		search.best = search.best_distance = 0;
		if (proc_maps_each(PROC_SELF, NULL, 0, space_take_mapping, &search) != 0)
			return 0;
		if (search.free_from < HIGHEST && search.free_from < request->high)
			try_gap(&search, search.free_from, HIGHEST);
		if (search.best == 0)
			return 0;
		if (space_reserve_at(search.best, request->size))
			return search.best;
		search.refused = search.best;
	}
	return 0;
}
