/* Reading a plan from bytes: every offset, count and index is checked once, so that users of the
 * plan need not.  Used inside programs before anything else runs, so no function of the C library
 * is called. */
#include "patch/read/planread.h"

#include <elf.h>

#include "patch/read/planread_throttle.h"

#define SECTION_ALIGN  16u
#define PAGE	       4096u
#define FNV_START      0xcbf29ce484222325u
#define FNV_FACTOR     0x100000001b3u
/* Consecutive words go to separate sums: the processor need not wait for each. */
#define CHECKSUM_LANES 8u

static inline uint64_t with_word(uint64_t sum, const unsigned char *at)
{
	uint64_t word;

	__builtin_memcpy(&word, at, sizeof(word));
	sum = (sum ^ word) * FNV_FACTOR;
	return sum ^ sum >> 32;
}

uint64_t plan_checksum(const void *bytes, size_t size)
{
	const struct plan_header *header = bytes;
	const unsigned char *at = (const unsigned char *)(&header->checksum + 1);
	const unsigned char *end = (const unsigned char *)bytes + size;
	uint64_t sums[CHECKSUM_LANES], sum = FNV_START;

	for (unsigned i = 0; i < CHECKSUM_LANES; i++)
		sums[i] = FNV_START + i;
	for (; end - at >= (ptrdiff_t)sizeof(sums); at += sizeof(sums))
		for (unsigned i = 0; i < CHECKSUM_LANES; i++)
			sums[i] = with_word(sums[i], at + 8 * i);
	for (; end - at >= 8; at += 8)
		sum = with_word(sum, at);
	for (unsigned i = 0; i < CHECKSUM_LANES; i++)
		sum = with_word(sum, (const unsigned char *)&sums[i]);
	return sum;
}

static bool planread_is_magic(const char *magic)
{
	for (unsigned i = 0; i < sizeof(PLAN_MAGIC) - 1; i++)
		if (magic[i] != PLAN_MAGIC[i])
			return false;
	return true;
}

/* count items of item_size at offset are after the header and within the plan. */
static bool planread_is_inside(const struct plan_header *header, uint64_t offset, uint64_t count,
			       uint64_t item_size)
{
	return offset % SECTION_ALIGN == 0 && offset >= sizeof(*header) && offset <= header->size &&
	       count <= (header->size - offset) / item_size;
}

static bool is_variant_good(const struct plan_header *header)
{
	const uint32_t impossible = header->cost == PATCH_COST_COUNTS
					    ? PLAN_VARIANT_LOOPS | PLAN_VARIANT_SERIALIZED
					    : PLAN_VARIANT_EXITS;

	return header->variant < PLAN_VARIANTS && !(header->variant & impossible);
}

static bool is_header_good(const struct plan_header *header, size_t size)
{
	return planread_is_magic(header->magic) && header->version == PLAN_VERSION &&
	       (header->machine == EM_X86_64 || header->machine == EM_AARCH64) &&
	       header->cost >= PATCH_COST_COUNTS && header->cost <= PATCH_COST_FULL &&
	       is_variant_good(header) && header->size <= size && header->size >= sizeof(*header) &&
	       header->size % SECTION_ALIGN == 0 && header->build_id_size <= PLAN_BUILD_ID_MAX &&
	       header->image_start <= header->text_start &&
	       header->text_start <= header->text_end && header->text_end <= header->image_end;
}

static bool are_sections_good(const struct plan_header *header)
{
	return planread_is_inside(header, header->functions_offset, header->function_count,
				  sizeof(struct plan_function)) &&
	       planread_is_inside(header, header->writes_offset, header->write_count,
				  sizeof(struct plan_write)) &&
	       (header->copy_count == 0 ||
		planread_is_inside(header, header->copies_offset, header->copy_count,
				   sizeof(struct plan_copy))) &&
	       (header->call_count == 0 ||
		planread_is_inside(header, header->calls_offset, header->call_count,
				   sizeof(struct plan_call))) &&
	       planread_is_inside(header, header->fixups_offset, header->fixup_count,
				  sizeof(uint32_t)) &&
	       planread_is_inside(header, header->frames_offset, header->frames_size, 1) &&
	       planread_is_inside(header, header->header_offset, header->header_size, 1) &&
	       planread_is_inside(header, header->names_offset, header->names_size, 1) &&
	       (header->owner_count == 0 ||
		planread_is_inside(header, header->owners_offset, header->owner_count,
				   sizeof(struct plan_owner))) &&
	       planread_is_inside(header, header->code_offset, header->code_size, 1) &&
	       header->function_count <= PATCH_ID_MAX && header->names_size > 0;
}

