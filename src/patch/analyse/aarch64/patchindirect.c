/* Indirect jumps: switches and computed gotos stay inside a function, tail calls leave it.  With an
 * open frame it is no tail call; else the origin of the address decides. */
#include "patch/analyse/aarch64/patchindirect.h"

#include <string.h>

#include "patch/analyse/aarch64/patchsweep.h"
#include "patch/analyse/patchsweep.h"

#define BACK_MAX    24u	  /* instructions inspected before the jump */
#define ENTRIES_MAX 4096u /* of a table */

struct jump {
	const struct patch_module *module;
	const struct patch_function *function;
	uint32_t index;
	uint64_t address;
};

static bool is_form(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

struct table { /* an entry leads to base + 4 * entry */
	uint64_t base, start;
	unsigned size; /* of an entry */
};

/* ldrb, ldrh, ldr w and similar loads with an index in a register; 0 = another instruction. */
static unsigned entry_size(uint32_t word)
{
	if (!is_form(word, 0x3f200c00, 0x38200800) || word >> 30 == 3)
		return 0;
	return 1u << (word >> 30);
}

/* What the instructions before the jump reveal about its table. */
static bool patchindirect_find_table(const struct jump *jump, struct table *out)
{
	uint64_t low = 0;
	unsigned low_by = 0;
	struct arm_code code;

	memset(out, 0, sizeof(*out));
	for (unsigned i = 1; i <= BACK_MAX; i++) {
		uint64_t at = jump->address - (uint64_t)i * ARM_BYTES;

		if (at < jump->function->address || !armsweep_code(jump->module, at, &code))
			break;
		if (code.kind == ARM_ADDRESS && !out->base)
			out->base = code.target;
		else if (code.kind == ARM_ADDRESS && !out->start)
			out->start = code.target;
		else if (is_form(code.word, 0xffc00000, 0x91000000) && !low_by) {
			low = code.word >> 10 & 0xfff;
			low_by = code.word >> 5 & 31;
		} else if (code.kind == ARM_PAGE && low_by == code.by && !out->start)
			out->start = code.target + low;
		else if (!out->size)
			out->size = entry_size(code.word);
	}
	return out->base && out->start && out->size;
}

/* The signedness of entries is not known: either reading may be correct. */
static bool leads_to(const struct table *table, const unsigned char *entry, uint64_t wanted)
{
	uint32_t word = 0;
	int32_t number;

	memcpy(&word, entry, table->size);
	number = table->size == 1 ? (int8_t)word : table->size == 2 ? (int16_t)word : (int32_t)word;
	return table->base + 4 * (uint64_t)word == wanted ||
	       table->base + 4 * (uint64_t)(int64_t)number == wanted ||
	       table->start + (uint64_t)(int64_t)number == wanted;
}

/* A jump table without an open frame: may it branch to the entry? */
static enum arm_jump_target see_table(const struct jump *jump)
{
	const uint64_t entry = armsweep_entry(jump->module, jump->function);
	const unsigned char *bytes;
	struct table table;
	uint64_t left;

	if (!patchindirect_find_table(jump, &table))
		return ARM_TARGET_UNKNOWN;
	left = patchmodule_left(jump->module, table.start) / table.size;
	bytes = patchmodule_at(jump->module, table.start, left * table.size);
	if (!bytes)
		return ARM_TARGET_UNKNOWN;
	for (uint64_t i = 0; i < left && i < ENTRIES_MAX; i++)
		if (leads_to(&table, bytes + i * table.size, entry))
			return ARM_TARGET_ENTRY;
	return ARM_TARGET_INSIDE;
}

/* Without labels whose addresses are taken, a loaded address is outside of the function. */
static enum arm_jump_target see_loaded(const struct jump *jump)
{
	return jump->module->sweep->notes[jump->index] & PATCH_SWEPT_LABELS ? ARM_TARGET_UNKNOWN
									    : ARM_TARGET_OUTSIDE;
}

static bool is_load(uint32_t word, unsigned by)
{
	return (is_form(word, 0xffc00000, 0xf9400000) || is_form(word, 0xffe00000, 0xf8400000) ||
		is_form(word, 0xffe00c00, 0xf8600800)) &&
	       (word & 31) == by;
}

static bool is_pair_load(uint32_t word, unsigned by)
{
	return is_form(word, 0xfe400000, 0xa8400000) &&
	       ((word & 31) == by || (word >> 10 & 31) == by);
}

static bool patchindirect_is_sum(uint32_t word, unsigned by)
{
	return (is_form(word, 0xff200000, 0x8b000000) || is_form(word, 0xffe00000, 0x8b200000)) &&
	       (word & 31) == by;
}

/* Stores and compares write no register; in all others the lowest bits name the destination. */
static bool may_write(const struct arm_code *code, unsigned by)
{
	uint32_t word = code->word;
	bool is_store = is_form(word, 0x3b400000, 0x39000000) ||
			is_form(word, 0x3b600000, 0x38000000) ||
			is_form(word, 0x3a400000, 0x28000000);

	return !is_store && (word & 31) == by;
}

static enum arm_jump_target see_before(const struct jump *jump, unsigned by)
{
	uint64_t at = jump->address;
	struct arm_code code;

	for (unsigned i = 0; i < BACK_MAX; i++) {
		if (patchmodule_is_target(jump->module, at) && at != jump->function->address)
			return ARM_TARGET_UNKNOWN;
		at -= ARM_BYTES;
		if (at < jump->function->address)
			return see_loaded(jump); /* an argument */
		if (!armsweep_code(jump->module, at, &code))
			return ARM_TARGET_UNKNOWN;
		if (code.kind == ARM_CONDITIONAL || code.kind == ARM_LANDING)
			continue;
		if (code.kind != ARM_PLAIN && code.kind != ARM_ADDRESS && code.kind != ARM_PAGE &&
		    code.kind != ARM_LOAD)
			return ARM_TARGET_UNKNOWN;
		if (is_load(code.word, by) || is_pair_load(code.word, by))
			return see_loaded(jump);
		if (is_form(code.word, 0xffe0ffe0, 0xaa0003e0) && (code.word & 31) == by)
			by = code.word >> 16 & 31;
		else if (patchindirect_is_sum(code.word, by))
			return see_table(jump);
		else if (may_write(&code, by))
			return ARM_TARGET_UNKNOWN;
	}
	return ARM_TARGET_UNKNOWN;
}

enum arm_jump_target armindirect_target(const struct patch_module *module, uint32_t function,
					uint64_t address)
{
	struct jump jump = {module, &module->functions[function], function, address};
	struct arm_code code;

	if (!armsweep_code(module, address, &code))
		return ARM_TARGET_UNKNOWN;
	if (!armsweep_is_popped(module, address))
		return ARM_TARGET_INSIDE;
	return see_before(&jump, code.by);
}
