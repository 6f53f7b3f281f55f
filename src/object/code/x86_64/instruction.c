/* Lengths by opcode (Intel's manual, volume 2, appendix A), 64-bit mode. */
#include "object/code/x86_64/instruction.h"

#include "object/unwind/cfi_bytes.h"

enum { NO_IMMEDIATE, IMMEDIATE_8, IMMEDIATE_16, IMMEDIATE_32, IMMEDIATE_64 };

struct form {
	bool has_modrm;
	uint8_t immediate;
	bool is_invalid;
};

struct prefixes {
	bool is_short; /* 66: 16-bit immediates */
	uint8_t rex;
};

static const struct form none = {false, NO_IMMEDIATE, false};
static const struct form modrm = {true, NO_IMMEDIATE, false};
static const struct form modrm_8 = {true, IMMEDIATE_8, false};
static const struct form modrm_32 = {true, IMMEDIATE_32, false};
static const struct form plain_8 = {false, IMMEDIATE_8, false};
static const struct form plain_32 = {false, IMMEDIATE_32, false};
static const struct form invalid = {false, NO_IMMEDIATE, true};

static struct form form_of_arithmetic(uint8_t opcode)
{
	switch (opcode & 7) {
	case 4:
		return plain_8;
	case 5:
		return plain_32;
	case 6:
	case 7:
		return invalid;
	default:
		return modrm;
	}
}

/* Opcodes of one byte; next is the following byte, which distinguishes tests from the rest. */
static struct form form_of_one(uint8_t opcode, uint8_t next, bool is_wide)
{
	switch (opcode) {
	case 0x00 ... 0x3f:
		return form_of_arithmetic(opcode);
	case 0x63:
	case 0x84 ... 0x8f:
	case 0xd0 ... 0xd3:
	case 0xd8 ... 0xdf:
	case 0xfe ... 0xff:
		return modrm;
	case 0x68:
	case 0xa9:
	case 0xe8 ... 0xe9:
		return plain_32;
	case 0x69:
	case 0x81:
	case 0xc7:
		return modrm_32;
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0 ... 0xc1:
	case 0xc6:
		return modrm_8;
	case 0x6a:
	case 0x70 ... 0x7f:
	case 0xa8:
	case 0xb0 ... 0xb7:
	case 0xcd:
	case 0xe0 ... 0xe7:
	case 0xeb:
		return plain_8;
	case 0xa0 ... 0xa3:
		return (struct form){false, IMMEDIATE_64, false};
	case 0xb8 ... 0xbf:
		return is_wide ? (struct form){false, IMMEDIATE_64, false} : plain_32;
	case 0xc2:
		return (struct form){false, IMMEDIATE_16, false};
	case 0xf6:
		return (next & 0x30) == 0 ? modrm_8 : modrm;
	case 0xf7:
		return (next & 0x30) == 0 ? modrm_32 : modrm;
	case 0x60 ... 0x62:
	case 0x82:
	case 0x9a:
	case 0xc4 ... 0xc5:
	case 0xc8:
	case 0xce:
	case 0xd4 ... 0xd6:
	case 0xea:
		return invalid;
	default:
		return none;
	}
}

/* Opcodes after 0F, and those of the first vector map. */
static struct form form_of_two(uint8_t opcode)
{
	switch (opcode) {
	case 0x05 ... 0x09:
	case 0x0b:
	case 0x30 ... 0x37:
	case 0x77:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return none;
	case 0x80 ... 0x8f:
		return plain_32;
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return modrm_8;
	default:
		return modrm;
	}
}

static void instruction_take_memory(struct cfi_bytes *bytes, uint8_t low, uint8_t rex,
				    struct instruction *out)
{
	out->base = (uint8_t)(low | (rex & 1) << 3);
	if (low == 4) {
		uint8_t sib = cfi_u8(bytes);

		low = sib & 7;
		out->base = (uint8_t)(low | (rex & 1) << 3);
		out->index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
		if (out->index == 4)
			out->index = INSTRUCTION_NO_BASE;
	}
	if (out->mod == 0 && low == 5) {
		out->base = INSTRUCTION_NO_BASE;
		out->displacement = (int32_t)cfi_u32(bytes);
	} else if (out->mod == 1) {
		out->displacement = (int8_t)cfi_u8(bytes);
	} else if (out->mod == 2) {
		out->displacement = (int32_t)cfi_u32(bytes);
	}
}

static void instruction_take_modrm(struct cfi_bytes *bytes, uint8_t rex, struct instruction *out)
{
	uint8_t byte = cfi_u8(bytes);

	out->has_modrm = true;
	out->mod = byte >> 6;
	out->reg = (uint8_t)((byte >> 3 & 7) | (rex & 4) << 1);
	if (out->mod == 3)
		out->rm = (uint8_t)((byte & 7) | (rex & 1) << 3);
	else
		instruction_take_memory(bytes, byte & 7, rex, out);
}

