/* Where the jump at a function's entry is written, and what it displaces. */
#include "patch/analyse/x86_64/patchentry.h"

#include <stdlib.h>
#include <string.h>

#include "base/partitionpoint.h"
#include "patch/analyse/x86_64/patchhooks.h"
#include "patch/analyse/x86_64/patchmovable.h"
#include "patch/analyse/x86_64/patchbytes.h"
#include "patch/decode/x86_64/patchflags.h"

#define SHORT_REACH  127
#define FOLLOWED_MAX 64u /* instructions followed to determine whether flags are read */

static uint64_t first_of(const struct patch_module *module, const struct patch_function *function)
{
	const unsigned char *bytes = patchmodule_at(module, function->address, 4);

	return function->address + (bytes && patchcode_is_endbr(bytes, 4) ? 4 : 0);
}

static bool ends(const struct patch_code *code)
{
	return code->kind == PATCH_CODE_RETURN || code->kind == PATCH_CODE_JUMP ||
	       code->kind == PATCH_CODE_JUMP_INDIRECT;
}

/* True when the function reads the caller's flags: hand-written code passes arguments in them. */
static bool patchentry_reads_flags(const struct patch_module *module, uint64_t address)
{
	struct patch_code code;

	for (unsigned i = 0; i < FOLLOWED_MAX && patchbytes_code(module, address, &code); i++) {
		switch (patchcode_flags(&code)) {
		case PATCH_FLAGS_READS:
			return true;
		case PATCH_FLAGS_COMPARE:
		case PATCH_FLAGS_WRITES:
			return false;
		default:
			break;
		}
		if (code.kind == PATCH_CODE_JUMP)
			address = patchcode_target(&code, address);
		else if (code.kind != PATCH_CODE_PLAIN)
			return false;
		else
			address += code.length;
	}
	return false;
}

/* Space that a compiler reserved on request: nops, the last of which may extend past the jump. */
static bool take_reserved(const struct patch_module *module, struct patch_function *function)
{
	struct patch_entry *entry = &function->entry;
	uint64_t at = entry->at, end = function->address + function->size;
	struct patch_code code;

	while (at < entry->at + PATCH_JUMP_BYTES && at < end) {
		if (!patchbytes_code(module, at, &code) || !patchcode_is_nop(&code))
			return false;
		at += code.length;
	}
	if (at < entry->at + PATCH_JUMP_BYTES ||
	    patchbytes_is_taken(module, entry->at, PATCH_JUMP_BYTES) ||
	    patchbytes_is_entered(module, entry->at, at))
		return false;
	entry->way = PATCH_ENTRY_HOOK;
	entry->displaced = (uint8_t)(at - entry->at);
	function->flags |= PLAN_FUNCTION_NOPS;
	return true;
}

/* Displace whole instructions until need bytes are free. */
static enum plan_reason displace(struct patch_decision *decision,
				 const struct patch_function *function, unsigned need,
				 struct patch_entry *entry)
{
	const struct patch_module *module = decision->module;
	uint64_t at = entry->at, end = function->address + function->size;
	struct patch_code code;

	while (at < entry->at + need && at < end && !entry->ends) {
		if (!patchbytes_code(module, at, &code) || code.length > end - at)
			return PLAN_UNDECODED;
		if (!patchmovable(decision, at, &code))
			return PLAN_NOT_MOVABLE;
		entry->ends = ends(&code);
		entry->instructions++;
		at += code.length;
	}
	entry->displaced = (uint8_t)(at - entry->at);
	if (entry->displaced >= need)
		entry->way = PATCH_ENTRY_JUMP;
	else if (!entry->ends)
		return PLAN_TOO_SHORT;
	else if (patchbytes_padding(module, at, need - entry->displaced) == need - entry->displaced)
		entry->way = PATCH_ENTRY_PADDING;
	else
		return PLAN_TOO_SHORT;
	return patchbytes_is_entered(module, entry->at, entry->at + need) ? PLAN_BRANCH_INTO_ENTRY
									  : PLAN_FINE;
}

static enum plan_reason patchentry_begin(struct patch_decision *decision,
					 struct patch_function *function)
{
	struct patch_module *module = decision->module;

	memset(&function->entry, 0, sizeof(function->entry));
	function->entry.at = first_of(module, function);
	function->entry.keeps_flags = patchentry_reads_flags(module, function->entry.at);
	function->hook_bytes = 0;
	return patchhooks_take(decision, function);
}

enum plan_reason patchentry_find(struct patch_decision *decision, struct patch_function *function)
{
	struct patch_module *module = decision->module;
	enum plan_reason reason = patchentry_begin(decision, function);

	if (reason != PLAN_FINE || function->way == PLAN_WAY_HOOK ||
	    function->entry.way == PATCH_ENTRY_HOOK || take_reserved(module, function))
		return reason;
	reason = displace(decision, function, PATCH_JUMP_BYTES, &function->entry);
	if (reason != PLAN_FINE)
		function->entry.way = PATCH_ENTRY_NONE;
	return reason;
}

bool patchentry_moves_call(const struct patch_module *module, const struct patch_entry *entry)
{
	uint64_t at = entry->at, end = entry->at + entry->displaced;
	struct patch_code code;

	for (; at < end && patchbytes_code(module, at, &code); at += code.length)
		if ((code.kind == PATCH_CODE_CALL || code.kind == PATCH_CODE_CALL_INDIRECT) &&
		    !patchhooks_is_dropped(module, at))
			return true;
	return false;
}

/* The nearest cave before or after at that is large enough and in reach. */
static struct patch_range *find_cave(struct patch_module *module, uint64_t at)
{
	size_t low =
		partition_point(module->cave_count, i, module->caves[i].end + SHORT_REACH < at);

	for (; low < module->cave_count && module->caves[low].start <= at + SHORT_REACH; low++) {
		struct patch_range *cave = &module->caves[low];
		int64_t distance = (int64_t)(cave->start - at - PATCH_SHORT_BYTES);

		if (cave->end - cave->start >= PATCH_JUMP_BYTES && distance <= SHORT_REACH &&
		    distance >= -SHORT_REACH - 1 &&
		    !patchbytes_is_taken(module, cave->start, PATCH_JUMP_BYTES))
			return cave;
	}
	return NULL;
}

enum plan_reason patchentry_find_cave(struct patch_decision *decision,
				      struct patch_function *function)
{
	struct patch_module *module = decision->module;
	enum plan_reason reason = patchentry_begin(decision, function);
	struct patch_range *cave = find_cave(module, function->entry.at);

	if (reason == PLAN_FINE)
		reason = displace(decision, function, PATCH_SHORT_BYTES, &function->entry);
	if (reason == PLAN_FINE && !cave)
		reason = PLAN_TOO_SHORT;
	if (reason != PLAN_FINE) {
		function->entry.way = PATCH_ENTRY_NONE;
		return reason;
	}
	function->entry.way = PATCH_ENTRY_CAVE;
	function->entry.cave = cave->start;
	cave->start += PATCH_JUMP_BYTES;
	return PLAN_FINE;
}
