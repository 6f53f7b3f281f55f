/* Without a decoder there is no disassembly. */
#include "patch/decode/patchtext.h"

size_t patchtext(const unsigned char *code, size_t bytes, uint64_t address,
		 char text[PATCHTEXT_SIZE])
{
	(void)code;
	(void)bytes;
	(void)address;
	(void)text;
	return 0;
}
