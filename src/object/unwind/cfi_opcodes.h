/* Instructions of frame descriptions (DWARF 4, section 7.23; LSB; AArch64's supplement): the
 * first three hold an operand in their lower six bits.  Context: any. */
#ifndef KYMO_CFI_OPCODES_H
#define KYMO_CFI_OPCODES_H

enum cfi_opcode {
	ADVANCE = 0x40,
	OFFSET = 0x80,
	RESTORE = 0xc0,
	NOP = 0x00,
	SET_LOC = 0x01,
	ADVANCE1 = 0x02,
	ADVANCE2 = 0x03,
	ADVANCE4 = 0x04,
	OFFSET_EXTENDED = 0x05,
	RESTORE_EXTENDED = 0x06,
	UNDEFINED = 0x07,
	SAME_VALUE = 0x08,
	REGISTER = 0x09,
	REMEMBER_STATE = 0x0a,
	RESTORE_STATE = 0x0b,
	DEF_CFA = 0x0c,
	DEF_CFA_REGISTER = 0x0d,
	DEF_CFA_OFFSET = 0x0e,
	DEF_CFA_EXPRESSION = 0x0f,
	EXPRESSION = 0x10,
	OFFSET_EXTENDED_SF = 0x11,
	DEF_CFA_SF = 0x12,
	DEF_CFA_OFFSET_SF = 0x13,
	VAL_OFFSET = 0x14,
	VAL_OFFSET_SF = 0x15,
	VAL_EXPRESSION = 0x16,
	AARCH64_NEGATE_RA_STATE = 0x2d,
	GNU_ARGS_SIZE = 0x2e,
	GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

#endif
