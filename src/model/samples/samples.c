/* Reads samples from their chunks. Ids of stacks increase from chunk to chunk of a thread: a chunk
 * that goes back, or claims more than the file could contain, is left out.  A parent's id is below
 * its child's, which rules out cycles.  One pass over all samples counts them when the index is
 * made. */
#include "model/samples/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/partitionpoint.h"
#include "format/sample_encode.h"
#include "model/code/locations.h"
#include "model/recording/chunks.h"

static uint64_t stacks_in(const struct chunk *chunk)
{
	return chunk->bytes / chunk->record_size;
}

/* How many of the thread's chunks are consecutive; the first one that is not, and all after it, are
 * ignored. */
static void stacks_index(struct samples *samples, uint32_t thread)
{
	struct sample_thread *state = &samples->threads[thread];
	uint64_t limit = samples->recording->size / sizeof(struct kymo_stack_node);
	uint64_t next = 1;
	size_t count;

	state->stack_chunks =
		chunks_of_thread(samples->recording, KYMO_CHUNK_STACKS, thread, &count);
	for (size_t i = 0; i < count; i++) {
		const struct chunk *chunk = &state->stack_chunks[i];

		/* A chunk without any may not have its base yet. */
		if (stacks_in(chunk) && (chunk->base < next || chunk->base > limit)) {
			samples->damaged_count++;
			break;
		}
		if (stacks_in(chunk))
			next = chunk->base + stacks_in(chunk);
		state->stack_chunk_count++;
	}
	if (next > UINT32_MAX) { /* ids are 32 bits wide */
		samples->damaged_count++;
		state->stack_chunk_count = 0;
		next = 1;
	}
	state->stack_count = (uint32_t)next;
}

/* The last chunk that has records and begins at or before id. */
static const struct chunk *stack_chunk(const struct sample_thread *state, uint32_t id)
{
	size_t low, high = state->stack_chunk_count;

	/* Only the chunk being written can be empty, and it is the last. */
	while (high > 0 && !stacks_in(&state->stack_chunks[high - 1]))
		high--;
	low = partition_point(high, i, state->stack_chunks[i].base <= id);
	return low > 0 ? &state->stack_chunks[low - 1] : NULL;
}

uint32_t samples_stack_count(const struct samples *samples, uint32_t thread)
{
	return thread < samples->recording->thread_count ? samples->threads[thread].stack_count : 1;
}

bool samples_frame(const struct samples *samples, uint32_t thread, uint32_t stack,
		   uint64_t *frame_out, uint32_t *parent_out)
{
	const struct chunk *chunk;
	struct kymo_stack_node node;
	uint64_t record;

	if (stack == 0 || stack >= samples_stack_count(samples, thread))
		return false;
	chunk = stack_chunk(&samples->threads[thread], stack);
	if (!chunk || stack - chunk->base >= stacks_in(chunk))
		return false;
	record = stack - chunk->base;
	memcpy(&node, samples->recording->data + chunk->offset + record * chunk->record_size,
	       sizeof(node));
	*frame_out = node.frame;
	*parent_out = node.parent < stack ? node.parent : 0;
	return true;
}

static const struct kymo_code *code_record(const struct recording *recording, uint32_t id)
{
	size_t count;
	const struct chunk *chunks = chunks_of(recording, KYMO_CHUNK_CODES, &count);

	for (size_t i = count; i-- > 0;) {
		const struct chunk *chunk = &chunks[i];
		const unsigned char *bytes = recording->data + chunk->offset;

		if (id >= chunk->base && id - chunk->base < chunk->bytes / chunk->record_size)
			return (const struct kymo_code *)(const void *)(bytes +
									(id - chunk->base) *
										chunk->record_size);
	}
	return NULL;
}

bool samples_code(const struct recording *recording, uint32_t id, struct sample_code *out)
{
	const struct kymo_code *code = code_record(recording, id);

	if (!code)
		return false;
	*out = (struct sample_code){
		.name = recording_string(recording, code->name),
		.qualname = recording_string(recording, code->qualname),
		.file = recording_string(recording, code->file),
		.first_line = code->first_line,
		.version = code->version,
		.flags = code->flags,
	};
	out->lines = recording_bytes(recording, code->lines, &out->lines_size);
	return true;
}

static bool samples_chunk_begin(const struct sample_thread *state, struct sample_position *position)
{
	const struct chunk *chunk;

	if (position->chunk >= state->sample_chunk_count)
		return false;
	chunk = &state->sample_chunks[position->chunk];
	if (position->offset > 0)
		return true;
	position->ticks = chunk->base;
	if (position->chunk > 0)
		return true;
	/* Without a preceding BEGIN a sample counts from the beginning of its chunk. */
	position->time = chunk->base;
	for (int kind = 0; kind < KYMO_SAMPLE_KINDS; kind++)
		position->last[kind] = chunk->base;
	return true;
}

