/* System calls that need nothing of the C library, which may be what is being changed: no
 * errno, no wrapper, not a cancellation point.  A negative result is -errno.  Context: any. */
#ifndef KYMO_PATCHAPPLY_RAW_H
#define KYMO_PATCHAPPLY_RAW_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "platform/rawcall.h"

#define RAW_COPY_STRING 64u /* from here on one instruction that copies is the faster way */

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

/* What was written is code from now on: where processors do not see that by themselves. */
static inline __attribute__((always_inline)) void raw_flush(uint64_t start, uint64_t size)
{
#if defined(__aarch64__)
	uint64_t kinds, data_line, code_line;

	/* CTR_EL0 says how long lines are, in words as a power of two. */
	__asm__("mrs %0, ctr_el0" : "=r"(kinds));
	data_line = UINT64_C(4) << (kinds >> 16 & 15);
	code_line = UINT64_C(4) << (kinds & 15);
	for (uint64_t at = start & ~(data_line - 1); at < start + size; at += data_line)
		__asm__ volatile("dc cvau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish" : : : "memory");
	for (uint64_t at = start & ~(code_line - 1); at < start + size; at += code_line)
		__asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
	__asm__ volatile("dsb ish\n\tisb" : : : "memory");
#else
	(void)start;
	(void)size;
#endif
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

#if defined(__x86_64__)
	if (size >= RAW_COPY_STRING) {
		__asm__ volatile("rep movsb" : "+D"(out), "+S"(in), "+c"(size) : : "memory");
		return;
	}
#endif
	for (size_t i = 0; i < size; i++) {
		out[i] = in[i];
		__asm__ volatile("" ::: "memory"); /* or it becomes a call of memcpy() */
	}
}

#endif
