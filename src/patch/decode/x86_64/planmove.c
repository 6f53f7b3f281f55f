/* Relocating an instruction: jumps, calls, and rip-relative operands depend on its address. */
#include "patch/decode/x86_64/planmove.h"

#include <Zydis/Zydis.h>

static void take_operand(const ZydisDecodedInstruction *instruction, struct move *out)
{
	const uint64_t behind = out->address + out->length;

	if (!(instruction->attributes & ZYDIS_ATTRIB_HAS_MODRM) || instruction->raw.modrm.mod == 3)
		return;
	if (instruction->raw.modrm.mod == 0 && instruction->raw.modrm.rm == 5) {
		out->has_data = true;
		out->data_at = instruction->raw.disp.offset;
		out->target = behind + (uint64_t)instruction->raw.disp.value;
	}
	out->reads_below = instruction->raw.modrm.rm == 4 && instruction->raw.sib.base == 4 &&
			   !instruction->raw.rex.B && instruction->raw.disp.value < 0;
}

static bool take_kind(const ZydisDecodedInstruction *instruction, struct move *out)
{
	if (instruction->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		return false;
	switch (instruction->mnemonic) {
	case ZYDIS_MNEMONIC_CALL:
		out->kind = MOVE_CALL;
		return true;
	case ZYDIS_MNEMONIC_JMP:
		out->kind = instruction->raw.imm[0].is_relative ? MOVE_JUMP : MOVE_INDIRECT;
		return true;
	case ZYDIS_MNEMONIC_RET:
		out->kind = MOVE_RETURN;
		return true;
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		out->kind = MOVE_COUNTED;
		return true;
	case ZYDIS_MNEMONIC_XBEGIN: /* aborts to its target at any later instruction */
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_INT3: /* a debugger's breakpoint */
		return false;
	default:
		break;
	}
	out->kind = instruction->meta.category == ZYDIS_CATEGORY_COND_BR ? MOVE_CONDITIONAL
									 : MOVE_PLAIN;
	return true;
}

bool move_decode(const uint8_t *bytes, size_t size, uint64_t address, struct move *out)
{
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size, &instruction)))
		return false;
	*out = (struct move){.bytes = bytes, .address = address, .length = instruction.length};
	if (!take_kind(&instruction, out))
		return false;
	take_operand(&instruction, out);
	if (out->has_data && instruction.address_width != 64)
		return false;
	if (instruction.raw.imm[0].is_relative) {
		out->has_target = true;
		out->target =
			address + instruction.length + (uint64_t)instruction.raw.imm[0].value.s;
	}
	if (out->kind == MOVE_CONDITIONAL) {
		out->condition = (uint8_t)(0x80 | (instruction.opcode & 0x0f));
		return out->has_target &&
		       (instruction.opcode & 0xf0) == (instruction.opcode_map ? 0x80 : 0x70);
	}
	return out->has_target || (out->kind != MOVE_JUMP && out->kind != MOVE_COUNTED);
}

/* Unchanged except for the displacement of its operand. */
static void emit_copy(struct plan_out to, const struct move *move)
{
	if (!move->has_data) {
		planblob_bytes(to.blob, to.is_cold, move->bytes, move->length);
		return;
	}
	planblob_bytes(to.blob, to.is_cold, move->bytes, move->data_at);
	planblob_link(to.blob, to.is_cold, PLAN_TO_FILE, move->target,
		      (uint8_t)(move->length - move->data_at));
	planblob_bytes(to.blob, to.is_cold, move->bytes + move->data_at + 4,
		       (size_t)(move->length - move->data_at - 4));
}

void move_emit(struct plan_out to, const struct move *move)
{
	if (!move->has_target) {
		emit_copy(to, move);
		return;
	}
	switch ((enum move_kind)move->kind) {
	case MOVE_CALL:
		asm_call(to, PLAN_TO_FILE, move->target);
		break;
	case MOVE_JUMP:
		asm_jump(to, PLAN_TO_FILE, move->target);
		break;
	case MOVE_CONDITIONAL:
		asm_branch(to, move->condition, PLAN_TO_FILE, move->target);
		break;
	default: /* its target is within 127 bytes: a jump placed after one that skips it */
		planblob_bytes(to.blob, to.is_cold, move->bytes, (size_t)(move->length - 1));
		ASM_BYTES(to, 2, 0xeb, 5);
		asm_jump(to, PLAN_TO_FILE, move->target);
	}
}
