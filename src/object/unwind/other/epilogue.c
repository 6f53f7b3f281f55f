/* No code of this processor can be followed. */
#include "object/unwind/epilogue.h"

bool unwind_row_by_epilogue(const uint8_t *code, size_t before, size_t size, uint64_t generation,
			    struct cfi_row *row_out)
{
	(void)code, (void)before, (void)size, (void)generation, (void)row_out;
	return false;
}
