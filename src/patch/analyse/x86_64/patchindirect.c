/* Indirect jumps: switches and computed gotos stay inside a function, tail calls leave it.  They
 * are distinguished by the stack, which is as at the entry for a tail call, and by the origin of
 * the address. */
#include "patch/analyse/x86_64/patchindirect.h"

#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchfragments.h"
#include "patch/analyse/patchsweep.h"
#include "patch/analyse/x86_64/patchbytes.h"

#define BACK_MAX 32u /* instructions inspected before the jump */

struct jump {
	const struct patch_decision *decision;
	const struct patch_function *function;
	uint32_t index;
	uint64_t address;
	bool is_popped;
	struct patch_code code;
};

/* The function contains the target of a pointer: a label whose address is taken. */
static bool has_named_places(const struct jump *jump)
{
	return jump->decision->module->sweep->notes[jump->index] & PATCH_SWEPT_LABELS;
}

static bool is_own_table(const struct jump *jump, uint64_t table)
{
	const unsigned char *bytes = patchmodule_at(jump->decision->module, table, 4);
	int32_t distance;

	if (!bytes)
		return false;
	__builtin_memcpy(&distance, bytes, sizeof(distance));
	return patchfragments_owner(jump->decision, table + (uint64_t)(int64_t)distance) ==
	       patchfragments_owner(jump->decision, jump->address);
}

/* A table to which the function refers has distances to places in it. */
static bool has_table(const struct jump *jump)
{
	const struct patch_sweep *sweep = jump->decision->module->sweep;
	uint16_t *notes = &sweep->notes[jump->index];
	bool is_found = false;

	if (*notes & (PATCH_SWEPT_TABLE | PATCH_SWEPT_NO_TABLE))
		return *notes & PATCH_SWEPT_TABLE;
	for (size_t i = sweep->first_events[jump->index];
	     i < sweep->first_events[jump->index + 1] && !is_found; i++)
		is_found = sweep->events[i].kind == PATCH_EVENT_TABLE &&
			   is_own_table(jump, sweep->events[i].target);
	*notes |= is_found ? PATCH_SWEPT_TABLE : PATCH_SWEPT_NO_TABLE;
	return is_found;
}

/* A table of pointers at a fixed address: its first entry decides. */
static bool is_own_pointer(const struct jump *jump, uint64_t table)
{
	const struct patch_module *module = jump->decision->module;
	const unsigned char *bytes = patchmodule_at(module, table, 8);
	uint64_t value;

	if (!bytes)
		return false;
	__builtin_memcpy(&value, bytes, sizeof(value));
	return patchfragments_owner(jump->decision, value) ==
		       patchfragments_owner(jump->decision, jump->address) &&
	       value != jump->function->address;
}

/* An address that was loaded unmodified: from memory, whose pointers are all known. */
static enum patch_jump_target loaded(const struct jump *jump, const struct patch_code *load)
{
	if (!jump->is_popped)
		return PATCH_TARGET_INSIDE;
	if (load->scale == 8 && load->index != PATCH_NO_REGISTER &&
	    load->base == PATCH_NO_REGISTER &&
	    is_own_pointer(jump, (uint64_t)(int64_t)load->displacement))
		return PATCH_TARGET_INSIDE;
	return has_named_places(jump) && !jump->decision->module->is_position_dependent
		       ? PATCH_TARGET_UNKNOWN
	       : load->scale == 8 && load->index != PATCH_NO_REGISTER && has_named_places(jump)
		       ? PATCH_TARGET_UNKNOWN
		       : PATCH_TARGET_OUTSIDE;
}

/* Does it write the register?  Distinguishes only the instructions that compilers use to compute
 * addresses. */
static bool writes(const struct patch_code *code, unsigned number)
{
	uint8_t opcode = code->opcode;

	if (code->is_vector || !code->has_modrm)
		return code->map == 1 &&
		       ((opcode >= 0x58 && opcode <= 0x5f && (opcode & 7) == (number & 7)) ||
			(opcode >= 0xb0 && opcode <= 0xbf && (opcode & 7) == (number & 7)) ||
			(opcode >= 0x90 && opcode <= 0x97 && (opcode & 7) == (number & 7)));
	if (code->map == 2) {
		bool is_cmov = (opcode & 0xf0) == 0x40, is_extension = (opcode & 0xf6) == 0xb6;

		return ((is_cmov || is_extension || opcode == 0xaf || opcode == 0xbc ||
			 opcode == 0xbd) &&
			code->reg == number) ||
		       ((opcode & 0xf0) == 0x90 && !code->is_memory && code->rm == number);
	}
	if (code->map != 1)
		return false;
	switch (opcode) {
	case 0x00 ... 0x3f:
		if ((opcode & 0x38) == 0x38)
			return false;
		return opcode & 2 ? code->reg == number : !code->is_memory && code->rm == number;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x8a ... 0x8b:
	case 0x8d:
		return code->reg == number;
	case 0x80 ... 0x83:
		return code->modrm_reg != 7 && !code->is_memory && code->rm == number;
	case 0x86 ... 0x87:
		return code->reg == number || (!code->is_memory && code->rm == number);
	case 0x88 ... 0x89:
	case 0xc0 ... 0xc1:
	case 0xc6 ... 0xc7:
	case 0xd0 ... 0xd3:
	case 0x8f:
		return !code->is_memory && code->rm == number;
	case 0xf6 ... 0xf7:
		return code->modrm_reg > 3
			       ? number == PATCH_RAX || number == PATCH_RDX
			       : code->modrm_reg > 1 && !code->is_memory && code->rm == number;
	case 0xfe ... 0xff:
		return code->modrm_reg < 2 && !code->is_memory && code->rm == number;
	default:
		return false;
	}
}

