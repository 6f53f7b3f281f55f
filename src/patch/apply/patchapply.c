/* The code of a plan, mapped near its module: from the plan's file at its preferred address, or
 * copied and relocated to a free one.
 *
 * All of it is one region, in the order and at the distances of the plan: code, vector, switch,
 * unwind tables.  The distance from code to data that is written often affects speed: a processor
 * that observes a write near code discards the decoded instructions. */
#include "patch/apply/patchapply.h"

#include <errno.h>
#include <sys/mman.h>

#include "patch/apply/patchapply_object.h"
#include "platform/code/rawmemory.h"
#include "platform/code/codespace.h"
#include "patch/apply/patchmoved.h"

#define PAGE 4096u

struct layout { /* of the region, from code_address on; whole pages */
	uint64_t vector, gate, frames, frames_end, symbols, size;
};

static uint64_t pages(uint64_t size)
{
	return (size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* False where the plan's addresses are impossible: they were checked, but not against each
 * other. */
static bool lay_out(const struct plan_header *header, struct layout *out)
{
	const uint64_t reach = moved_reach(header->machine);
	uint64_t start = header->code_address;
	uint64_t tables = header->frames_size + header->header_size;
	uint64_t symbols = header->symbols_size + header->symbol_texts_size;

	out->vector = header->vector_address - start;
	out->gate = header->switch_address - start;
	out->frames = tables ? header->frames_address - start : 0;
	out->frames_end = out->frames + pages(tables + (tables ? 16 : 0));
	out->size = larger(larger(out->vector + PATCH_VECTOR_SIZE, out->gate + PATCH_SWITCH_SIZE),
			   larger(out->frames_end, pages(header->code_size)));
	out->symbols = out->size;
	out->size += pages(symbols);
	return out->vector >= header->code_size && out->vector < reach && out->gate < reach &&
	       out->frames < reach && out->size < reach && out->vector % PAGE == 0 &&
	       out->gate % PAGE == 0 && out->frames % PAGE == 0 && start % PAGE == 0 &&
	       out->gate >= out->vector + PATCH_VECTOR_SIZE &&
	       (tables == 0 || out->frames >= out->gate + PATCH_SWITCH_SIZE ||
		(out->frames >= out->vector + PATCH_VECTOR_SIZE && out->frames_end <= out->gate));
}

static uint64_t patchapply_reserve(const struct patch_applied *applied, const struct layout *layout)
{
	const struct plan_header *header = applied->plan.header;
	const uint64_t reach = moved_reach(header->machine);
	uint64_t wanted = header->code_address + applied->bias;
	uint64_t text_start = header->text_start + applied->bias;
	uint64_t text_end = header->text_end + applied->bias;
	struct space_request request = {
		.size = layout->size,
		.near = wanted,
		.low = text_end > reach ? text_end - reach : 0,
		.high = text_start + reach,
	};

	if (space_reserve_at(wanted, layout->size))
		return wanted;
	return space_reserve(&request);
}

/* Map new pages at address, size_mapped bytes, which begin with size bytes. */
static int patchapply_fill(uint64_t address, uint64_t size_mapped, const void *bytes, uint64_t size)
{
	long result = raw_map(address, pages(size_mapped), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (result < 0)
		return (int)-result;
	raw_copy((void *)(uintptr_t)address, bytes, size);
	return 0;
}

/* Relocate the distances to the file's own text, in the code and, beyond its end, in the tables. */
static void move_distances(const struct patch_applied *applied, const struct layout *layout)
{
	const struct plan *plan = &applied->plan;

	for (uint64_t i = 0; i < plan->header->fixup_count; i++) {
		uint32_t at = plan->fixups[i], distance;
		bool is_code = at + UINT64_C(4) <= plan->header->code_size;
		bool is_frame = at >= layout->frames &&
				at + UINT64_C(4) <= layout->frames + plan->header->frames_size;
		unsigned char *place = (unsigned char *)(uintptr_t)(applied->code + at);

		if (!is_code && !is_frame)
			continue;
		raw_copy(&distance, place, sizeof(distance));
		distance = moved_word(is_code ? plan->header->machine : EM_NONE, distance,
				      -applied->moved);
		raw_copy(place, &distance, sizeof(distance));
	}
}

/* Mapped from the file it is executable at once; a copy becomes executable when it is complete. */
static int map_code(const struct patch_applied *applied, int plan_fd, bool *is_copy)
{
	const struct plan_header *header = applied->plan.header;
	long result = -EINVAL;

	if (plan_fd >= 0 && applied->moved == 0 && header->code_offset % PAGE == 0)
		result = raw_map(applied->code, pages(header->code_size), PROT_READ | PROT_EXEC,
				 MAP_PRIVATE | MAP_FIXED, plan_fd, header->code_offset);
	*is_copy = result < 0;
	return *is_copy ? patchapply_fill(applied->code, header->code_size, applied->plan.code,
					  header->code_size)
			: 0;
}

/* From the file, if the tables have the same page offsets there as in memory. */
static bool map_tables_file(const struct patch_applied *applied, int plan_fd, uint64_t at,
			    uint64_t header_at)
{
	const struct plan_header *header = applied->plan.header;
	uint64_t size = header_at - at + header->header_size;

	return plan_fd >= 0 && applied->moved == 0 && header->frames_offset % PAGE == 0 &&
	       header->header_offset - header->frames_offset == header_at - at &&
	       raw_map(at, pages(size), PROT_READ, MAP_PRIVATE | MAP_FIXED, plan_fd,
		       header->frames_offset) >= 0;
}

static int map_tables(struct patch_applied *applied, const struct layout *layout, int plan_fd)
{
	const struct plan_header *header = applied->plan.header;
	uint64_t at = applied->code + layout->frames;
	uint64_t header_at = at + ((header->frames_size + 15) & ~UINT64_C(15));
	int result;

	if (header->frames_size == 0)
		return 0;
	applied->frames = (const unsigned char *)(uintptr_t)at;
	applied->frames_header = (const unsigned char *)(uintptr_t)header_at;
	if (map_tables_file(applied, plan_fd, at, header_at))
		return 0;
	result = patchapply_fill(at, layout->frames_end - layout->frames, applied->plan.frames,
				 header->frames_size);
	if (result != 0)
		return result;
	raw_copy((void *)(uintptr_t)header_at, applied->plan.frames_header, header->header_size);
	return 0;
}

/* Code works without names: failures are ignored. */
static void map_symbols(struct patch_applied *applied, const struct layout *layout, int plan_fd)
{
	const struct plan_header *header = applied->plan.header;
	uint64_t at = applied->code + layout->symbols;

	if (plan_fd < 0 || header->symbols_size == 0)
		return;
	if (raw_map(at, layout->size - layout->symbols, PROT_READ, MAP_PRIVATE | MAP_FIXED, plan_fd,
		    header->symbols_offset) >= 0)
		applied->symbols = (const void *)(uintptr_t)at;
}

static int map_words(struct patch_applied *applied, const struct layout *layout,
		     const struct patch_vector *vector)
{
	uint64_t at = applied->code + layout->vector, gate = applied->code + layout->gate;
	int result = patchapply_fill(at, PATCH_VECTOR_SIZE, vector, sizeof(*vector));

	applied->vector = (struct patch_vector *)(uintptr_t)at;
	applied->gate = (struct patch_switch *)(uintptr_t)gate;
	if (result == 0) {
		patchapply_object(applied);
		result = (int)-raw_protect(at, PATCH_VECTOR_SIZE, PROT_READ);
	}
	if (result == 0)
		result = patchapply_fill(gate, PATCH_SWITCH_SIZE, "", 1);
	return result;
}

static int protect(const struct patch_applied *applied, const struct layout *layout, bool is_copy)
{
	const struct plan_header *header = applied->plan.header;
	long result = is_copy ? raw_protect(applied->code, pages(header->code_size),
					    PROT_READ | PROT_EXEC)
			      : 0;

	raw_flush(applied->code, header->code_size);
	if (result == 0 && header->frames_size)
		result = raw_protect(applied->code + layout->frames,
				     layout->frames_end - layout->frames, PROT_READ);
	return (int)-result;
}

int patchapply_map(struct patch_applied *applied, int plan_fd, const struct patch_vector *vector)
{
	const struct plan_header *header = applied->plan.header;
	struct layout layout;
	bool is_copy;
	int result;

	if (!lay_out(header, &layout))
		return EINVAL;
	applied->code = patchapply_reserve(applied, &layout);
	if (applied->code == 0)
		return ENOMEM;
	applied->code_end = applied->code + layout.size;
	applied->moved = (int64_t)(applied->code - (header->code_address + applied->bias));
	applied->frames = applied->frames_header = NULL;
	applied->object = applied->symbols = NULL;
	applied->text_landings = applied->code_landings = 0;
	result = map_code(applied, plan_fd, &is_copy);
	if (result == 0)
		result = map_tables(applied, &layout, plan_fd);
	if (result == 0)
		map_symbols(applied, &layout, plan_fd);
	if (result == 0)
		result = map_words(applied, &layout, vector);
	if (result == 0) {
		if (applied->moved)
			move_distances(applied, &layout);
		result = protect(applied, &layout, is_copy);
	}
	if (result != 0)
		patchapply_unmap(applied);
	return result;
}

void patchapply_unmap(struct patch_applied *applied)
{
	if (applied->code)
		raw_unmap(applied->code, applied->code_end - applied->code);
	applied->code = applied->code_end = 0;
}
