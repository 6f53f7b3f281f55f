/* No such code of this processor is known. */
#include "object/unwind/thunk.h"

bool unwind_row_by_thunk(const uint8_t *code, size_t size, struct cfi_row *row_out)
{
	(void)code, (void)size, (void)row_out;
	return false;
}
