/* Leading calls of functions, and the jumps at their entries, to copies while they run.
 *
 * First each copy is told its counter, where nobody is yet.  Then one byte of each distance is
 * changed, the highest: others see either the call it was or the new one, wherever it lies and
 * however the kernel copies.  So what it leads to is a whole number of 16 MiB away: a landing
 * there jumps to the copy.  A distance that is not what it should be stays. */
#include "patch/apply/patchapply_space.h"
#include "patch/apply/patchapply_throttle.h"

#include <errno.h>
#include <sys/mman.h>

#include "patch/apply/patchapply_memory.h"
#include "patch/apply/patchapply_pages.h"
#include "patch/apply/patchapply_raw.h"
#include "patch/apply/patchapply_texts.h"
#include "patch/apply/patchmoved.h"

#define PAGE	    4096u
#define STRIDE	    (INT64_C(1) << 24) /* what the highest byte of a distance counts */
#define STRIDES_MAX 127
#define JUMP_BYTES  5u
#define OPCODE_CALL 0xe8
#define OPCODE_JUMP 0xe9

struct leading { /* one call of patchapply_throttle() */
	struct patch_applied *applied;
	const struct texts *texts;
	long memory;
	int error; /* the first */
};

static void throttle_put(struct leading *leading, uint64_t at, const void *bytes, size_t size)
{
	int result = memory_put(leading->memory, at, bytes, size);

	if (leading->error == 0)
		leading->error = result;
}

static int32_t read_distance(uint64_t at)
{
	int32_t distance;

	raw_copy(&distance, (const void *)(uintptr_t)at, sizeof(distance));
	return distance;
}

static bool throttle_reserve(const struct leading *leading, uint64_t at, uint64_t size)
{
	const struct plan_header *header = leading->applied->plan.header;
	const uint64_t reach = moved_reach(header->machine);
	uint64_t text_start = header->text_start + leading->applied->bias;
	uint64_t text_end = header->text_end + leading->applied->bias;

	return (text_end < reach || at >= text_end - reach) && at + size <= text_start + reach &&
	       space_reserve_at(at, size);
}

/* How far from [start, start + size) its landings are; 0 = there is no place. */
static int64_t find_landings(const struct leading *leading, uint64_t start, uint64_t size)
{
	for (int64_t i = 1; i <= STRIDES_MAX; i++) {
		const uint64_t by = (uint64_t)(i * STRIDE);

		if (start > by && throttle_reserve(leading, start - by, size))
			return -i * STRIDE;
		if (throttle_reserve(leading, start + by, size))
			return i * STRIDE;
	}
	return 0;
}

/* Those of text, or of trampolines.  Nothing is there but the jumps that are put there. */
static int64_t landings_of(struct leading *leading, int64_t *landings, uint64_t start, uint64_t end)
{
	uint64_t first = start & ~(uint64_t)(PAGE - 1);
	uint64_t size = ((end + PAGE - 1) & ~(uint64_t)(PAGE - 1)) - first;
	int64_t by;
	long result;

	if (*landings != 0 || leading->error != 0)
		return *landings;
	by = find_landings(leading, first, size);
	if (by == 0) {
		leading->error = ENOMEM;
		return 0;
	}
	result = raw_protect(first + (uint64_t)by, size, PROT_READ | PROT_EXEC);
	if (result < 0) {
		raw_unmap(first + (uint64_t)by, size);
		leading->error = (int)-result;
		return 0;
	}
	return *landings = by;
}

/* False: there is no way from there, or somebody else's jump. */
static bool make_landing(struct leading *leading, uint64_t at, uint64_t to)
{
	unsigned char jump[JUMP_BYTES] = {OPCODE_JUMP};
	int64_t distance = (int64_t)(to - (at + JUMP_BYTES));
	const unsigned char *place = (const unsigned char *)(uintptr_t)at;

	if (distance != (int32_t)distance)
		return false;
	for (unsigned i = 0; i < JUMP_BYTES; i++)
		if (place[i] != 0)
			return false;
	raw_copy(jump + 1, &distance, sizeof(int32_t));
	throttle_put(leading, at, jump, JUMP_BYTES);
	return leading->error == 0;
}

