/* Processors whose locations of values are not implemented: none is recorded. */
#include "collectors/functions/records/funcpatch_values.h"

void funcpatch_values_registers(struct funcpatch_call *call, const uint64_t *saved)
{
	(void)call;
	(void)saved;
}

void funcpatch_values_x87(uint8_t out[16])
{
	(void)out;
}

uint64_t funcpatch_values_vector(void)
{
	return 0;
}

bool funcpatch_values_turn(uint64_t slot)
{
	(void)slot;
	return false;
}
