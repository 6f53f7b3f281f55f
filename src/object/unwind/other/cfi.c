/* Processors whose stacks are unwound by frame pointers only: there are no rows. */
#include "object/unwind/cfi_program.h"

enum cfi_register cfi_register_of(uint64_t number)
{
	(void)number;
	return CFI_REGISTERS;
}

void cfi_reduce(const struct cfi_state *state, struct cfi_row *row_out)
{
	static const struct cfi_row none;

	(void)state;
	*row_out = none;
}