/* The 4 bytes at a place lead from behind them to from, and shall lead that much further. */
static void lead(struct leading *leading, uint64_t at, uint64_t from, int64_t by)
{
	int64_t distance = read_distance(at), moved = distance + by;
	unsigned char highest = (unsigned char)((uint32_t)moved >> 24);

	if (at + sizeof(int32_t) + (uint64_t)distance == from && moved == (int32_t)moved)
		throttle_put(leading, at + 3, &highest, sizeof(highest));
}

static bool throttle_is_branch(uint64_t at)
{
	unsigned char opcode;

	raw_copy(&opcode, (const void *)(uintptr_t)(at - 1), sizeof(opcode));
	return opcode == OPCODE_CALL || opcode == OPCODE_JUMP;
}

/* The jump at the entry is the function's first write, and leads to its trampoline. */
static void lead_entry(struct leading *leading, const struct plan_function *function, uint64_t to)
{
	struct patch_applied *applied = leading->applied;
	const struct plan_header *header = applied->plan.header;
	const struct plan_write *write = applied->plan.writes + function->first_write;
	uint64_t at = plan_write_address(header, write) + applied->bias + write->distance_at;
	uint64_t from;
	int64_t by;

	if (function->write_count == 0 || write->distance_at == 0 ||
	    !texts_are_code(leading->texts, at - 1, 1 + sizeof(int32_t)) || !throttle_is_branch(at))
		return;
	from = at + sizeof(int32_t) + (uint64_t)(int64_t)read_distance(at);
	if (from - applied->code >= header->code_size)
		return;
	by = landings_of(leading, &applied->code_landings, applied->code,
			 applied->code + header->code_size);
	if (by != 0 && make_landing(leading, from + (uint64_t)by, to))
		lead(leading, at, from, by);
}

static void lead_calls(struct leading *leading, const struct plan_copy *copy, uint64_t to)
{
	struct patch_applied *applied = leading->applied;
	const struct plan *plan = &applied->plan;
	uint64_t text = plan->header->text_start + applied->bias;
	uint64_t from = plan->functions[copy->function].address + applied->bias;
	int64_t by = copy->call_count ? landings_of(leading, &applied->text_landings, text,
						    plan->header->text_end + applied->bias)
				      : 0;

	if (by == 0 || !make_landing(leading, from + (uint64_t)by, to))
		return;
	for (uint32_t i = 0; i < copy->call_count; i++) {
		uint64_t at = text + plan->calls[copy->first_call + i].distance_at;

		if (texts_are_code(leading->texts, at - 1, 1 + sizeof(int32_t)) &&
		    throttle_is_branch(at))
			lead(leading, at, from, by);
	}
}

static void lead_all(struct leading *leading, const struct patch_throttle *throttled,
		     unsigned count)
{
	const struct patch_applied *applied = leading->applied;

	for (unsigned i = 0; i < count; i++)
		throttle_put(leading, applied->code + throttled[i].copy->counter_at,
			     &throttled[i].counter, sizeof(throttled[i].counter));
	for (unsigned i = 0; i < count && leading->error == 0; i++) {
		const struct plan_copy *copy = throttled[i].copy;
		uint64_t to = applied->code + copy->code;

		lead_entry(leading, &applied->plan.functions[copy->function], to);
		lead_calls(leading, copy, to);
	}
}

int patchapply_throttle(struct patch_applied *applied, const struct patch_throttle *throttled,
			unsigned count)
{
	struct texts texts;
	struct leading leading = {.applied = applied, .texts = &texts};
	int result = texts_find(applied, &texts);

	if (result == 0)
		result = memory_learn();
	if (result != 0)
		return result;
	leading.memory = memory_open();
	if (leading.memory < 0)
		return (int)-leading.memory;
	lead_all(&leading, throttled, count);
	raw_call(SYS_close, leading.memory, 0, 0);
	return leading.error;
}
