/* Decoding by tables of opcodes (x86_64/patchopcodes.h), 64-bit mode. */
#include "patch/decode/x86_64/patchcode.h"

#include <string.h>

#include "patch/decode/x86_64/patchopcodes.h"

#define LENGTH_MAX 15u

struct reading {
	const uint8_t *at, *end;
	uint8_t rex;
	bool is_short_address; /* 67 */
	bool is_bad;
};

static inline uint32_t patchcode_take(struct reading *reading, unsigned size)
{
	uint32_t value = 0;

	if ((size_t)(reading->end - reading->at) < size) {
		reading->is_bad = true;
		return 0;
	}
	switch (size) {
	case 1:
		value = *reading->at;
		break;
	case 2:
		value = (uint32_t)(reading->at[0] | reading->at[1] << 8);
		break;
	default:
		memcpy(&value, reading->at, 4);
	}
	reading->at += size;
	return value;
}

static uint8_t prefix_of(uint8_t byte)
{
	switch (byte) {
	case 0x66:
		return PATCH_PREFIX_SHORT;
	case 0xf2:
		return PATCH_PREFIX_F2;
	case 0xf3:
		return PATCH_PREFIX_F3;
	case 0xf0:
		return PATCH_PREFIX_LOCK;
	case 0x64:
	case 0x65:
		return PATCH_PREFIX_THREAD;
	default:
		return 0;
	}
}

/* Returns the first byte that is no prefix.  REX only counts right before that. */
static uint8_t take_prefixes(struct reading *reading, struct patch_code *out)
{
	for (;;) {
		uint8_t byte = (uint8_t)patchcode_take(reading, 1);

		if (reading->is_bad || !(patchopcodes_one[byte] & P))
			return byte;
		if ((byte & 0xf0) == 0x40) {
			reading->rex = byte;
			continue;
		}
		reading->rex = 0;
		out->prefixes |= prefix_of(byte);
		reading->is_short_address |= byte == 0x67;
	}
}

/* Decode C4, C5 (VEX), 62 (EVEX) and 8F (XOP) prefixes; returns what follows the opcode. */
static uint8_t take_vector(struct reading *reading, uint8_t first, struct patch_code *out)
{
	uint8_t one = (uint8_t)patchcode_take(reading, 1), two = one;

	out->is_vector = true;
	reading->rex =
		(uint8_t)((one & 0x80 ? 0 : 4) | (one & 0x40 ? 0 : 2) | (one & 0x20 ? 0 : 1));
	out->map = 2;
	if (first == 0xc5) {
		reading->rex &= 4;
	} else {
		two = (uint8_t)patchcode_take(reading, 1);
		out->is_wide = two >> 7;
		if (first == 0x62)
			patchcode_take(reading, 1);
		out->map = (uint8_t)(first == 0x62   ? (one & 7) + 1
				     : first == 0x8f ? one & 0x1f
						     : (one & 0x1f) + 1);
	}
	out->opcode = (uint8_t)patchcode_take(reading, 1);
	if (first == 0x8f)
		return out->map == 8 ? M | B : out->map == 9 ? M : out->map == 10 ? M | D : X;
	switch (out->map) {
	case 2:
		return patchopcodes_two[out->opcode] & D ? M : patchopcodes_two[out->opcode];
	case 3:
		return M;
	case 4:
		return M | B;
	case 6: /* EVEX: half precision */
	case 7:
		return first == 0x62 ? M : X;
	default:
		return X;
	}
}

static uint8_t patchcode_take_opcode(struct reading *reading, struct patch_code *out)
{
	uint8_t byte = take_prefixes(reading, out), form;

	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62 ||
	    (byte == 0x8f && reading->at < reading->end && (*reading->at & 0x1f) >= 8))
		return take_vector(reading, byte, out);
	out->is_wide = reading->rex & 8;
	out->opcode = byte;
	out->map = 1;
	if (byte != 0x0f)
		return patchopcodes_one[byte];
	out->opcode = (uint8_t)patchcode_take(reading, 1);
	out->map = 2;
	form = patchopcodes_two[out->opcode];
	if (form == S) {
		out->map = out->opcode == 0x38 ? 3 : 4;
		out->opcode = (uint8_t)patchcode_take(reading, 1);
		return out->map == 3 ? M : M | B;
	}
	return form;
}

