/* One instruction of x86-64 as the analysis needs it: its length, its successors, the addresses in
 * it.  Fast, because it decodes all code of a file.
 * Context: any. */
#ifndef KYMO_PATCHCODE_X86_64_H
#define KYMO_PATCHCODE_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum patch_code_kind {
	PATCH_CODE_PLAIN,	  /* continues with the next instruction */
	PATCH_CODE_RETURN,	  /* ret, also with an operand */
	PATCH_CODE_JUMP,	  /* jmp to an immediate address */
	PATCH_CODE_CONDITIONAL,	  /* jcc */
	PATCH_CODE_LOOP,	  /* loop, jrcxz: only by 8 bits; xbegin */
	PATCH_CODE_CALL,	  /* call of an immediate address */
	PATCH_CODE_CALL_INDIRECT, /* call through a register or memory */
	PATCH_CODE_JUMP_INDIRECT, /* jmp through a register or memory */
	PATCH_CODE_STOP,	  /* ud2, hlt: never continues */
	PATCH_CODE_TRAP,	  /* int3: padding, or for a debugger */
	PATCH_CODE_UNSUPPORTED,	  /* far returns and jumps, iret: unknown successor */
};

/* Registers by their number in instructions. */
enum { PATCH_RAX, PATCH_RCX, PATCH_RDX, PATCH_RBX, PATCH_RSP, PATCH_RBP, PATCH_RSI, PATCH_RDI };
#define PATCH_NO_REGISTER 16u

#define PATCH_PREFIX_SHORT  1u /* 66 */
#define PATCH_PREFIX_F2	    2u
#define PATCH_PREFIX_F3	    4u
#define PATCH_PREFIX_LOCK   8u
#define PATCH_PREFIX_THREAD 16u /* fs or gs */

struct patch_code {
	uint8_t length;
	uint8_t kind; /* enum patch_code_kind */
	uint8_t map;  /* 1 = one byte, 2 = 0F, 3 = 0F 38, 4 = 0F 3A; 8 and above: XOP */
	uint8_t opcode;
	uint8_t prefixes;
	bool is_vector; /* VEX, EVEX or XOP */
	bool is_wide;	/* 64-bit operands */
	bool has_modrm, is_memory, is_rip_relative;
	uint8_t reg, rm;     /* with REX; rm only if it is a register, or in the opcode */
	uint8_t base, index; /* of memory; PATCH_NO_REGISTER = none */
	uint8_t scale;	     /* 1, 2, 4, 8 */
	uint8_t modrm_reg;   /* without REX: selects an instruction of a group */
	int32_t displacement;
	int64_t immediate; /* of branches: the distance from the next instruction */
};

/* False: not an instruction that programs use, or longer than size. */
bool patchcode_decode(const uint8_t *bytes, size_t size, struct patch_code *out);

/* The target of a branch, or the address of a rip-relative operand. */
static inline uint64_t patchcode_target(const struct patch_code *code, uint64_t address)
{
	return address + code->length + (uint64_t)code->immediate;
}
static inline uint64_t patchcode_operand(const struct patch_code *code, uint64_t address)
{
	return address + code->length + (uint64_t)(int64_t)code->displacement;
}

/* A nop of any length. */
bool patchcode_is_nop(const struct patch_code *code);
bool patchcode_is_endbr(const uint8_t *bytes, size_t size);

#endif
