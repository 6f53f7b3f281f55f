/* Processors without detours: detourcode.h. */
#include "object/code/detourcode.h"

const char *const detourcode_unavailable = "functions are taken over on x86-64 only";

const char *detourcode_read(const unsigned char *code, size_t size, struct detourcode *out)
{
	(void)code, (void)size, (void)out;
	return detourcode_unavailable;
}

void detourcode_make(unsigned char room[DETOURCODE_BYTES], uint64_t address,
		     const unsigned char *moved, unsigned count, uint64_t behind, uint64_t target)
{
	(void)room, (void)address, (void)moved, (void)count, (void)behind, (void)target;
}

void detourcode_jump(unsigned char *room, uint64_t from, uint64_t to)
{
	(void)room, (void)from, (void)to;
}
