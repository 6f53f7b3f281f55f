/* All potential branch targets: of branches, addresses in instructions, pointers in data, jump
 * tables, landing pads of exceptions.  A false target only makes fewer functions recordable; a
 * missing one would be unsafe. */
#include "patch/analyse/patchtargets.h"

#include <stdlib.h>
#include <string.h>

#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchhandlers.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchsweep.h"

#define TABLE_MAX 65536u /* entries of a jump table */

static void mark_relocations(struct patch_module *module, const struct patch_dynamic *dynamic)
{
	for (unsigned table = 0; table < 2; table++)
		for (uint64_t i = 0; i < dynamic->relocation_counts[table]; i++) {
			const Elf64_Rela *relocation = &dynamic->relocations[table][i];
			uint64_t symbol = ELF64_R_SYM(relocation->r_info);
			uint64_t value = (uint64_t)relocation->r_addend;

			if (symbol != 0 && symbol < dynamic->symbol_count)
				value += dynamic->symbols[symbol].st_value;
			patchsweep_name(module, value);
		}
}

static void mark_word(struct patch_module *module, uint64_t address)
{
	const unsigned char *bytes = patchmodule_at(module, address, 8);
	uint64_t value;

	if (!bytes)
		return;
	memcpy(&value, bytes, sizeof(value));
	patchsweep_name(module, value);
}

/* RELR: an address, or, with the lowest bit set, a bitmap of the 63 words after the last one. */
static void mark_packed(struct patch_module *module, const struct patch_dynamic *dynamic)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < dynamic->packed_count; i++) {
		uint64_t entry = dynamic->packed[i];

		if ((entry & 1) == 0) {
			mark_word(module, entry);
			next = entry + 8;
			continue;
		}
		for (unsigned bit = 0; bit < 63; bit++)
			if (entry >> (bit + 1) & 1)
				mark_word(module, next + bit * UINT64_C(8));
		next += 63 * UINT64_C(8);
	}
}

/* In a position-dependent file pointers are plain words, and packed structures exist. */
static void mark_data(struct patch_module *module)
{
	for (size_t i = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];
		const unsigned char *bytes = module->bytes + segment->offset;

		if (segment->flags & PF_X)
			continue;
		for (uint64_t at = 0; at + 8 <= segment->file_bytes; at += 4) {
			uint64_t value;

			memcpy(&value, bytes + at, sizeof(value));
			if (patchsweep_is_text(module, value))
				patchsweep_name(module, value);
		}
	}
}

static int by_value(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* A table of 4-byte distances from its own start ends where the next one begins, or at an entry
 * outside of the code. */
static void mark_table(struct patch_module *module, uint64_t table, uint64_t end)
{
	uint64_t left = patchmodule_left(module, table) / 4;
	const unsigned char *bytes = patchmodule_at(module, table, left * 4);
	bool is_in_code = patchmodule_is_code(module, table);
	const struct patch_function *function = NULL;

	if (!bytes)
		return;
	for (uint64_t i = 0; i < left && i < TABLE_MAX && table + 4 * i < end; i++) {
		int32_t distance;
		uint64_t target;

		memcpy(&distance, bytes + 4 * i, sizeof(distance));
		target = table + (uint64_t)(int64_t)distance;
		if (!patchmodule_is_code(module, target))
			return;
		if (is_in_code) { /* small numbers are no distances */
			const struct patch_function *there =
				patchmodule_function_at(module, target);

			if (!there || (function && there != function))
				return;
			function = there;
		}
		patchsweep_mark(module, target);
	}
}

static enum kymo_status mark_tables(struct patch_module *module, struct problem *problem)
{
	const struct patch_sweep *sweep = module->sweep;
	uint64_t *tables = malloc((sweep->event_count + 1) * sizeof(*tables));
	size_t count = 0;

	if (!tables)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < sweep->event_count; i++)
		if (sweep->events[i].kind == PATCH_EVENT_TABLE)
			tables[count++] = sweep->events[i].target;
	qsort(tables, count, sizeof(*tables), by_value);
	for (size_t i = 0; i < count; i++) {
		bool is_last = i + 1 == count;

		if (is_last || tables[i] != tables[i + 1])
			mark_table(module, tables[i], is_last ? UINT64_MAX : tables[i + 1]);
	}
	free(tables);
	return KYMO_OK;
}