static void instruction_take_immediate(struct cfi_bytes *bytes, uint8_t size, bool is_short,
				       struct instruction *out)
{
	switch (size) {
	case IMMEDIATE_8:
		out->immediate = (int8_t)cfi_u8(bytes);
		break;
	case IMMEDIATE_16:
		out->immediate = (int16_t)cfi_u16(bytes);
		break;
	case IMMEDIATE_32:
		out->immediate = is_short ? (int16_t)cfi_u16(bytes) : (int32_t)cfi_u32(bytes);
		break;
	case IMMEDIATE_64:
		out->immediate = (int64_t)cfi_u64(bytes);
		break;
	}
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 ||
	       byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
	       byte == 0x65;
}

/* After the first byte of VEX (C4, C5) or EVEX (62); returned in REX form.  False: no map. */
static bool take_vector_prefix(struct cfi_bytes *bytes, uint8_t first, uint8_t *rex,
			       struct instruction *out)
{
	uint8_t one = cfi_u8(bytes), two;

	out->is_vector = true;
	*rex = (uint8_t)((one & 0x80 ? 0 : 4) | (one & 0x40 ? 0 : 2) | (one & 0x20 ? 0 : 1));
	out->other = ~one >> 3 & 15;
	if (first == 0xc5) {
		*rex &= 4;
		out->map = 2;
		return true;
	}
	two = cfi_u8(bytes);
	out->other = ~two >> 3 & 15;
	out->is_wide = two >> 7;
	if (first == 0x62)
		cfi_u8(bytes);
	out->map = (uint8_t)((one & (first == 0x62 ? 7 : 0x1f)) + 1);
	return out->map >= 2 && out->map <= 4;
}

static struct form instruction_take_opcode(struct cfi_bytes *bytes, uint8_t byte,
					   struct prefixes *before, struct instruction *out)
{
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		if (!take_vector_prefix(bytes, byte, &before->rex, out))
			return invalid;
		before->is_short = false;
		out->opcode = cfi_u8(bytes);
		return out->map == 2 ? form_of_two(out->opcode) : out->map == 3 ? modrm : modrm_8;
	}
	out->map = 1;
	out->is_wide = before->rex & 8;
	out->opcode = byte;
	if (byte != 0x0f)
		return form_of_one(byte, cfi_left(bytes) ? *bytes->at : 0, out->is_wide);
	out->map = 2;
	out->opcode = cfi_u8(bytes);
	if (out->opcode != 0x38 && out->opcode != 0x3a)
		return form_of_two(out->opcode);
	out->map = out->opcode == 0x38 ? 3 : 4;
	out->opcode = cfi_u8(bytes);
	return out->map == 3 ? modrm : modrm_8;
}

bool instruction_decode(const uint8_t *code, size_t size, struct instruction *out)
{
	struct cfi_bytes bytes = {code, code + (size < 15 ? size : 15), false};
	struct prefixes before = {false, 0};
	uint8_t byte = cfi_u8(&bytes);
	struct form form;

	memset(out, 0, sizeof(*out));
	out->base = out->index = INSTRUCTION_NO_BASE;
	for (; is_prefix(byte) && !bytes.is_bad; byte = cfi_u8(&bytes))
		before.is_short |= byte == 0x66;
	if ((byte & 0xf0) == 0x40) {
		before.rex = byte;
		byte = cfi_u8(&bytes);
	}
	form = instruction_take_opcode(&bytes, byte, &before, out);
	/* Branches always have 32 bits, whatever the prefix. */
	if ((out->map == 1 && (byte == 0xe8 || byte == 0xe9)) ||
	    (out->map == 2 && (out->opcode & 0xf0) == 0x80))
		before.is_short = false;
	if (form.has_modrm)
		instruction_take_modrm(&bytes, before.rex, out);
	instruction_take_immediate(&bytes, form.immediate, before.is_short, out);
	if (out->map == 1 && (out->opcode & 0xf8) >= 0x50 && (out->opcode & 0xf8) <= 0x58)
		out->rm = (uint8_t)((out->opcode & 7) | (before.rex & 1) << 3);
	else if (out->map == 1 && out->opcode >= 0xb0 && out->opcode <= 0xbf)
		out->rm = (uint8_t)((out->opcode & 7) | (before.rex & 1) << 3);
	out->length = (uint8_t)(bytes.at - code);
	return !bytes.is_bad && !form.is_invalid;
}
