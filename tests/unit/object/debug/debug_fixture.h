/* Addresses of this program's own functions, as its file has them.  Include cmocka.h before. */
#ifndef KYMO_DEBUG_FIXTURE_H
#define KYMO_DEBUG_FIXTURE_H

#include <link.h>
#include <stdint.h>

#define THIS_PROGRAM "/proc/self/exe"

static inline int fixture_take_bias(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1; /* the program comes first */
}

/* function: cast to void (*)(void). */
static inline uint64_t file_address(void (*function)(void))
{
	uint64_t bias = 0;

	dl_iterate_phdr(fixture_take_bias, &bias);
	return (uint64_t)(uintptr_t)function - bias;
}
#define FILE_ADDRESS(function) file_address((void (*)(void))(function))

#endif
