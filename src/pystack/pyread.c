/* A table of pages that were readable a moment ago, so that reading them costs no system call.
 * Entries are single words, written without a lock: a lost one is checked again.  They expire after
 * a fraction of a second. */
#include "pystack/pyread.h"

#include <stdatomic.h>

#include "platform/readable.h"
#include "platform/ticks.h"

#define PAGE_BITS   12
#define PAGE_BYTES  ((uint64_t)1 << PAGE_BITS)
#define ENTRY_COUNT 1024u /* pages remembered, a power of two */
#define AGE_BITS    20	  /* of an entry, below the page's number: it wraps around after days */
#define TICK_BITS   29	  /* an age has 2^29 ticks or ns: a fraction of a second */

static _Atomic uint64_t known_pages[ENTRY_COUNT];

void pyreader_begin(struct pyreader *reader, const struct pymemory *memory)
{
	memset(reader, 0, sizeof(*reader));
	reader->memory = memory && memory->read ? memory : NULL;
	reader->system_id = memory ? memory->system_id : 0;
	if (!reader->memory)
		reader->age = (ticks_read() >> TICK_BITS) & ((1u << AGE_BITS) - 1);
}

static bool page_is_there(const struct pyreader *reader, uint64_t address)
{
	uint64_t page = address >> PAGE_BITS, entry = page << AGE_BITS | reader->age;
	_Atomic uint64_t *place = &known_pages[(page ^ page >> 10) % ENTRY_COUNT];

	if (atomic_load_explicit(place, memory_order_relaxed) == entry)
		return true;
	if (!readable_page(address))
		return false;
	atomic_store_explicit(place, entry, memory_order_relaxed);
	return true;
}

/* From the window, which is filled with the memory before the end of the request: a frame's callers
 * are below it. */
static const unsigned char *read_guarded(struct pyreader *reader, uint64_t address, size_t size)
{
	uint64_t end = address + size, low = reader->guarded_low;

	if (address < reader->window_low || end > reader->window_high) {
		reader->window_low = reader->window_high = 0;
		if (end - low > PYREAD_WINDOW)
			low = end - PYREAD_WINDOW;
		if (!readable_copy_as(reader->system_id, low, reader->window, end - low))
			return NULL;
		reader->window_low = low;
		reader->window_high = end;
	}
	return reader->window + (address - reader->window_low);
}

const unsigned char *pyread_slowly(struct pyreader *reader, uint64_t address, void *buffer,
				   size_t size)
{
	uint64_t end = address + size;

	if (end < address || end >= UINT64_C(1) << 56 || size > PYREAD_MAX)
		return NULL;
	if (reader->memory)
		return reader->memory->read(reader->memory->context, address, buffer, size) ? buffer
											    : NULL;
	if (address >= reader->guarded_low && end <= reader->guarded_high)
		return read_guarded(reader, address, size);
	if (!page_is_there(reader, address) ||
	    ((address ^ (end - 1)) >= PAGE_BYTES && !page_is_there(reader, end - 1)))
		return NULL;
	return (const unsigned char *)(uintptr_t)address;
}

bool pyread_probe(const struct pyreader *reader, uint64_t address, size_t size)
{
	uint64_t last = address + size - 1;

	if (reader->memory)
		return true;
	return last >= address && readable_page(address) &&
	       ((address ^ last) < PAGE_BYTES || readable_page(last));
}

bool pyread_checked(struct pyreader *reader, uint64_t address, void *to, size_t size)
{
	if (reader->memory)
		return reader->memory->read(reader->memory->context, address, to, size);
	return readable_copy_as(reader->system_id, address, to, size);
}