static bool is_load(const struct patch_code *code)
{
	return code->map == 1 && code->opcode == 0x8b && code->is_memory && code->is_wide;
}

static bool is_move(const struct patch_code *code)
{
	return code->map == 1 && (code->opcode == 0x89 || code->opcode == 0x8b) &&
	       !code->is_memory && code->is_wide;
}

/* base + distance: the sum of two registers. */
static bool patchindirect_is_sum(const struct patch_code *code)
{
	if (code->map != 1 || !code->is_wide)
		return false;
	if (code->opcode == 0x01 || code->opcode == 0x03)
		return !code->is_memory;
	return code->opcode == 0x8d && code->base != PATCH_NO_REGISTER &&
	       code->index != PATCH_NO_REGISTER && code->scale == 1 && code->displacement == 0;
}

/* A 4-byte distance from a table: movsxd with an index. */
static bool is_distance(const struct patch_code *code)
{
	return code->map == 1 && code->opcode == 0x63 && code->is_memory && code->scale == 4 &&
	       code->index != PATCH_NO_REGISTER;
}

static bool takes_distance(const struct jump *jump, uint64_t address, unsigned limit)
{
	const struct patch_module *module = jump->decision->module;
	struct patch_code code;

	for (unsigned i = 0; i < limit; i++) {
		address = patchbytes_before(module, address, jump->function->address);
		if (address == 0 || !patchbytes_code(module, address, &code))
			return false;
		if (is_distance(&code))
			return true;
	}
	return false;
}

/* No instruction here computed the register's value. */
static enum patch_jump_target given(const struct jump *jump)
{
	return jump->is_popped && !has_named_places(jump) ? PATCH_TARGET_OUTSIDE
							  : PATCH_TARGET_UNKNOWN;
}

static enum patch_jump_target made(const struct jump *jump, uint64_t address,
				   const struct patch_code *code)
{
	if (is_load(code))
		return loaded(jump, code);
	if (patchindirect_is_sum(code) && takes_distance(jump, address, BACK_MAX) &&
	    has_table(jump))
		return PATCH_TARGET_INSIDE;
	return PATCH_TARGET_UNKNOWN;
}

static enum patch_jump_target register_target(const struct jump *jump)
{
	const struct patch_module *module = jump->decision->module;
	unsigned number = jump->code.rm;
	uint64_t address = jump->address;
	struct patch_code code;

	for (unsigned i = 0; i < BACK_MAX; i++) {
		address = patchbytes_before(module, address, jump->function->address);
		if (address == 0)
			return given(jump);
		if (!patchbytes_code(module, address, &code))
			return PATCH_TARGET_UNKNOWN;
		if (code.kind == PATCH_CODE_CALL || code.kind == PATCH_CODE_CALL_INDIRECT) {
			if (number == PATCH_RAX)
				return given(jump); /* a function that was looked up */
			continue;
		}
		if (!writes(&code, number))
			continue;
		if (!is_move(&code))
			return made(jump, address, &code);
		number = code.opcode == 0x89 ? code.reg : code.rm;
	}
	return PATCH_TARGET_UNKNOWN;
}

enum patch_jump_target patchindirect_target(const struct patch_decision *decision,
					    uint32_t function, const struct patch_event *event)
{
	const struct patch_module *module = decision->module;
	struct jump jump = {.decision = decision,
			    .function = &module->functions[function],
			    .index = function,
			    .address = event->address};

	if (!patchbytes_code(module, event->address, &jump.code) ||
	    jump.code.prefixes & PATCH_PREFIX_THREAD)
		return PATCH_TARGET_UNKNOWN;
	jump.is_popped = patchbytes_is_popped(module, event->address);
	if (jump.code.is_rip_relative && *patchimports_word(module, event->target))
		return jump.is_popped ? PATCH_TARGET_OUTSIDE : PATCH_TARGET_UNKNOWN;
	return jump.code.is_memory ? loaded(&jump, &jump.code) : register_target(&jump);
}
