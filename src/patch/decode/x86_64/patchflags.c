/* How instructions use the flags: enough to recognise where they are not live. */
#include "patch/decode/x86_64/patchflags.h"

static enum patch_code_flags of_arithmetic(unsigned operation)
{
	switch (operation) { /* add or adc sbb and sub xor cmp */
	case 2:
	case 3:
		return PATCH_FLAGS_READS;
	case 7:
		return PATCH_FLAGS_COMPARE;
	default:
		return PATCH_FLAGS_WRITES;
	}
}

/* rol ror rcl rcr shl shr sal sar: with a count of 0 they do not write flags. */
static enum patch_code_flags of_shift(unsigned operation)
{
	return operation == 2 || operation == 3 ? PATCH_FLAGS_READS : PATCH_FLAGS_SOME;
}

static enum patch_code_flags of_one(const struct patch_code *code)
{
	bool repeats = code->prefixes & (PATCH_PREFIX_F2 | PATCH_PREFIX_F3);

	switch (code->opcode) {
	case 0x00 ... 0x3f:
		return of_arithmetic(code->opcode >> 3);
	case 0x80 ... 0x83:
		return of_arithmetic(code->modrm_reg);
	case 0x69:
	case 0x6b:
		return PATCH_FLAGS_WRITES;
	case 0x84 ... 0x85:
	case 0xa8 ... 0xa9:
		return PATCH_FLAGS_COMPARE;
	case 0x70 ... 0x7f:
	case 0x9c:
	case 0x9f:
	case 0xe0 ... 0xe1:
		return PATCH_FLAGS_READS;
	case 0xf5:
		return PATCH_FLAGS_READS; /* cmc */
	case 0x9d ... 0x9e:
		return PATCH_FLAGS_COMPARE;
	case 0xf8 ... 0xf9:
		return PATCH_FLAGS_SOME;
	case 0xa6 ... 0xa7:
	case 0xae ... 0xaf:
		return repeats ? PATCH_FLAGS_SOME : PATCH_FLAGS_WRITES;
	case 0xc0 ... 0xc1:
	case 0xd0 ... 0xd3:
		return of_shift(code->modrm_reg);
	case 0xda ... 0xdb: /* fcmovcc, fcomi */
	case 0xdf:
		if (code->is_memory || code->modrm_reg > 6)
			return PATCH_FLAGS_NONE;
		if (code->modrm_reg < 4)
			return code->opcode == 0xdf ? PATCH_FLAGS_NONE : PATCH_FLAGS_READS;
		return code->opcode != 0xda && code->modrm_reg > 4 ? PATCH_FLAGS_COMPARE
								   : PATCH_FLAGS_NONE;
	case 0xf6 ... 0xf7:
		return code->modrm_reg < 2    ? PATCH_FLAGS_COMPARE
		       : code->modrm_reg == 2 ? PATCH_FLAGS_NONE
					      : PATCH_FLAGS_WRITES;
	case 0xfe ... 0xff:
		return code->modrm_reg < 2 ? PATCH_FLAGS_SOME : PATCH_FLAGS_NONE;
	default:
		return PATCH_FLAGS_NONE;
	}
}

static enum patch_code_flags of_two(const struct patch_code *code)
{
	switch (code->opcode) {
	case 0x40 ... 0x4f:
	case 0x80 ... 0x9f:
		return PATCH_FLAGS_READS;
	case 0x2e ... 0x2f:
		return PATCH_FLAGS_COMPARE;
	case 0xc7: /* rdrand, rdseed; cmpxchg8b */
		return !code->is_memory && code->modrm_reg > 5	 ? PATCH_FLAGS_COMPARE
		       : code->is_memory && code->modrm_reg == 1 ? PATCH_FLAGS_SOME
								 : PATCH_FLAGS_NONE;
	case 0xa3:
		return PATCH_FLAGS_SOME;
	case 0xba:
	case 0xab:
	case 0xb3:
	case 0xbb:
	case 0xa4 ... 0xa5:
	case 0xac ... 0xad:
		return PATCH_FLAGS_SOME;
	case 0xaf:
	case 0xb0 ... 0xb1:
	case 0xb8:
	case 0xbc ... 0xbd:
	case 0xc0 ... 0xc1:
		return PATCH_FLAGS_WRITES;
	default:
		return PATCH_FLAGS_NONE;
	}
}

enum patch_code_flags patchcode_flags(const struct patch_code *code)
{
	if (code->is_vector) {
		if (code->map == 2 && (code->opcode == 0x2e || code->opcode == 0x2f))
			return PATCH_FLAGS_COMPARE;
		if (code->map == 3 && (code->opcode == 0x17 || code->opcode <= 0x0f))
			return code->opcode == 0x17 || code->opcode >= 0x0e ? PATCH_FLAGS_COMPARE
									    : PATCH_FLAGS_NONE;
		if (code->map == 3 && code->opcode >= 0xf2 && code->opcode <= 0xf5)
			return PATCH_FLAGS_SOME;
		if (code->map == 2 && (code->opcode == 0x98 || code->opcode == 0x99))
			return PATCH_FLAGS_COMPARE; /* kortest, ktest */
		return PATCH_FLAGS_NONE;
	}
	switch (code->map) {
	case 1:
		return of_one(code);
	case 2:
		return of_two(code);
	case 3:
		if (code->opcode == 0x17)
			return PATCH_FLAGS_COMPARE;
		return code->opcode == 0xf6 ? PATCH_FLAGS_READS : PATCH_FLAGS_NONE;
	default: /* pcmpestri and its variants */
		return code->opcode >= 0x60 && code->opcode <= 0x63 ? PATCH_FLAGS_WRITES
								    : PATCH_FLAGS_NONE;
	}
}
