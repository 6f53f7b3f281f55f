/* The stubs of an ELF file's procedure linkage tables, and the functions they call.  Empty for
 * processors whose stubs are not supported. */
#ifndef KYMO_PLT_STUBS_H
#define KYMO_PLT_STUBS_H

#include <gelf.h>
#include <stdint.h>

struct plt_stub {
	uint64_t start, size;
	const char *function; /* belongs to elf; NULL: see target */
	uint64_t target;      /* the resolver (ifunc) that chooses the implementation */
};

typedef void (*plt_stub_fn)(const struct plt_stub *stub, void *context);

void plt_stubs_each(Elf *elf, plt_stub_fn visit, void *context);

#endif
