/* The kernel allocates each page of a mapped file on its first write, which takes longer than
 * all events on it; how long depends on the file system and on other writes.  So the times of
 * chunks are added up.  Before there are enough, some pages after the used ones are written to
 * and timed; their content stays zero. */
#include "runtime/store/pagecost.h"

#include "platform/usage.h"
#include "runtime/store/store.h"

#define PAGES	  17u
#define PAGES_MIN 3u
#define BYTES_MIN                                                                                  \
	(UINT64_C(256) << 10) /* of chunks; the first ones of a file take longer than most */

static struct {
	uint64_t bytes, cpu_ns; /* atomic */
} begun;

static void pagecost_insert(uint64_t *sorted, unsigned count, uint64_t value)
{
	unsigned at = count;

	for (; at > 0 && sorted[at - 1] > value; at--)
		sorted[at] = sorted[at - 1];
	sorted[at] = value;
}

/* The lock is held. */
static uint64_t time_pages(void)
{
	uint64_t sorted[PAGES], before, after;
	uint64_t offset = (store.header->end + KYMO_CHUNK_ALIGN - 1) & ~(KYMO_CHUNK_ALIGN - 1ull);
	unsigned count = 0;

	before = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (; count < PAGES && offset + KYMO_CHUNK_ALIGN <= store.file.mapped; count++) {
		*(volatile char *)(store.file.base + offset) = 0;
		after = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		pagecost_insert(sorted, count, after - before);
		before = after;
		offset += KYMO_CHUNK_ALIGN;
	}
	/* A file's first pages take longer than most. */
	return count < PAGES_MIN ? 0 : sorted[count / 8];
}

void pagecost_add(uint64_t bytes, uint64_t cpu_ns)
{
	__atomic_add_fetch(&begun.bytes, bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&begun.cpu_ns, cpu_ns, __ATOMIC_RELAXED);
}

uint64_t pagecost_byte_ps(void)
{
	uint64_t bytes = __atomic_load_n(&begun.bytes, __ATOMIC_RELAXED), page_ns = 0;

	if (bytes >= BYTES_MIN)
		return __atomic_load_n(&begun.cpu_ns, __ATOMIC_RELAXED) * 1000 / bytes;
	if (!store_lock())
		return 0;
	if (store.header && store.header->state == KYMO_STATE_OPEN && !store.file.is_frozen)
		page_ns = time_pages();
	store_unlock();
	return page_ns * 1000 / KYMO_CHUNK_ALIGN;
}
