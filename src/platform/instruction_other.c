/* Processors whose instructions are not followed: none is known. */
#include "platform/instruction_x86_64.h"

bool instruction_decode(const uint8_t *code, size_t size, struct instruction *out)
{
	(void)code;
	(void)size;
	(void)out;
	return false;
}
