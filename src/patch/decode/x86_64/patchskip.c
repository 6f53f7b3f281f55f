/* The length of the most frequent instructions and their essential operands: sufficient for most of
 * a file's code. */
#include "patch/decode/x86_64/patchskip.h"

#include <string.h>

#include "patch/decode/x86_64/patchopcodes.h"

/* No branch, nop, lea, string of prefixes, nor anything else that needs full decoding. */
static bool is_frequent(uint8_t opcode)
{
	if (patchopcodes_one[opcode] & (X | P | S | D | W))
		return false;
	switch (opcode) {
	case 0x70 ... 0x7f:
	case 0x8d:
	case 0x8f ... 0x97:
	case 0xc3:
	case 0xc7:
	case 0xca ... 0xcf:
	case 0xe0 ... 0xeb:
	case 0xf4:
	case 0xff:
	case 0x0f:
		return false;
	default:
		return true;
	}
}

static bool is_frequent_of_two(uint8_t opcode)
{
	switch (opcode) {
	case 0x10 ... 0x17:
	case 0x28 ... 0x2f:
	case 0x40 ... 0x6f:
	case 0x90 ... 0x9f:
	case 0xa3:
	case 0xab:
	case 0xaf:
	case 0xb0 ... 0xb7:
	case 0xba ... 0xbf:
		return true;
	default:
		return false;
	}
}

unsigned patchcode_skip(const uint8_t *bytes, struct patch_code_skip *out)
{
	const uint8_t *at = bytes;
	bool is_short = false;
	uint8_t byte, form, low;
	out->count = 0;
	out->is_rip_relative = out->is_memory = false;
	if (*at == 0x66 || *at == 0xf2 || *at == 0xf3)
		is_short = *at++ == 0x66;
	if ((*at & 0xf0) == 0x40) {
		is_short &= !(*at & 8);
		at++;
	}
	byte = *at++;
	form = patchopcodes_one[byte];
	if (byte == 0x0f) {
		byte = *at++;
		form = patchopcodes_two[byte];
		if (!is_frequent_of_two(byte))
			return 0;
	} else if (!is_frequent(byte)) {
		return 0;
	}
	out->moves_stack = (byte & 0xf8) == 0x58 && !(form & M);
	if (form & M) {
		uint8_t modrm = *at++, mod = modrm >> 6;

		low = modrm & 7;
		out->is_memory = mod != 3;
		out->moves_stack = (modrm & 0xc7) == 0xc4 || (modrm & 0xf8) == 0xe0;
		out->displacement = mod == 1 && low != 4 ? (int8_t)*at : 0;
		if (mod != 3 && low == 4) {
			low = *at++ & 7;
			out->displacement = mod == 1 ? (int8_t)*at : 0;
			mod = mod == 0 && low == 5 ? 2 : mod;
		} else if (mod == 0 && low == 5) {
			out->is_rip_relative = true;
			memcpy(&out->displacement, at, 4);
			at += 4;
			mod = 3;
		}
		if (mod == 2) {
			memcpy(&out->displacement, at, 4);
			out->numbers[out->count++] = out->displacement;
			at += 4;
		}
		at += mod == 1;
	}
	if (form & Z && !is_short) {
		memcpy(&out->numbers[out->count++], at, 4);
		at += 4;
	} else if (form & Z) {
		at += 2;
	}
	return (unsigned)(at - bytes) + (form & B ? 1 : 0);
}
