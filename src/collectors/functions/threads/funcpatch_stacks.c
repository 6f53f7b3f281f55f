/* Stacks are read by a system call, so that an unmapped one causes no fault. */
#include "collectors/functions/threads/funcpatch_stacks.h"

#include <errno.h>

#include "platform/code/rawmemory.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"
#include "platform/threads/threadregs.h"

#define SIGNALS	     64
#define SIGNAL_BYTES 8u
/* The kernel's frame is near: no handler has so much stack between it and its stack pointer. */
#define STACK_MAX    (UINT64_C(16) << 20)
#define PROTECT_READ 1

struct action { /* as in rt_sigaction() on x86 */
	uint64_t handler, flags, restorer, mask;
};

static bool is_return(const struct stacks *stacks, uint64_t address)
{
	for (uint32_t i = 0; i < stacks->return_count; i++)
		if (stacks->returns[i] == address)
			return true;
	return false;
}

void stacks_learn(struct stacks *stacks)
{
	struct action action;

	for (int signal = 1; signal <= SIGNALS; signal++) {
		action.restorer = 0;
		if (raw_call6(SYS_rt_sigaction, signal, 0, (long)&action, SIGNAL_BYTES, 0, 0) < 0 ||
		    !action.restorer || is_return(stacks, action.restorer))
			continue;
		if (stacks->return_count < STACKS_RETURNS)
			stacks->returns[stacks->return_count++] = action.restorer;
		else
			stacks->is_too_many = true;
	}
}

void stacks_clear(struct stacks *stacks)
{
	stacks->count = stacks->done = 0;
}

void stacks_add(struct stacks *stacks, uint64_t sp)
{
	for (uint32_t i = 0; i < stacks->count; i++)
		if (sp >= stacks->ranges[i].start && sp < stacks->ranges[i].end)
			return; /* it is scanned already */
	if (stacks->count == STACKS_MAX) {
		stacks->is_too_many = true;
		return;
	}
	stacks->ranges[stacks->count].start = sp & ~UINT64_C(7);
	stacks->ranges[stacks->count++].end = 0;
}

static bool find_end(const struct proc_map *mapping, const char *path, void *context)
{
	struct stacks *stacks = context;

	(void)path;
	for (uint32_t i = stacks->done; i < stacks->count; i++)
		if (stacks->ranges[i].start >= mapping->start &&
		    stacks->ranges[i].start < mapping->end && (mapping->protection & PROTECT_READ))
			stacks->ranges[i].end = mapping->end;
	return true;
}

/* Returns the number of bytes read. */
static uint64_t read_words(struct stacks *stacks, uint64_t from, uint64_t size)
{
	uint64_t here[2] = {(uint64_t)(uintptr_t)stacks->words, size}, there[2] = {from, size};
	long got = raw_call6(SYS_process_vm_readv, raw_call(SYS_getpid, 0, 0, 0), (long)here, 1,
			     (long)there, 1, 0);

	return got < 0 ? 0 : (uint64_t)got;
}

static void stacks_scan_words(struct stacks *stacks, uint64_t count, uint64_t total,
			      stacks_fn visit, void *context)
{
	for (uint64_t i = 0; i < count; i++) {
		visit(stacks->words[i], context);
		if (threadregs_frame_sp_word && is_return(stacks, stacks->words[i]) &&
		    i + threadregs_frame_sp_word < total)
			stacks_add(stacks, stacks->words[i + threadregs_frame_sp_word]);
	}
}

static bool stacks_scan_range(struct stacks *stacks, const struct stack_range *range,
			      stacks_fn visit, void *context)
{
	const uint64_t piece = STACKS_WORDS * 8, tail = STACKS_PIECE_TAIL * 8;
	uint64_t end = range->end;

	if (end > range->start + STACK_MAX)
		end = range->start + STACK_MAX;
	for (uint64_t at = range->start; at < end; at += piece) {
		uint64_t left = end - at, size = left < piece ? left : piece;
		uint64_t got = read_words(stacks, at, left < piece + tail ? left : piece + tail);

		if (got < size)
			return false;
		stacks_scan_words(stacks, size / 8, got / 8, visit, context);
	}
	return true;
}

bool stacks_each(struct stacks *stacks, stacks_fn visit, void *context)
{
	while (stacks->done < stacks->count) {
		uint32_t first = stacks->done, last = stacks->count;

		if (proc_maps_each(PROC_SELF, NULL, 0, find_end, stacks) != 0)
			return false;
		for (uint32_t i = first; i < last; i++)
			if (!stacks_scan_range(stacks, &stacks->ranges[i], visit, context))
				return false;
		stacks->done = last;
	}
	return !stacks->is_too_many;
}
