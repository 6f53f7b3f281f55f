/* Decoding of PLT entries: psABI for x86-64, "Procedure Linkage Table", with and without the
 * landing pad instruction of indirect-branch tracking. */
#include "object/symbols/x86_64/plt.h"

#include <string.h>

static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */

/* Number of bytes before the decisive instruction. */
static size_t prefix_size(const unsigned char *code, size_t size)
{
	size_t at = size >= sizeof(landing) && memcmp(code, landing, sizeof(landing)) == 0
			    ? sizeof(landing)
			    : 0;

	return at < size && code[at] == 0xf2 ? at + 1 : at; /* bnd */
}

bool plt_x86_64_slot(const unsigned char *code, size_t size, uint64_t address, uint64_t *slot_out)
{
	size_t at = prefix_size(code, size);
	int32_t distance;

	if (size - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&distance, code + at + 2, sizeof(distance));
	*slot_out = address + at + 6 + (uint64_t)(int64_t)distance;
	return true;
}

bool plt_x86_64_number(const unsigned char *code, size_t size, uint32_t *number_out)
{
	size_t at = prefix_size(code, size);

	if (size - at < 5 || code[at] != 0x68)
		return false;
	memcpy(number_out, code + at + 1, sizeof(*number_out));
	return true;
}