/* Gaps between functions that decoded. */
static void mark_gaps(struct patch_module *module, const struct patch_segment *segment)
{
	uint64_t at = segment->address, end = segment->address + segment->file_bytes;

	for (size_t i = 0; i < module->function_count; i++) {
		const struct patch_function *function = &module->functions[i];
		uint64_t behind = function->address + function->size;

		if (!(module->sweep->notes[i] & PATCH_SWEPT_ALL) || behind <= at ||
		    function->address >= end)
			continue;
		if (function->address > at)
			module->processor->superset(module, at, function->address);
		at = behind;
	}
	if (at < end)
		module->processor->superset(module, at, end);
}

static void mark_landing_pads(struct patch_module *module)
{
	const struct patch_sweep *sweep = module->sweep;

	for (size_t i = 0; i < sweep->fde_count; i++)
		if (sweep->fdes[i].handlers)
			patchhandlers_mark(module, sweep->fdes[i].handlers, sweep->fdes[i].start,
					   sweep->fdes[i].end);
}

static enum kymo_status patchtargets_reserve(struct patch_module *module, struct problem *problem)
{
	size_t size;

	module->targets_start = UINT64_MAX;
	for (size_t i = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];

		if (!(segment->flags & PF_X) || segment->file_bytes == 0)
			continue;
		if (module->targets_start == UINT64_MAX)
			module->targets_start = segment->address;
		module->targets_end = segment->address + segment->file_bytes;
	}
	if (module->targets_start == UINT64_MAX)
		return problem_set(problem, KYMO_FORMAT,
				   "cannot instrument '%s': there is no code in it", module->path);
	size = (module->targets_end - module->targets_start) / 8 + 1;
	module->targets = calloc(size, 1);
	module->sweep->boundaries = calloc(size, 1);
	module->sweep->starts = calloc(size, 1);
	module->sweep->named = calloc(size, 1);
	module->sweep->indirect = calloc(size, 1);
	module->sweep->taken = calloc(size, 1);
	module->sweep->data = calloc(size, 1);
	module->sweep->flagged = calloc(size, 1);
	if (!module->targets || !module->sweep->data || !module->sweep->flagged ||
	    !module->sweep->taken || !module->sweep->starts || !module->sweep->boundaries ||
	    !module->sweep->named || !module->sweep->indirect)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < module->function_count; i++)
		patchbits_set(module->sweep->starts,
			      module->functions[i].address - module->targets_start);
	return KYMO_OK;
}

/* Is any of the bits [first, last) set? */
static bool has_any(const uint8_t *bits, uint64_t first, uint64_t last)
{
	uint64_t word;

	for (; first < last && first % 8 != 0; first++)
		if (patchbits_has(bits, first))
			return true;
	for (; last - first >= 64 && first < last; first += 64) {
		memcpy(&word, bits + first / 8, sizeof(word));
		if (word != 0)
			return true;
	}
	for (; first < last && last - first >= 8; first += 8)
		if (bits[first / 8] != 0)
			return true;
	for (; first < last; first++)
		if (patchbits_has(bits, first))
			return true;
	return false;
}

static void note_insides(struct patch_module *module)
{
	struct patch_sweep *sweep = module->sweep;

	for (size_t i = 0; i < module->function_count; i++) {
		uint64_t first = module->functions[i].address - module->targets_start;
		uint64_t last = first + module->functions[i].size;

		if (has_any(sweep->data, first, last))
			sweep->notes[i] |= PATCH_SWEPT_DATA;
		if (has_any(sweep->named, first + 1, last))
			sweep->notes[i] |= PATCH_SWEPT_LABELS;
	}
}

enum kymo_status patchtargets_scan(struct patch_module *module, struct problem *problem)
{
	struct patch_dynamic dynamic;
	enum kymo_status status = patchtargets_reserve(module, problem);

	if (status != KYMO_OK || (status = module->processor->sweep(module, problem)) != KYMO_OK ||
	    (status = mark_tables(module, problem)) != KYMO_OK)
		return status;
	for (size_t i = 0; i < module->segment_count; i++)
		if (module->segments[i].flags & PF_X)
			mark_gaps(module, &module->segments[i]);
	patchdynamic_read(module, &dynamic);
	mark_relocations(module, &dynamic);
	mark_packed(module, &dynamic);
	if (module->is_position_dependent)
		mark_data(module);
	mark_landing_pads(module);
	note_insides(module);
	return KYMO_OK;
}
