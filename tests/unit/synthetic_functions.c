/* Instrumented functions in synthetic recordings: a literal writer of docs/format.md. */
#include "synthetic_functions.h"

#include <stdlib.h>
#include <string.h>

void synthetic_functions(struct synthetic *synthetic, uint64_t start, uint32_t first_id,
			 enum patch_cost cost, const struct kymo_function_range *places,
			 uint32_t count)
{
	uint64_t size = sizeof(struct kymo_function_table) + count * sizeof(*places);
	uint64_t offset =
		synthetic_chunk(synthetic, KYMO_CHUNK_FUNCTIONS, KYMO_NO_THREAD, 0, size, size);
	unsigned char *payload =
		(unsigned char *)synthetic_header(synthetic) + offset + sizeof(struct kymo_chunk);
	struct kymo_function_table table = {
		.start = start,
		.ticks = SYNTHETIC_START_TICKS,
		.first_id = first_id,
		.count = count,
		.cost = (uint32_t)cost,
	};

	for (uint32_t i = 0; i < count; i++)
		table.taken += (places[i].size_flags & KYMO_FUNCTION_TAKEN) != 0;
	memcpy(payload, &table, sizeof(table));
	memcpy(payload + sizeof(table), places, count * sizeof(*places));
}

static void append(struct function_events_bytes *pairs, uint64_t word, unsigned size)
{
	if (pairs->size + size > pairs->capacity) {
		pairs->capacity = 2 * pairs->capacity + 256;
		pairs->bytes = realloc(pairs->bytes, pairs->capacity);
		if (!pairs->bytes)
			abort();
	}
	for (unsigned i = 0; i < size; i++)
		pairs->bytes[pairs->size++] = (unsigned char)(word >> 8 * i);
}

void function_events_begin(struct function_events_bytes *pairs, uint64_t time)
{
	pairs->base = pairs->last = SYNTHETIC_START_TICKS + time;
}

/* Ticks since the record before, or all ones when the time itself has to follow. */
static uint64_t delta(struct function_events_bytes *pairs, uint64_t time, unsigned bits)
{
	uint64_t passed = SYNTHETIC_START_TICKS + time - pairs->last;
	uint64_t most = (UINT64_C(1) << bits) - 1;

	pairs->last = SYNTHETIC_START_TICKS + time;
	return passed < most ? passed : most;
}

/* MARKED: the time has a mark of its own. */
static void put_time(struct function_events_bytes *pairs, uint64_t time)
{
	if (SYNTHETIC_START_TICKS + time != pairs->last)
		function_events_put_mark(pairs, PATCH_MARK_TIME, time);
}

void function_events_put_hole(struct function_events_bytes *pairs, unsigned size)
{
	for (; size > 0; size--)
		append(pairs, 0, 1);
}

void function_events_enter(struct function_events_bytes *pairs, uint32_t id, uint64_t address,
			   uint64_t time)
{
	uint64_t ticks;

	if (pairs->flags & KYMO_FUNCTION_EVENTS_MARKED) {
		put_time(pairs, time);
		append(pairs, 1 | (address >> 3 & 1023) << 2 | (uint64_t)id << 12, 4);
		return;
	}
	ticks = delta(pairs, time, 9);
	append(pairs, 1 | ticks << 1 | (address >> 3 & 1023) << 10 | (uint64_t)id << 20, 5);
	if (ticks == 511)
		append(pairs, pairs->last, 8);
}

void function_events_exit(struct function_events_bytes *pairs, uint64_t address, uint64_t time)
{
	uint64_t ticks;

	if (pairs->flags & KYMO_FUNCTION_EVENTS_MARKED) {
		put_time(pairs, time);
		append(pairs, 2 | (address >> 3 & 1023) << 2, 2);
		return;
	}
	ticks = delta(pairs, time, 12);
	append(pairs, 2 | ticks << 2 | (address >> 3 & 1023) << 14, 3);
	if (ticks == 4095)
		append(pairs, pairs->last, 8);
}

void function_events_put_mark(struct function_events_bytes *pairs, enum patch_mark mark,
			      uint64_t time)
{
	pairs->last = SYNTHETIC_START_TICKS + time;
	append(pairs, (uint64_t)mark << 2, 1);
	append(pairs, pairs->last, 8);
}

void function_events_put(struct function_events_bytes *pairs, struct synthetic *synthetic,
			 uint32_t thread)
{
	uint64_t offset = synthetic_chunk(synthetic, KYMO_CHUNK_FUNCTION_EVENTS, thread, 0,
					  pairs->size + PATCH_RECORD_MAX, 0);
	struct kymo_chunk *chunk =
		(struct kymo_chunk *)((unsigned char *)synthetic_header(synthetic) + offset);

	chunk->base = pairs->base;
	chunk->flags = pairs->flags;
	if (pairs->size > 0)
		memcpy(chunk + 1, pairs->bytes, pairs->size);
	pairs->base = pairs->last;
	free(pairs->bytes);
	pairs->bytes = NULL;
	pairs->size = pairs->capacity = 0;
}

static void table(struct synthetic *synthetic, enum kymo_chunk_type type, uint32_t thread,
		  uint64_t base, const void *records, uint32_t record_size, uint32_t count)
{
	uint64_t size = (uint64_t)record_size * count;
	/* Room that is not used is zeros, and used is not kept. */
	uint64_t offset = synthetic_chunk(synthetic, (uint16_t)type, thread, record_size,
					  size + 2 * record_size, 0);
	struct kymo_chunk *chunk =
		(struct kymo_chunk *)((unsigned char *)synthetic_header(synthetic) + offset);

	chunk->base = base;
	memcpy(chunk + 1, records, size);
}

void synthetic_left(struct synthetic *synthetic, uint32_t thread, uint32_t first_id,
		    const uint32_t *left, uint32_t count)
{
	table(synthetic, KYMO_CHUNK_COUNTDOWNS, thread, first_id, left, sizeof(*left), count);
}

void synthetic_timed(struct synthetic *synthetic, uint32_t thread, const struct kymo_timed *timed,
		     uint32_t count)
{
	table(synthetic, KYMO_CHUNK_TIMED, thread, 0, timed, sizeof(*timed), count);
}

void synthetic_callers(struct synthetic *synthetic, uint32_t thread,
		       const struct kymo_timed_caller *callers, uint32_t count)
{
	table(synthetic, KYMO_CHUNK_CALLERS, thread, 0, callers, sizeof(*callers), count);
}

void synthetic_throttled(struct synthetic *synthetic, uint32_t thread,
			 const struct kymo_throttled *brief, uint32_t count)
{
	table(synthetic, KYMO_CHUNK_THROTTLED, thread, 0, brief, sizeof(*brief), count);
}

struct kymo_timed_sums synthetic_sums(uint64_t calls, double weight, uint64_t ticks)
{
	double count = (double)calls, time = (double)ticks, spread = weight * (weight - 1);

	return (struct kymo_timed_sums){
		.ended = calls,
		.ticks = calls * ticks,
		.squares = count * time * time,
		.weights = count * weight,
		.weighted_ticks = count * weight * time,
		.spread = count * spread,
		.spread_ticks = count * spread * time,
		.spread_squares = count * spread * time * time,
	};
}
