/* X86-64: detourcode.h.  Only instructions known to have the same effect at another address are
 * moved, and no branch of the function may lead to them. */
#include "object/code/detourcode.h"

#include <string.h>

#include "object/code/detour.h"
#include "object/code/x86_64/instruction.h"

#define JUMP_MAX 16u /* bytes of the moved instructions, so that all fits */

const char *const detourcode_unavailable = NULL;

static const unsigned char landing_pad[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64 */

/* One-byte opcodes: add … cmp of registers and memory, push, mov, lea, test, also with immediate
 * operands.  None of them branches or depends on its address. */
static bool is_plain_opcode(uint8_t opcode)
{
	return (opcode < 0x40 && (opcode & 7) < 4) || (opcode >= 0x50 && opcode <= 0x57) ||
	       opcode == 0x63 || opcode == 0x80 || opcode == 0x81 || opcode == 0x83 ||
	       (opcode >= 0x84 && opcode <= 0x8b) || opcode == 0x8d ||
	       (opcode >= 0xb8 && opcode <= 0xbf) || opcode == 0xc6 || opcode == 0xc7;
}

/* Two-byte ones: nop, moves and exclusive or of vectors, moves that extend. */
static bool is_plain_second(uint8_t opcode)
{
	switch (opcode) {
	case 0x10:
	case 0x11:
	case 0x1f:
	case 0x28:
	case 0x29:
	case 0x57:
	case 0x6f:
	case 0x7f:
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf:
	case 0xef:
		return true;
	}
	return false;
}

static bool detourcode_can_move(const struct instruction *what)
{
	if (what->is_vector)
		return false;
	/* Addresses relative to the instruction have no base register. */
	if (what->has_modrm && what->mod != 3 && what->base == INSTRUCTION_NO_BASE)
		return false;
	if (what->map == 1)
		return is_plain_opcode(what->opcode);
	return what->map == 2 && is_plain_second(what->opcode);
}

static bool detourcode_is_branch(const struct instruction *what)
{
	if (what->map == 1)
		return (what->opcode >= 0x70 && what->opcode <= 0x7f) ||
		       (what->opcode >= 0xe0 && what->opcode <= 0xe3) ||
		       (what->opcode >= 0xe8 && what->opcode <= 0xeb && what->opcode != 0xea);
	return what->map == 2 && what->opcode >= 0x80 && what->opcode <= 0x8f;
}

/* No branch of the function leads to an address in (from, to). */
static bool detourcode_is_left_alone(const unsigned char *code, size_t size, size_t from, size_t to)
{
	struct instruction what;

	for (size_t at = 0; at < size; at += what.length) {
		int64_t target;

		if (!instruction_decode(code + at, size - at, &what))
			return false;
		target = (int64_t)(at + what.length) + what.immediate;
		if (detourcode_is_branch(&what) && target > (int64_t)from && target < (int64_t)to)
			return false;
	}
	return true;
}

const char *detourcode_read(const unsigned char *code, size_t size, struct detourcode *out)
{
	struct instruction what;
	unsigned pad = 0, moved = 0;

	if (size >= sizeof(landing_pad) && memcmp(code, landing_pad, sizeof(landing_pad)) == 0)
		pad = sizeof(landing_pad);
	while (moved < DETOUR_JUMP) {
		if (!instruction_decode(code + pad + moved, size - pad - moved, &what) ||
		    !detourcode_can_move(&what))
			return "the first instructions of the function cannot be moved";
		moved += what.length;
	}
	if (moved > JUMP_MAX)
		return "the first instructions of the function cannot be moved";
	if (!detourcode_is_left_alone(code, size, pad, pad + moved))
		return "the function branches into its first instructions";
	*out = (struct detourcode){.pad = pad, .moved = moved};
	return NULL;
}

void detourcode_jump(unsigned char *room, uint64_t from, uint64_t to)
{
	int32_t distance = (int32_t)(to - (from + DETOUR_JUMP));

	room[0] = 0xe9;
	memcpy(room + 1, &distance, sizeof(distance));
}

/*  0  endbr64 ; jmp *[2]
 * 16  endbr64 ; the moved instructions ; jmp behind */
void detourcode_make(unsigned char room[DETOURCODE_BYTES], uint64_t address,
		     const unsigned char *moved, unsigned count, uint64_t behind, uint64_t target)
{
	static const unsigned char through[] = {0xff, 0x25, 0x2e, 0, 0, 0}; /* jmp *46(%rip) */
	unsigned at = DETOURCODE_SECOND;

	memset(room, 0xcc, DETOURCODE_BYTES);
	memcpy(room, landing_pad, sizeof(landing_pad));
	memcpy(room + sizeof(landing_pad), through, sizeof(through));
	memcpy(room + DETOURCODE_BYTES - sizeof(target), &target, sizeof(target));
	memcpy(room + at, landing_pad, sizeof(landing_pad));
	at += sizeof(landing_pad);
	memcpy(room + at, moved, count);
	at += count;
	detourcode_jump(room + at, address + at, behind);
}
