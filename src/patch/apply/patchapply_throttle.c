/* Redirecting calls of functions, and the jumps at their entries, to copies, while they run.
 *
 * First each copy gets its counter's offset; no thread is in it yet.  Then one byte of each
 * distance is changed, the highest: other threads execute either the old call or the new one,
 * whatever its alignment and however the kernel copies.  So the new target is a multiple of 16 MiB
 * away: a landing there jumps to the copy.  A distance with an unexpected value is not changed. */
#include "platform/code/codespace.h"
#include "patch/apply/patchapply_throttle.h"

#include <errno.h>
#include <sys/mman.h>

#include "platform/code/codememory.h"
#include "platform/code/codepages.h"
#include "platform/code/rawmemory.h"
#include "patch/apply/patchapply_texts.h"
#include "patch/apply/patchmoved.h"

#define PAGE	    4096u
#define STRIDE	    (INT64_C(1) << 24) /* the unit of the highest byte of a distance */
#define STRIDES_MAX 127
#define JUMP_BYTES  5u
#define OPCODE_CALL 0xe8
#define OPCODE_JUMP 0xe9

struct redirection { /* one call of patchapply_throttle() */
	struct patch_applied *applied;
	const struct texts *texts;
	long memory;
	int error; /* the first */
};

static void throttle_put(struct redirection *redirection, uint64_t at, const void *bytes,
			 size_t size)
{
	int result = memory_put(redirection->memory, at, bytes, size);

	if (redirection->error == 0)
		redirection->error = result;
}

static int32_t read_distance(uint64_t at)
{
	int32_t distance;

	raw_copy(&distance, (const void *)(uintptr_t)at, sizeof(distance));
	return distance;
}

static bool throttle_reserve(const struct redirection *redirection, uint64_t at, uint64_t size)
{
	const struct plan_header *header = redirection->applied->plan.header;
	const uint64_t reach = moved_reach(header->machine);
	uint64_t text_start = header->text_start + redirection->applied->bias;
	uint64_t text_end = header->text_end + redirection->applied->bias;

	return (text_end < reach || at >= text_end - reach) && at + size <= text_start + reach &&
	       space_reserve_at(at, size);
}

/* The distance from [start, start + size) to its landings; 0 = no free address. */
static int64_t find_landings(const struct redirection *redirection, uint64_t start, uint64_t size)
{
	for (int64_t i = 1; i <= STRIDES_MAX; i++) {
		const uint64_t by = (uint64_t)(i * STRIDE);

		if (start > by && throttle_reserve(redirection, start - by, size))
			return -i * STRIDE;
		if (throttle_reserve(redirection, start + by, size))
			return i * STRIDE;
	}
	return 0;
}

/* The landings of text, or of trampolines.  Only the landings' jumps are there. */
static int64_t landings_of(struct redirection *redirection, int64_t *landings, uint64_t start,
			   uint64_t end)
{
	uint64_t first = start & ~(uint64_t)(PAGE - 1);
	uint64_t size = ((end + PAGE - 1) & ~(uint64_t)(PAGE - 1)) - first;
	int64_t by;
	long result;

	if (*landings != 0 || redirection->error != 0)
		return *landings;
	by = find_landings(redirection, first, size);
	if (by == 0) {
		redirection->error = ENOMEM;
		return 0;
	}
	result = raw_protect(first + (uint64_t)by, size, PROT_READ | PROT_EXEC);
	if (result < 0) {
		raw_unmap(first + (uint64_t)by, size);
		redirection->error = (int)-result;
		return 0;
	}
	return *landings = by;
}

/* False: out of reach, or another jump is already there. */
static bool make_landing(struct redirection *redirection, uint64_t at, uint64_t to)
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
	throttle_put(redirection, at, jump, JUMP_BYTES);
	return redirection->error == 0;
}