static void patchcode_take_memory(struct reading *reading, unsigned mod, unsigned low,
				  struct patch_code *out)
{
	out->is_memory = true;
	out->base = (uint8_t)(low | (reading->rex & 1) << 3);
	out->index = PATCH_NO_REGISTER;
	out->scale = 1;
	if (low == 4) {
		uint8_t sib = (uint8_t)patchcode_take(reading, 1);

		low = sib & 7;
		out->scale = (uint8_t)(1u << (sib >> 6));
		out->base = (uint8_t)(low | (reading->rex & 1) << 3);
		out->index = (uint8_t)((sib >> 3 & 7) | (reading->rex & 2) << 2);
		if (out->index == 4)
			out->index = PATCH_NO_REGISTER;
		if (mod == 0 && low == 5) {
			out->base = PATCH_NO_REGISTER;
			mod = 2;
		}
	} else if (mod == 0 && low == 5) {
		out->base = PATCH_NO_REGISTER;
		out->is_rip_relative = true;
		mod = 2;
	}
	if (mod == 1)
		out->displacement = (int8_t)patchcode_take(reading, 1);
	else if (mod == 2)
		out->displacement = (int32_t)patchcode_take(reading, 4);
}

static void patchcode_take_modrm(struct reading *reading, struct patch_code *out)
{
	uint8_t byte = (uint8_t)patchcode_take(reading, 1);

	out->has_modrm = true;
	out->modrm_reg = byte >> 3 & 7;
	out->reg = (uint8_t)(out->modrm_reg | (reading->rex & 4) << 1);
	if (byte >> 6 == 3)
		out->rm = (uint8_t)((byte & 7) | (reading->rex & 1) << 3);
	else
		patchcode_take_memory(reading, byte >> 6, byte & 7, out);
}

static void take_address(struct reading *reading, struct patch_code *out)
{
	uint64_t low = patchcode_take(reading, 4);

	out->immediate = (int64_t)low;
	if (!reading->is_short_address)
		out->immediate = (int64_t)(low | (uint64_t)patchcode_take(reading, 4) << 32);
}

static void patchcode_take_immediate(struct reading *reading, uint8_t form, struct patch_code *out)
{
	bool is_short = out->prefixes & PATCH_PREFIX_SHORT && !out->is_wide && !out->is_vector;

	if (form & S && out->map == 1) {
		if (out->opcode < 0xb0)
			take_address(reading, out);
		else if (out->opcode >= 0xf6)
			form = (uint8_t)(out->modrm_reg > 1 ? 0 : out->opcode == 0xf6 ? B : Z);
		else if (out->is_wide)
			take_address(reading, out); /* mov with all 64 bits */
		else
			form = Z;
	}
	if (form & W)
		out->immediate = (int64_t)patchcode_take(reading, 2);
	if (form & B)
		out->immediate = (int8_t)patchcode_take(reading, 1);
	if (form & Z && is_short)
		out->immediate = (int16_t)patchcode_take(reading, 2);
	else if (form & (Z | D))
		out->immediate = (int32_t)patchcode_take(reading, 4);
}

static uint8_t kind_of_group(const struct patch_code *code)
{
	static const uint8_t kinds[] = {[2] = PATCH_CODE_CALL_INDIRECT,
					[3] = PATCH_CODE_UNSUPPORTED,
					[4] = PATCH_CODE_JUMP_INDIRECT,
					[5] = PATCH_CODE_UNSUPPORTED,
					[7] = PATCH_CODE_UNSUPPORTED};

	return kinds[code->modrm_reg];
}

