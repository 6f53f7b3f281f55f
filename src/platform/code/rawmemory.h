/* System calls without the C library, which may be what is being changed: no errno, no wrapper, not
 * a cancellation point.  A negative result is -errno.  Context: any. */
#ifndef KYMO_RAWMEMORY_H
#define KYMO_RAWMEMORY_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "platform/code/codecpu.h"
#include "platform/rawcall.h"

static inline __attribute__((always_inline)) long
raw_map(uint64_t address, uint64_t size, int protection, int flags, int fd, uint64_t offset)
{
	return raw_call6(SYS_mmap, (long)address, (long)size, protection, flags, fd, (long)offset);
}

static inline __attribute__((always_inline)) long raw_unmap(uint64_t address, uint64_t size)
{
	return raw_call(SYS_munmap, (long)address, (long)size, 0);
}

static inline __attribute__((always_inline)) long raw_protect(uint64_t address, uint64_t size,
							      int protection)
{
	return raw_call(SYS_mprotect, (long)address, (long)size, protection);
}

/* Four bytes at any address: one access, and never a call. */
typedef uint32_t raw_any_word __attribute__((may_alias, aligned(1)));

static inline __attribute__((always_inline)) uint32_t raw_word(const void *at)
{
	return *(const raw_any_word *)at;
}

static inline __attribute__((always_inline)) void raw_word_put(void *at, uint32_t word)
{
	*(raw_any_word *)at = word;
}

static inline __attribute__((always_inline)) void raw_copy(void *to, const void *from, size_t size)
{
	unsigned char *out = to;
	const unsigned char *in = from;

	if (raw_copy_string(to, from, size))
		return;
	for (size_t i = 0; i < size; i++) {
		out[i] = in[i];
		__asm__ volatile("" ::: "memory"); /* or the compiler makes it a call of memcpy() */
	}
}

#endif
