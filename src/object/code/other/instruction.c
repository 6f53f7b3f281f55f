/* Processors without an instruction decoder. */
#include "object/code/x86_64/instruction.h"

bool instruction_decode(const uint8_t *code, size_t size, struct instruction *out)
{
	(void)code;
	(void)size;
	(void)out;
	return false;
}
