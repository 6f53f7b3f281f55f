/* A table of pages that could be read a moment ago, so that reading what is there costs no
 * system call.  Entries are single words, written without a lock: one that is lost is asked
 * for again.  They are forgotten after a fraction of a second. */
#include "pystack/pyread.h"

#include <stdatomic.h>
#include <string.h>

#include "platform/ticks.h"
#include "platform/unwind.h"

#define PAGE_BITS   12
#define ENTRY_COUNT 1024u /* pages remembered, a power of two */
#define AGE_BITS    12	  /* of an entry, below the page's number */
#define TICK_BITS   29	  /* an age has 2^29 ticks or ns: a fraction of a second */

static _Atomic uint64_t known_pages[ENTRY_COUNT];

/* Without AddressSanitizer's opinion: these are other people's objects. */
__attribute__((no_sanitize("address"))) static void copy(uint64_t address, void *to, size_t size)
{
	const volatile unsigned char *from = (const volatile unsigned char *)(uintptr_t)address;
	unsigned char *bytes = to;
	uint64_t word;

	for (; size >= sizeof(word) && (uintptr_t)from % sizeof(word) == 0; size -= sizeof(word)) {
		word = *(const volatile uint64_t *)(const volatile void *)from;
		memcpy(bytes, &word, sizeof(word));
		from += sizeof(word);
		bytes += sizeof(word);
	}
	for (; size > 0; size--)
		*bytes++ = *from++;
}

void pyreader_begin(struct pyreader *reader, const struct pymemory *memory)
{
	memset(reader, 0, sizeof(*reader));
	reader->memory = memory && memory->read ? memory : NULL;
	if (!reader->memory)
		reader->age = (ticks_read() >> TICK_BITS) & ((1u << AGE_BITS) - 1);
}

static bool page_is_there(const struct pyreader *reader, uint64_t page)
{
	uint64_t entry = page << AGE_BITS | reader->age, word;
	_Atomic uint64_t *place = &known_pages[(page ^ page >> 10) % ENTRY_COUNT];

	if (atomic_load_explicit(place, memory_order_relaxed) == entry)
		return true;
	if (!unwind_copy(page << PAGE_BITS, &word, sizeof(word)))
		return false;
	atomic_store_explicit(place, entry, memory_order_relaxed);
	return true;
}

/* From the window, which is filled with what lies before the end of what is asked for: the
 * callers of a frame stand below it.  It begins with a page at the lowest, since the page
 * before may not be there. */
static bool read_guarded(struct pyreader *reader, uint64_t address, void *to, size_t size)
{
	uint64_t end = address + size, low = address >> PAGE_BITS << PAGE_BITS;

	if (size > PYREAD_WINDOW)
		return false;
	if (address < reader->window_low || end > reader->window_high) {
		reader->window_low = reader->window_high = 0;
		if (end - low > PYREAD_WINDOW)
			low = end - PYREAD_WINDOW;
		if (!unwind_copy(low, reader->window, end - low))
			return false;
		reader->window_low = low;
		reader->window_high = end;
	}
	memcpy(to, reader->window + (address - reader->window_low), size);
	return true;
}

bool pyread(struct pyreader *reader, uint64_t address, void *to, size_t size)
{
	uint64_t end = address + size, first = address >> PAGE_BITS, last = (end - 1) >> PAGE_BITS;

	if (reader->memory)
		return reader->memory->read(reader->memory->context, address, to, size);
	if (end < address || end >= UINT64_C(1) << 56)
		return false;
	if (address >= reader->guarded_low && end <= reader->guarded_high)
		return read_guarded(reader, address, to, size);
	if ((address < reader->sure_low || end > reader->sure_high) &&
	    (!page_is_there(reader, first) || (last != first && !page_is_there(reader, last))))
		return false;
	copy(address, to, size);
	return true;
}

bool pyread_checked(struct pyreader *reader, uint64_t address, void *to, size_t size)
{
	if (reader->memory)
		return reader->memory->read(reader->memory->context, address, to, size);
	return unwind_copy(address, to, size);
}