/* The 4-byte distance at an address leads to from; add by to it. */
static void redirect(struct redirection *redirection, uint64_t at, uint64_t from, int64_t by)
{
	int64_t distance = read_distance(at), moved = distance + by;
	unsigned char highest = (unsigned char)((uint32_t)moved >> 24);

	if (at + sizeof(int32_t) + (uint64_t)distance == from && moved == (int32_t)moved)
		throttle_put(redirection, at + 3, &highest, sizeof(highest));
}

static bool throttle_is_branch(uint64_t at)
{
	unsigned char opcode;

	raw_copy(&opcode, (const void *)(uintptr_t)(at - 1), sizeof(opcode));
	return opcode == OPCODE_CALL || opcode == OPCODE_JUMP;
}

/* The jump at the entry is the function's first write, and leads to its trampoline. */
static void redirect_entry(struct redirection *redirection, const struct plan_function *function,
			   uint64_t to)
{
	struct patch_applied *applied = redirection->applied;
	const struct plan_header *header = applied->plan.header;
	const struct plan_write *write = applied->plan.writes + function->first_write;
	uint64_t at = plan_write_address(header, write) + applied->bias + write->distance_at;
	uint64_t from;
	int64_t by;

	if (function->write_count == 0 || write->distance_at == 0 ||
	    !texts_are_code(redirection->texts, at - 1, 1 + sizeof(int32_t)) ||
	    !throttle_is_branch(at))
		return;
	from = at + sizeof(int32_t) + (uint64_t)(int64_t)read_distance(at);
	if (from - applied->code >= header->code_size)
		return;
	by = landings_of(redirection, &applied->code_landings, applied->code,
			 applied->code + header->code_size);
	if (by != 0 && make_landing(redirection, from + (uint64_t)by, to))
		redirect(redirection, at, from, by);
}

static void redirect_calls(struct redirection *redirection, const struct plan_copy *copy,
			   uint64_t to)
{
	struct patch_applied *applied = redirection->applied;
	const struct plan *plan = &applied->plan;
	uint64_t text = plan->header->text_start + applied->bias;
	uint64_t from = plan->functions[copy->function].address + applied->bias;
	int64_t by = copy->call_count ? landings_of(redirection, &applied->text_landings, text,
						    plan->header->text_end + applied->bias)
				      : 0;

	if (by == 0 || !make_landing(redirection, from + (uint64_t)by, to))
		return;
	for (uint32_t i = 0; i < copy->call_count; i++) {
		uint64_t at = text + plan->calls[copy->first_call + i].distance_at;

		if (texts_are_code(redirection->texts, at - 1, 1 + sizeof(int32_t)) &&
		    throttle_is_branch(at))
			redirect(redirection, at, from, by);
	}
}

static void redirect_all(struct redirection *redirection, const struct patch_throttle *throttled,
			 unsigned count)
{
	const struct patch_applied *applied = redirection->applied;

	for (unsigned i = 0; i < count; i++)
		throttle_put(redirection, applied->code + throttled[i].copy->counter_at,
			     &throttled[i].counter, sizeof(throttled[i].counter));
	for (unsigned i = 0; i < count && redirection->error == 0; i++) {
		const struct plan_copy *copy = throttled[i].copy;
		uint64_t to = applied->code + copy->code;

		redirect_entry(redirection, &applied->plan.functions[copy->function], to);
		redirect_calls(redirection, copy, to);
	}
}

int patchapply_throttle(struct patch_applied *applied, const struct patch_throttle *throttled,
			unsigned count)
{
	struct texts texts;
	struct redirection redirection = {.applied = applied, .texts = &texts};
	int result = texts_find(applied, &texts);

	if (result == 0)
		result = memory_learn();
	if (result != 0)
		return result;
	redirection.memory = memory_open();
	if (redirection.memory < 0)
		return (int)-redirection.memory;
	redirect_all(&redirection, throttled, count);
	raw_call(SYS_close, redirection.memory, 0, 0);
	return redirection.error;
}