static uint8_t kind_of_one(const struct patch_code *code)
{
	switch (code->opcode) {
	case 0x70 ... 0x7f:
		return PATCH_CODE_CONDITIONAL;
	case 0xc2 ... 0xc3:
		return PATCH_CODE_RETURN;
	case 0xc7: /* xbegin */
		return code->modrm_reg == 7 ? PATCH_CODE_LOOP : PATCH_CODE_PLAIN;
	case 0xca ... 0xcb:
	case 0xcf:
		return PATCH_CODE_UNSUPPORTED;
	case 0xcc:
		return PATCH_CODE_TRAP;
	case 0xe0 ... 0xe3:
		return PATCH_CODE_LOOP;
	case 0xe8:
		return PATCH_CODE_CALL;
	case 0xe9:
	case 0xeb:
		return PATCH_CODE_JUMP;
	case 0xf4:
		return PATCH_CODE_STOP;
	case 0xff:
		return kind_of_group(code);
	default:
		return PATCH_CODE_PLAIN;
	}
}

static uint8_t kind_of_two(const struct patch_code *code)
{
	switch (code->opcode) {
	case 0x80 ... 0x8f:
		return PATCH_CODE_CONDITIONAL;
	case 0x0b:
	case 0xb9:
	case 0xff:
		return PATCH_CODE_STOP;
	case 0x07: /* sysret */
	case 0x35:
		return PATCH_CODE_UNSUPPORTED;
	default:
		return PATCH_CODE_PLAIN;
	}
}

/* Direct branches without prefixes: half of all instructions that patchcode_skip() does not
 * handle. */
static bool patchcode_take_branch(const uint8_t *bytes, size_t size, struct patch_code *out)
{
	int32_t distance;
	uint8_t byte;

	if (size < 6)
		return false;
	byte = bytes[0];
	out->map = 1;
	out->opcode = byte;
	if ((byte & 0xf0) == 0x70 || byte == 0xeb) {
		out->kind = byte == 0xeb ? PATCH_CODE_JUMP : PATCH_CODE_CONDITIONAL;
		out->length = 2;
		out->immediate = (int8_t)bytes[1];
		return true;
	}
	if (byte == 0xe8 || byte == 0xe9) {
		out->kind = byte == 0xe9 ? PATCH_CODE_JUMP : PATCH_CODE_CALL;
		out->length = 5;
	} else if (byte == 0x0f && (bytes[1] & 0xf0) == 0x80) {
		out->kind = PATCH_CODE_CONDITIONAL;
		out->map = 2;
		out->opcode = bytes[1];
		out->length = 6;
	} else {
		return false;
	}
	memcpy(&distance, bytes + out->length - 4, sizeof(distance));
	out->immediate = distance;
	return true;
}

bool patchcode_decode(const uint8_t *bytes, size_t size, struct patch_code *out)
{
	struct reading reading = {bytes, bytes + (size < LENGTH_MAX ? size : LENGTH_MAX), 0, false,
				  false};
	uint8_t form;

	memset(out, 0, sizeof(*out));
	out->base = out->index = PATCH_NO_REGISTER;
	if (patchcode_take_branch(bytes, size, out))
		return true;
	form = patchcode_take_opcode(&reading, out);
	if (form & (X | P) || reading.is_bad)
		return false;
	if (form & M)
		patchcode_take_modrm(&reading, out);
	else
		out->rm = (uint8_t)((out->opcode & 7) | (reading.rex & 1) << 3);
	if (form & ~M)
		patchcode_take_immediate(&reading, form, out);
	out->length = (uint8_t)(reading.at - bytes);
	if (!out->is_vector)
		out->kind = out->map == 1 ? kind_of_one(out) : out->map == 2 ? kind_of_two(out) : 0;
	return !reading.is_bad;
}

bool patchcode_is_nop(const struct patch_code *code)
{
	if (code->is_vector)
		return false;
	if (code->map == 2)
		return code->opcode == 0x1f && code->modrm_reg == 0;
	if (code->map != 1)
		return false;
	if (code->opcode == 0x90)
		return !(code->prefixes & (PATCH_PREFIX_F3 | PATCH_PREFIX_LOCK)) && code->rm == 0;
	if (code->opcode == 0x8d && code->is_wide) /* lea rsi, [rsi + 0] */
		return code->displacement == 0 && code->base == code->reg &&
		       code->index == PATCH_NO_REGISTER;
	return false;
}

bool patchcode_is_endbr(const uint8_t *bytes, size_t size)
{
	return size >= 4 && memcmp(bytes, "\xf3\x0f\x1e\xfa", 4) == 0;
}