static bool are_symbols_good(const struct plan_header *header)
{
	uint64_t size = header->symbols_size + header->symbol_texts_size;

	if (header->symbols_size == 0 && header->symbol_texts_size == 0)
		return true;
	return header->symbols_size < UINT32_MAX / 4 && header->symbol_texts_size < UINT32_MAX &&
	       header->symbols_offset % PAGE == 0 &&
	       planread_is_inside(header, header->symbols_offset, size, 1);
}

/* Addresses count modulo 2^64: code may be below a file that begins at 0. */
static bool are_addresses_good(const struct plan_header *header)
{
	uint64_t behind = header->switch_address + PATCH_SWITCH_SIZE;

	return header->code_offset % PAGE == 0 && header->code_size % PAGE == 0 &&
	       header->code_address % PAGE == 0 && header->code_size < UINT32_MAX / 4 &&
	       header->frames_size < UINT32_MAX / 4 && header->header_size < UINT32_MAX / 4 &&
	       header->vector_address == header->code_address + header->code_size &&
	       header->switch_address == header->vector_address + PATCH_SWITCH_DISTANCE &&
	       header->frames_address == behind && header->frames_size % 8 == 0;
}

static bool is_write_good(const struct plan_header *header, const struct plan_write *write)
{
	if (write->size == 0 || write->size > PLAN_PATCH_MAX)
		return false;
	if (write->distance_at != 0 && write->distance_at + 4u > write->size)
		return false;
	return header->text_end - header->text_start >= (uint64_t)write->offset + write->size;
}

/* By address, first the functions and then the loops. */
static bool is_in_order(const struct plan_function *before, const struct plan_function *function)
{
	bool was_loop = before->flags & PLAN_FUNCTION_LOOP;
	bool is_loop = function->flags & PLAN_FUNCTION_LOOP;

	return was_loop == is_loop ? function->address > before->address : is_loop;
}

static bool are_functions_good(const struct plan *plan)
{
	const struct plan_header *header = plan->header;
	uint64_t next = 0;

	for (uint64_t i = 0; i < header->function_count; i++) {
		const struct plan_function *function = &plan->functions[i];

		if ((i > 0 && !is_in_order(function - 1, function)) ||
		    function->name >= header->names_size || function->way > PLAN_WAY_HOOK ||
		    function->reason >= PLAN_REASONS || function->first_write != next ||
		    function->write_count > header->write_count - next ||
		    (function->way == PLAN_WAY_HOOK && function->write_count > 0))
			return false;
		next += function->write_count;
	}
	return next == header->write_count;
}

static bool are_contents_good(const struct plan *plan)
{
	const struct plan_header *header = plan->header;

	if (plan->names[0] != '\0' || plan->names[header->names_size - 1] != '\0')
		return false;
	for (uint64_t i = 0; i < header->write_count; i++)
		if (!is_write_good(header, &plan->writes[i]))
			return false;
	for (uint64_t i = 0; i < header->fixup_count; i++)
		if (header->code_size < 4 || plan->fixups[i] > header->code_size - 4)
			return false;
	return are_functions_good(plan) && planread_throttle(plan);
}

bool plan_read(const void *bytes, size_t size, bool is_sure, struct plan *out)
{
	const struct plan_header *header = bytes;
	struct plan plan;

	if (size < sizeof(*header) || (uintptr_t)bytes % _Alignof(struct plan_header) != 0 ||
	    !is_header_good(header, size) || !are_sections_good(header) ||
	    !are_symbols_good(header) || !are_addresses_good(header))
		return false;
	if (!is_sure && header->checksum != plan_checksum(bytes, (size_t)header->size))
		return false;
	plan.bytes = bytes;
	plan.header = header;
	plan.functions = (const void *)(plan.bytes + header->functions_offset);
	plan.writes = (const void *)(plan.bytes + header->writes_offset);
	plan.copies =
		header->copy_count ? (const void *)(plan.bytes + header->copies_offset) : NULL;
	plan.calls = header->call_count ? (const void *)(plan.bytes + header->calls_offset) : NULL;
	plan.fixups = (const void *)(plan.bytes + header->fixups_offset);
	plan.code = plan.bytes + header->code_offset;
	plan.owners = (const void *)(plan.bytes + header->owners_offset);
	plan.frames = plan.bytes + header->frames_offset;
	plan.frames_header = plan.bytes + header->header_offset;
	plan.names = (const char *)plan.bytes + header->names_offset;
	if (!are_contents_good(&plan))
		return false;
	*out = plan;
	return true;
}
