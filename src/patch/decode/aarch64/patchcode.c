/* Decoding, as far as the analysis needs it. */
#include "patch/decode/aarch64/patchcode.h"

#define HINT_LANDING_FIRST 0xd503241fu /* bti; bti c, j and jc are 32, 64, 96 further */
#define LINK_REGISTER	   30u

/* A signed immediate field of the word, scaled. */
static uint64_t patchcode_distance(uint32_t word, unsigned shift, unsigned bits,
				   unsigned unit_shift)
{
	uint64_t value = (uint64_t)(word >> shift) & ((UINT64_C(1) << bits) - 1);
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((value ^ sign) - sign) << unit_shift;
}

static void take_register_branch(uint32_t word, struct arm_code *out)
{
	uint32_t operation = word >> 21 & 15;

	out->by = word >> 5 & 31;
	/* retaa, braa and other authenticating branches have bit 11 set. */
	out->is_signed = word & 0x800;
	if (out->is_signed && (operation & 7) == 2)
		out->by = LINK_REGISTER;
	switch (operation & 7) {
	case 0:
		out->kind = ARM_JUMP_BY;
		break;
	case 1:
		out->kind = ARM_CALL_BY;
		break;
	case 2:
		out->kind = ARM_RETURN;
		break;
	default:
		out->kind = ARM_UNSUPPORTED;
	}
	if ((word & 0x001ff000) != 0x001f0000)
		out->kind = ARM_UNKNOWN;
}

/* Branches, exceptions, system instructions: bits 26 to 28 are 101. */
static void patchcode_take_branch(uint32_t word, uint64_t address, struct arm_code *out)
{
	if ((word & 0x7c000000) == 0x14000000) {
		out->kind = word >> 31 ? ARM_CALL : ARM_JUMP;
		out->target = address + patchcode_distance(word, 0, 26, 2);
	} else if ((word & 0xff000000) == 0x54000000 || (word & 0x7e000000) == 0x34000000) {
		out->kind = ARM_CONDITIONAL;
		out->target = address + patchcode_distance(word, 5, 19, 2);
	} else if ((word & 0x7e000000) == 0x36000000) {
		out->kind = ARM_CONDITIONAL;
		out->target = address + patchcode_distance(word, 5, 14, 2);
	} else if ((word & 0xfe000000) == 0xd6000000) {
		take_register_branch(word, out);
	} else if ((word & 0xffffff3f) == HINT_LANDING_FIRST || armcode_signs(word)) {
		out->kind = ARM_LANDING;
	} else if ((word & 0xff000000) == 0xd4000000) { /* svc and hvc continue */
		uint32_t operation = word >> 21 & 7;

		out->kind = operation == 0 && (word & 3) ? ARM_PLAIN : ARM_STOP;
	} else if ((word & 0xff000000) != 0xd5000000) {
		out->kind = ARM_UNKNOWN;
	}
}

void armcode_decode(uint32_t word, uint64_t address, struct arm_code *out)
{
	uint32_t group = word >> 25 & 15;

	*out = (struct arm_code){.word = word, .kind = ARM_PLAIN};
	if ((word & 0xffff0000) == 0) {
		out->kind = word == 0 ? ARM_UNKNOWN : ARM_STOP; /* udf */
	} else if (group == 1 || group == 3 || (group == 0 && !(word >> 31))) {
		out->kind = ARM_UNKNOWN;
	} else if ((word & 0x1c000000) == 0x14000000) {
		patchcode_take_branch(word, address, out);
	} else if ((word & 0x1f000000) == 0x10000000) {
		uint64_t value = patchcode_distance(word, 5, 19, 2) | (word >> 29 & 3);

		out->by = word & 31;
		out->kind = word >> 31 ? ARM_PAGE : ARM_ADDRESS;
		out->target =
			word >> 31 ? (address & ~UINT64_C(0xfff)) + (value << 12) : address + value;
	} else if ((word & 0x3b000000) == 0x18000000) {
		out->kind = (word & 0xc4000000) == 0xc4000000 ? ARM_UNKNOWN : ARM_LOAD;
		out->by = word & 31;
		out->target = address + patchcode_distance(word, 5, 19, 2);
	}
}
