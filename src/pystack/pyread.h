/* Reading an interpreter's memory: of another process through its pymemory; of this one directly if
 * it is known to be readable, else by system call.
 *
 * A page of this process that the kernel could read is read directly for a while.  Only live
 * objects are read, to which the calling thread's own frames refer: only an invalid pointer could
 * lead to a page that has been unmapped since; if one is possible, pyread_probe() or
 * pyread_checked() is used.  Context: any. */
#ifndef KYMO_PYREAD_H
#define KYMO_PYREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pystack/pystack.h"

#define PYREAD_MAX    1024u /* bytes of one read */
#define PYREAD_WINDOW 3072u

struct pyreader {
	const struct pymemory *memory; /* NULL = this process */
	int system_id;		       /* of the calling thread, 0 = not known */
	uint64_t age;		       /* of the known pages, now */
	/* Of this process: a range that is certainly mapped. */
	uint64_t mapped_low, mapped_high;
	/* Of this process: a range that another thread may unmap.  It is copied in pieces to the
	 * window. */
	uint64_t guarded_low, guarded_high;
	uint64_t window_low, window_high;
	unsigned char *window; /* PYREAD_WINDOW bytes of the caller, if there is a guarded range */
};

void pyreader_begin(struct pyreader *reader, const struct pymemory *memory);

/* The slow path of pyread_at(). */
const unsigned char *pyread_slowly(struct pyreader *reader, uint64_t address, void *buffer,
				   size_t size);

/* size bytes at address: in place, or, if they had to be copied, in buffer or in the window.  NULL:
 * unreadable. */
static inline const unsigned char *pyread_at(struct pyreader *reader, uint64_t address,
					     void *buffer, size_t size)
{
	if (address >= reader->mapped_low && address + size <= reader->mapped_high)
		return (const unsigned char *)(uintptr_t)address;
	return pyread_slowly(reader, address, buffer, size);
}

/* Copy size bytes.  False: unreadable. */
static inline bool pyread(struct pyreader *reader, uint64_t address, void *to, size_t size)
{
	const unsigned char *bytes = pyread_at(reader, address, to, size);

	if (bytes && bytes != to)
		memcpy(to, bytes, size);
	return bytes != NULL;
}

/* Ask the kernel whether size bytes of this process are readable now, whatever is known of the
 * page; true for another process. */
bool pyread_probe(const struct pyreader *reader, uint64_t address, size_t size);

/* As pyread(), by the kernel in any case. */
bool pyread_checked(struct pyreader *reader, uint64_t address, void *to, size_t size);

static inline bool pyread_word(struct pyreader *reader, uint64_t address, uint64_t *to)
{
	return pyread(reader, address, to, sizeof(*to));
}

static inline bool pyread_u32(struct pyreader *reader, uint64_t address, uint32_t *to)
{
	return pyread(reader, address, to, sizeof(*to));
}

/* A possible address of an object: aligned, in user space, not in the first page. */
static inline bool pyread_is_object(uint64_t address)
{
	return address % 8 == 0 && address >= 4096 && address < UINT64_C(1) << 56;
}

/* A word, or half of one, of bytes that were read. */
static inline uint64_t pyread_field(const void *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, (const char *)bytes + offset, sizeof(word));
	return word;
}

static inline uint32_t pyread_field32(const void *bytes, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, (const char *)bytes + offset, sizeof(word));
	return word;
}

#endif
