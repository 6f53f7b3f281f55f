/* Leading the callers of functions to their copies while they run.
 *
 * First each copy is told its counter, where nobody is yet; then the distances of jumps and calls
 * are changed, one store each.  A distance that is not what it should be stays. */
#include "patch/patchapply_brief.h"

#include <errno.h>
#include <sys/mman.h>

#include "patch/patchapply_raw.h"
#include "patch/patchapply_texts.h"

#define PAGE	    4096u
#define LINE_BYTES  64u
#define OPCODE_CALL 0xe8
#define OPCODE_JUMP 0xe9

static int32_t read_distance(uint64_t at)
{
	int32_t distance;

	raw_copy(&distance, (const void *)(uintptr_t)at, sizeof(distance));
	return distance;
}

/* One store, which others see whole: it lies in one cache line. */
static void store_distance(uint64_t at, int32_t distance)
{
#if defined(__x86_64__)
	__asm__ volatile("movl %1, %0"
			 : "=m"(*(int32_t *)(uintptr_t)at)
			 : "r"(distance)
			 : "memory");
#else
	raw_copy((void *)(uintptr_t)at, &distance, sizeof(distance));
#endif
}

static int set_counter(const struct patch_applied *applied, const struct patch_brief *brief)
{
	uint64_t at = applied->code + brief->copy->counter_at;
	uint64_t start = at & ~(uint64_t)(PAGE - 1);
	uint64_t end = (at + sizeof(brief->counter) + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	long result;

	if (raw_poke(at, &brief->counter, sizeof(brief->counter)) == 0)
		return 0;
	result = raw_protect(start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (result < 0)
		return (int)-result;
	store_distance(at, brief->counter);
	return (int)-raw_protect(start, end - start, PROT_READ | PROT_EXEC);
}

/* The 4 bytes at a place lead from behind them to from, and shall lead to to. */
static void lead(uint64_t at, uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - (at + sizeof(int32_t)));

	if (at % LINE_BYTES <= LINE_BYTES - sizeof(int32_t) && distance == (int32_t)distance &&
	    at + sizeof(int32_t) + (uint64_t)(int64_t)read_distance(at) == from)
		store_distance(at, (int32_t)distance);
}

static bool is_branch(uint64_t at)
{
	unsigned char opcode;

	raw_copy(&opcode, (const void *)(uintptr_t)(at - 1), sizeof(opcode));
	return opcode == OPCODE_CALL || opcode == OPCODE_JUMP;
}

/* The jump at the entry is the function's first write, and leads to its trampoline. */
static void lead_entry(const struct patch_applied *applied, const struct texts *texts,
		       const struct plan_function *function, uint64_t to)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;
	uint64_t at = plan_write_address(applied->plan.header, write) + applied->bias +
		      write->distance_at,
		 from;

	if (function->write_count == 0 || write->distance_at == 0 ||
	    !texts_are_code(texts, at - 1, 1 + sizeof(int32_t)) || !is_branch(at))
		return;
	from = at + sizeof(int32_t) + (uint64_t)(int64_t)read_distance(at);
	if (from - applied->code < applied->plan.header->code_size)
		lead(at, from, to);
}

static void lead_all(const struct patch_applied *applied, const struct texts *texts,
		     const struct patch_brief *brief)
{
	const struct plan *plan = &applied->plan;
	const struct plan_copy *copy = brief->copy;
	const struct plan_function *function = &plan->functions[copy->function];
	uint64_t to = applied->code + copy->code;
	uint64_t text = plan->header->text_start + applied->bias;

	lead_entry(applied, texts, function, to);
	for (uint32_t i = 0; i < copy->call_count; i++) {
		uint64_t at = text + plan->calls[copy->first_call + i].distance_at;

		if (texts_are_code(texts, at - 1, 1 + sizeof(int32_t)) && is_branch(at))
			lead(at, function->address + applied->bias, to);
	}
}

int patchapply_brief(const struct patch_applied *applied, const struct patch_brief *briefs,
		     unsigned count)
{
	struct texts texts;
	int result = texts_find(applied, &texts);

	for (unsigned i = 0; i < count && result == 0; i++)
		result = set_counter(applied, &briefs[i]);
	if (result == 0)
		result = texts_open(&texts);
	if (result != 0)
		return result;
	for (unsigned i = 0; i < count; i++)
		lead_all(applied, &texts, &briefs[i]);
	texts_close(&texts);
	return 0;
}