/* The next record; chunks that end within a record are counted in *broken. */
static bool samples_record_next(const struct samples *samples, const struct sample_thread *state,
				struct sample_position *position, struct sample_record *out,
				uint64_t *broken)
{
	while (samples_chunk_begin(state, position)) {
		const struct chunk *chunk = &state->sample_chunks[position->chunk];
		const unsigned char *start = samples->recording->data + chunk->offset;
		const unsigned char *at = start + position->offset, *end = start + chunk->bytes;

		if (sample_decode(&at, end, &position->ticks, out)) {
			position->offset = (uint64_t)(at - start);
			return true;
		}
		*broken += at < end;
		chunk_drop_pages(samples->recording, chunk);
		position->chunk++;
		position->offset = 0;
	}
	return false;
}

static bool is_measured(enum kymo_sample_kind kind)
{
	return kind == KYMO_SAMPLE_REALTIME || kind == KYMO_SAMPLE_CPUTIME ||
	       kind == KYMO_SAMPLE_OVERFLOW;
}

/* Update the time from a record; true if it is a sample. */
static bool record_follow(struct sample_position *position, const struct sample_record *record)
{
	if (record->ticks > position->time)
		position->time = record->ticks;
	if (record->kind == KYMO_SAMPLE_BEGIN) {
		for (int kind = 0; kind < KYMO_SAMPLE_KINDS; kind++)
			position->last[kind] = position->time;
	}
	if (record->kind == KYMO_SAMPLE_LOST &&
	    __builtin_add_overflow(position->lost, record->value, &position->lost))
		position->lost = UINT64_MAX;
	return is_measured(record->kind);
}

bool samples_next(const struct samples *samples, uint32_t thread, struct sample_position *position,
		  struct sample *out)
{
	const struct sample_thread *state = &samples->threads[thread];
	struct sample_record record;
	uint64_t broken = 0;

	if (thread >= samples->recording->thread_count)
		return false;
	do {
		if (!samples_record_next(samples, state, position, &record, &broken))
			return false;
	} while (!record_follow(position, &record));
	*out = (struct sample){
		.kind = record.kind,
		.gil = record.gil,
		.thread = thread,
		.stack = record.stack < state->stack_count ? record.stack : 0,
		.ticks = position->time,
		.start_ticks = position->last[record.kind],
		.cpu_ns = record.has_cpu ? (double)record.cpu_ns : (double)NAN,
		.value = record.value,
	};
	out->wall_ns =
		(double)(out->ticks - out->start_ticks) * recording_tick_ns(samples->recording);
	position->last[record.kind] = out->ticks;
	return true;
}

static void count_samples(struct samples *samples, uint32_t thread)
{
	struct sample_thread *state = &samples->threads[thread];
	struct sample_position position = {0};
	struct sample_record record;

	state->sample_chunks = chunks_of_thread(samples->recording, KYMO_CHUNK_SAMPLES, thread,
						&state->sample_chunk_count);
	while (samples_record_next(samples, state, &position, &record, &samples->damaged_count)) {
		bool is_sample = record_follow(&position, &record);

		if (record.kind >= KYMO_SAMPLE_KINDS)
			continue; /* of a later version */
		state->counts[record.kind]++;
		samples->counts[record.kind]++;
		samples->count += is_sample;
		samples->damaged_count += is_sample && record.stack >= state->stack_count;
	}
	if (__builtin_add_overflow(samples->lost_count, position.lost, &samples->lost_count))
		samples->lost_count = UINT64_MAX;
}

enum kymo_status samples_new(const struct recording *recording, struct samples **out,
			     struct problem *problem)
{
	struct samples *samples = calloc(1, sizeof(*samples));

	if (samples)
		samples->threads =
			calloc(recording->thread_count + (size_t)1, sizeof(*samples->threads));
	if (samples)
		samples->locations = calloc(SAMPLES_LOCATIONS, sizeof(struct locations *));
	if (!samples || !samples->threads || !samples->locations) {
		samples_free(samples);
		return problem_set(problem, KYMO_MEMORY, "no memory for the samples of '%s'",
				   recording->path);
	}
	samples->recording = recording;
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		stacks_index(samples, i);
		if (recording->threads[i].is_present)
			count_samples(samples, i);
	}
	*out = samples;
	return KYMO_OK;
}

void samples_free(struct samples *samples)
{
	if (!samples)
		return;
	for (size_t i = 0; samples->locations && i < SAMPLES_LOCATIONS; i++)
		locations_free(samples->locations[i]);
	free(samples->locations);
	free(samples->threads);
	free(samples);
}
