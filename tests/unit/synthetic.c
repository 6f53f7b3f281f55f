/* Synthetic recordings: a small, slow and literal writer of the format.
 * It shares nothing with the runtime, so that the two check each other through the
 * reader.  The file lies in one reserved mapping, which keeps every pointer valid. */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/hashset.h"
#include "model/recording/recording.h"
#include "model/recording/recording_open.h"

#define RESERVED_BYTES (UINT64_C(4) << 30)
#define THREADS_MAX    65536
#define TYPES	       KYMO_CHUNK_TYPES

struct chunk_cursor {	 /* the chunk that a table, or a thread's records, grow in */
	uint64_t offset; /* 0 = none yet */
	uint64_t tail;	 /* bytes written, when used is not kept */
};

struct synthetic_thread {
	struct chunk_cursor nodes, events, stacks, samples;
	uint32_t current;
	uint32_t stack_count;
	uint64_t event_base;
	uint64_t sample_ticks; /* of the last one in the chunk */
};

struct synthetic {
	unsigned char *bytes;
	uint64_t payload;
	uint64_t sequence;
	struct chunk_cursor tables[TYPES];
	uint32_t record_counts[TYPES];
	uint64_t *region_offsets;
	uint64_t *thread_offsets;
	struct synthetic_thread *threads;
	struct hashset paths;  /* parent and region -> node reference */
	struct hashset stacks; /* thread, parent and frame -> id */
	uint64_t code_offsets[1024];
};

static void *must(void *pointer)
{
	if (!pointer || pointer == MAP_FAILED) {
		fputs("synthetic: out of memory\n", stderr);
		abort();
	}
	return pointer;
}

static uint64_t ticks_at(uint64_t time)
{
	return SYNTHETIC_START_TICKS + time;
}

static struct kymo_chunk *chunk_at(struct synthetic *synthetic, uint64_t offset)
{
	return (struct kymo_chunk *)(synthetic->bytes + offset);
}

struct kymo_header *synthetic_header(struct synthetic *synthetic)
{
	return (struct kymo_header *)synthetic->bytes;
}

static void add_pair(struct synthetic *synthetic, uint64_t ticks)
{
	struct kymo_header *header = synthetic_header(synthetic);

	header->pairs[header->pair_count++] = (struct kymo_clock_pair){
		.ticks = ticks,
		.monotonic_ns = ticks,
		.realtime_ns = ticks - SYNTHETIC_START_TICKS + SYNTHETIC_START_REALTIME,
	};
}

struct synthetic *synthetic_new(uint32_t flags)
{
	struct synthetic *synthetic = must(calloc(1, sizeof(*synthetic)));
	struct kymo_header *header;

	synthetic->bytes = must(mmap(NULL, RESERVED_BYTES, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	synthetic->region_offsets = must(calloc(KYMO_EVENT_REGION_MAX + 8, sizeof(uint64_t)));
	synthetic->thread_offsets = must(calloc(THREADS_MAX, sizeof(uint64_t)));
	synthetic->threads = must(calloc(THREADS_MAX, sizeof(*synthetic->threads)));
	synthetic->payload = KYMO_CHUNK_ALIGN - sizeof(struct kymo_chunk);
	header = synthetic_header(synthetic);
	memcpy(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic));
	header->version = KYMO_FORMAT_VERSION;
	header->header_size = KYMO_HEADER_SIZE;
	header->end = KYMO_HEADER_SIZE;
	header->state = KYMO_STATE_OPEN;
	header->clock_kind = KYMO_CLOCK_MONOTONIC;
	header->pid = 4242;
	header->parent_pid = 4241;
	header->start_ticks = SYNTHETIC_START_TICKS;
	header->start_realtime_ns = SYNTHETIC_START_REALTIME;
	header->exit_status = -1;
	header->flags = flags;
	add_pair(synthetic, SYNTHETIC_START_TICKS);
	synthetic_region(synthetic, KYMO_REGION_ROOT, "thread");
	return synthetic;
}

void synthetic_free(struct synthetic *synthetic)
{
	if (!synthetic)
		return;
	munmap(synthetic->bytes, RESERVED_BYTES);
	free(synthetic->region_offsets);
	free(synthetic->thread_offsets);
	free(synthetic->threads);
	hashset_release(&synthetic->paths);
	hashset_release(&synthetic->stacks);
	free(synthetic);
}

void synthetic_chunk_payload(struct synthetic *synthetic, uint64_t bytes)
{
	synthetic->payload = bytes;
}

void synthetic_metrics(struct synthetic *synthetic, const enum kymo_metric *metrics, uint32_t count)
{
	struct kymo_header *header = synthetic_header(synthetic);

	for (uint32_t i = 0; i < count; i++)
		header->metrics[i] = metrics[i];
	header->metric_count = count;
}

uint64_t synthetic_chunk(struct synthetic *synthetic, uint16_t type, uint32_t thread,
			 uint32_t record_size, uint64_t payload, uint64_t used)
{
	struct kymo_header *header = synthetic_header(synthetic);
	uint64_t offset = header->end;
	uint64_t size = (sizeof(struct kymo_chunk) + payload + KYMO_CHUNK_ALIGN - 1) &
			~(uint64_t)(KYMO_CHUNK_ALIGN - 1);

	if (offset + size > RESERVED_BYTES)
		must(NULL);
	*chunk_at(synthetic, offset) = (struct kymo_chunk){
		.magic = KYMO_CHUNK_MAGIC,
		.type = type,
		.size = size,
		.used = used,
		.thread = thread,
		.record_size = record_size,
		.sequence = ++synthetic->sequence,
	};
	header->end = offset + size;
	header->file_bytes = header->end;
	return offset;
}

/* Room for size bytes behind cursor, in its chunk or a new one. */
static void *append(struct synthetic *synthetic, struct chunk_cursor *cursor, uint16_t type,
		    uint32_t thread, uint32_t record_size, uint64_t size)
{
	uint64_t header_size = sizeof(struct kymo_chunk);
	struct kymo_chunk *chunk;

	if (!cursor->offset ||
	    chunk_at(synthetic, cursor->offset)->size - header_size - cursor->tail < size) {
		uint64_t payload = synthetic->payload > size ? synthetic->payload : size;

		cursor->offset = synthetic_chunk(synthetic, type, thread, record_size, payload, 0);
		cursor->tail = 0;
	}
	chunk = chunk_at(synthetic, cursor->offset);
	cursor->tail += size;
	if (type != KYMO_CHUNK_EVENTS)
		chunk->used = cursor->tail;
	return (unsigned char *)chunk + header_size + cursor->tail - size;
}

/* Append a record to a table that numbers its records; returns the number. */
static uint32_t append_numbered(struct synthetic *synthetic, uint16_t type, const void *record,
				uint32_t size, uint64_t *offset_out)
{
	struct chunk_cursor *cursor = &synthetic->tables[type];
	uint64_t before = cursor->offset;
	unsigned char *place = append(synthetic, cursor, type, KYMO_NO_THREAD, size, size);

	if (cursor->offset != before)
		chunk_at(synthetic, cursor->offset)->base = synthetic->record_counts[type];
	memcpy(place, record, size);
	*offset_out = (uint64_t)(place - synthetic->bytes);
	return synthetic->record_counts[type]++;
}

uint64_t synthetic_string_of(struct synthetic *synthetic, const void *bytes, size_t length)
{
	struct kymo_string *string;

	string = append(synthetic, &synthetic->tables[KYMO_CHUNK_STRINGS], KYMO_CHUNK_STRINGS,
			KYMO_NO_THREAD, 0, (sizeof(*string) + length + 1 + 7) & ~UINT64_C(7));
	string->length = (uint32_t)length;
	memcpy(string->text, bytes, length);
	return (uint64_t)((unsigned char *)string - synthetic->bytes);
}

uint64_t synthetic_string(struct synthetic *synthetic, const char *text)
{
	return text ? synthetic_string_of(synthetic, text, strlen(text)) : 0;
}

uint32_t synthetic_region(struct synthetic *synthetic, enum kymo_region_kind kind, const char *name)
{
	struct kymo_region region = {.kind = kind, .name = synthetic_string(synthetic, name)};
	uint64_t offset;
	uint32_t id =
		append_numbered(synthetic, KYMO_CHUNK_REGIONS, &region, sizeof(region), &offset);

	synthetic->region_offsets[id] = offset;
	return id;
}

struct kymo_region *synthetic_region_at(struct synthetic *synthetic, uint32_t id)
{
	return (struct kymo_region *)(synthetic->bytes + synthetic->region_offsets[id]);
}

struct kymo_thread_record *synthetic_thread_at(struct synthetic *synthetic, uint32_t number)
{
	return (struct kymo_thread_record *)(synthetic->bytes + synthetic->thread_offsets[number]);
}

uint32_t synthetic_thread(struct synthetic *synthetic, uint32_t parent, const char *name,
			  uint64_t start)
{
	uint32_t number = synthetic->record_counts[KYMO_CHUNK_THREADS];
	struct kymo_thread_record record = {
		.number = number,
		.system_id = 4242 + number,
		.start_ticks = ticks_at(start),
		.parent = parent,
		.parent_node = parent == KYMO_NO_THREAD ? 0 : synthetic->threads[parent].current,
		.name = synthetic_string(synthetic, name),
	};
	uint64_t offset;

	if (synthetic_header(synthetic)->flags & KYMO_HEADER_PROFILE) {
		record.root_node = synthetic_node(synthetic, number, 0, 0);
		synthetic_node_at(synthetic, record.root_node)->count = 1;
		synthetic_node_at(synthetic, record.root_node)->enter = ticks_at(start);
		synthetic->threads[number].current = record.root_node;
	}
	append_numbered(synthetic, KYMO_CHUNK_THREADS, &record, sizeof(record), &offset);
	synthetic->thread_offsets[number] = offset;
	return number;
}

struct kymo_node *synthetic_node_at(struct synthetic *synthetic, uint32_t reference)
{
	return (struct kymo_node *)(synthetic->bytes + (uint64_t)reference * KYMO_NODE_UNIT);
}

struct kymo_node_metric *synthetic_metric_at(struct synthetic *synthetic, uint32_t reference,
					     uint32_t block)
{
	return (struct kymo_node_metric *)(synthetic_node_at(synthetic, reference) + 1) + block;
}

uint32_t synthetic_current(const struct synthetic *synthetic, uint32_t thread)
{
	return synthetic->threads[thread].current;
}

uint32_t synthetic_node(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			uint32_t region)
{
	uint32_t blocks = 1 + synthetic_header(synthetic)->metric_count;
	struct kymo_node *node =
		append(synthetic, &synthetic->threads[thread].nodes, KYMO_CHUNK_NODES, thread,
		       blocks * KYMO_NODE_UNIT, blocks * KYMO_NODE_UNIT);

	node->region = region;
	node->parent = parent;
	node->min = UINT64_MAX;
	if (parent) {
		uint16_t above = synthetic_node_at(synthetic, parent)->depth;

		node->depth = above < UINT16_MAX ? above + 1 : above;
	}
	return (uint32_t)((uint64_t)((unsigned char *)node - synthetic->bytes) / KYMO_NODE_UNIT);
}

static void node_close(struct kymo_node *node, uint64_t now)
{
	uint64_t duration = now - node->enter;

	node->sum += duration;
	node->min = duration < node->min ? duration : node->min;
	node->max = duration > node->max ? duration : node->max;
	node->sum_squares += (double)duration * (double)duration;
	node->enter = 0;
}

static uint32_t child_of(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			 uint32_t region)
{
	uint64_t key = hash_pair(parent, region);
	uint64_t reference = hashset_find_key(&synthetic->paths, key);

	if (!reference) {
		reference = synthetic_node(synthetic, thread, parent, region);
		if (!hashset_insert(&synthetic->paths, key, reference))
			must(NULL);
	}
	return (uint32_t)reference;
}

void synthetic_enter(struct synthetic *synthetic, uint32_t thread, uint32_t region, uint64_t time)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	uint32_t flags = synthetic_header(synthetic)->flags;

	if (flags & KYMO_HEADER_PROFILE) {
		struct kymo_node *node;

		state->current = child_of(synthetic, thread, state->current, region);
		node = synthetic_node_at(synthetic, state->current);
		node->count++;
		node->enter = ticks_at(time);
	}
	if (flags & KYMO_HEADER_TRACE)
		synthetic_event(synthetic, thread, KYMO_EVENT_ENTER, region, time, 0);
}

void synthetic_leave(struct synthetic *synthetic, uint32_t thread, uint32_t region, uint64_t time)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	uint32_t flags = synthetic_header(synthetic)->flags;

	if (flags & KYMO_HEADER_PROFILE) {
		struct kymo_node *node = synthetic_node_at(synthetic, state->current);

		node_close(node, ticks_at(time));
		state->current = node->parent;
	}
	if (flags & KYMO_HEADER_TRACE)
		synthetic_event(synthetic, thread, KYMO_EVENT_LEAVE, region, time, 0);
}

void synthetic_words(struct synthetic *synthetic, uint32_t thread, const uint64_t *words,
		     size_t count)
{
	void *place = append(synthetic, &synthetic->threads[thread].events, KYMO_CHUNK_EVENTS,
			     thread, 0, count * sizeof(*words));

	memcpy(place, words, count * sizeof(*words));
}

/* Ticks since the base of the thread's chunk, which begins at the event when it is new
 * and is moved by a TIME record when the distance does not fit. */
static uint64_t event_delta(struct synthetic *synthetic, uint32_t thread, uint64_t ticks,
			    size_t words)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	struct chunk_cursor probe = state->events;
	uint64_t room = !probe.offset ? 0
				      : chunk_at(synthetic, probe.offset)->size -
						sizeof(struct kymo_chunk) - probe.tail;

	if (room < (words + 2) * sizeof(uint64_t)) {
		uint64_t payload = synthetic->payload > 64 ? synthetic->payload : 64;

		state->events.offset =
			synthetic_chunk(synthetic, KYMO_CHUNK_EVENTS, thread, 0, payload, 0);
		state->events.tail = 0;
		chunk_at(synthetic, state->events.offset)->base = ticks;
		state->event_base = ticks;
	} else if (ticks - state->event_base > KYMO_EVENT_TICK_MAX) {
		uint64_t time[2] = {kymo_event_head(KYMO_EVENT_TIME, 0, 0), ticks};

		synthetic_words(synthetic, thread, time, 2);
		state->event_base = ticks;
	}
	return ticks - state->event_base;
}

void synthetic_event(struct synthetic *synthetic, uint32_t thread, enum kymo_event_kind kind,
		     uint32_t region, uint64_t time, uint64_t word)
{
	size_t count = kind == KYMO_EVENT_RESUME || kind == KYMO_EVENT_ANNOTATED ? 2 : 1;
	uint64_t delta = event_delta(synthetic, thread, ticks_at(time), count);
	uint64_t words[2] = {kymo_event_head(kind, region, delta), word};

	if (region > KYMO_EVENT_REGION_MAX) {
		synthetic_extended(synthetic, thread,
				   kind == KYMO_EVENT_ENTER ? KYMO_EXTENDED_ENTER
							    : KYMO_EXTENDED_LEAVE,
				   time, region);
		return;
	}
	synthetic_words(synthetic, thread, words, count);
}

void synthetic_extended(struct synthetic *synthetic, uint32_t thread,
			enum kymo_event_extension extension, uint64_t time, uint64_t word)
{
	/* Its word may be absent: readers take that for 0. */
	size_t further = extension == KYMO_EXTENDED_UNWIND_ALL && word == 0 ? 0 : 1;
	uint64_t delta = event_delta(synthetic, thread, ticks_at(time), 1 + further);
	uint64_t words[2] = {kymo_event_head(KYMO_EVENT_EXTENDED,
					     (uint32_t)extension | (uint32_t)further << 8, delta),
			     word};

	synthetic_words(synthetic, thread, words, 1 + further);
}

void synthetic_extended_pair(struct synthetic *synthetic, uint32_t thread,
			     enum kymo_event_extension extension, uint64_t time, uint64_t word,
			     uint64_t second)
{
	uint64_t delta = event_delta(synthetic, thread, ticks_at(time), 3);
	uint64_t words[3] = {
		kymo_event_head(KYMO_EVENT_EXTENDED, (uint32_t)extension | 2u << 8, delta), word,
		second};

	synthetic_words(synthetic, thread, words, 3);
}

void synthetic_note(struct synthetic *synthetic, enum kymo_note_kind kind, const char *key,
		    const char *value)
{
	size_t key_length = strlen(key);
	size_t value_length = strlen(value);
	uint32_t size =
		(uint32_t)(sizeof(struct kymo_note) + key_length + value_length + 2 + 7) & ~7u;
	struct kymo_note *note = append(synthetic, &synthetic->tables[KYMO_CHUNK_NOTES],
					KYMO_CHUNK_NOTES, KYMO_NO_THREAD, 0, size);

	note->size = size;
	note->kind = (uint16_t)kind;
	note->key_length = (uint16_t)key_length;
	note->ticks = SYNTHETIC_START_TICKS;
	memcpy(note->text, key, key_length + 1);
	memcpy(note->text + key_length + 1, value, value_length + 1);
}

uint32_t synthetic_series(struct synthetic *synthetic, const char *name, const char *unit,
			  uint32_t thread)
{
	struct kymo_series series = {
		.name = synthetic_string(synthetic, name),
		.unit = synthetic_string(synthetic, unit),
		.thread = thread,
	};
	uint64_t offset;

	return append_numbered(synthetic, KYMO_CHUNK_SERIES, &series, sizeof(series), &offset);
}

void synthetic_point(struct synthetic *synthetic, uint32_t series, uint64_t time, double value)
{
	struct kymo_point *point =
		append(synthetic, &synthetic->tables[KYMO_CHUNK_POINTS], KYMO_CHUNK_POINTS,
		       KYMO_NO_THREAD, sizeof(*point), sizeof(*point));

	*point = (struct kymo_point){.ticks = ticks_at(time), .series = series, .value = value};
}

void synthetic_module(struct synthetic *synthetic, const char *path, const char *build_id,
		      uint64_t start, uint64_t end, uint64_t bias)
{
	struct kymo_module module = {
		.start = start,
		.end = end,
		.bias = bias,
		.path = synthetic_string(synthetic, path),
		.build_id = synthetic_string(synthetic, build_id),
	};
	struct kymo_module *record =
		append(synthetic, &synthetic->tables[KYMO_CHUNK_MODULES], KYMO_CHUNK_MODULES,
		       KYMO_NO_THREAD, sizeof(*record), sizeof(*record));

	*record = module;
}

uint32_t synthetic_code(struct synthetic *synthetic, const char *name, const char *file,
			uint32_t first_line)
{
	struct kymo_code code = {
		.name = synthetic_string(synthetic, name),
		.qualname = synthetic_string(synthetic, name),
		.file = synthetic_string(synthetic, file),
		.first_line = first_line,
		.version = 3 << 8 | 11,
	};
	uint64_t offset;
	uint32_t id = append_numbered(synthetic, KYMO_CHUNK_CODES, &code, sizeof(code), &offset);

	if (id >= sizeof(synthetic->code_offsets) / sizeof(synthetic->code_offsets[0]))
		must(NULL);
	synthetic->code_offsets[id] = offset;
	return id;
}

struct kymo_code *synthetic_code_at(struct synthetic *synthetic, uint32_t id)
{
	return (struct kymo_code *)(synthetic->bytes + synthetic->code_offsets[id]);
}

uint32_t synthetic_stack(struct synthetic *synthetic, uint32_t thread, uint32_t parent,
			 uint64_t frame)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	uint64_t key[] = {thread, parent, frame};
	uint64_t hash = hash_bytes(HASH_SEED, key, sizeof(key));
	uint64_t known = hashset_find_key(&synthetic->stacks, hash);
	uint64_t before = state->stacks.offset;
	struct kymo_stack_node *node;

	if (known)
		return (uint32_t)known;
	node = append(synthetic, &state->stacks, KYMO_CHUNK_STACKS, thread, sizeof(*node),
		      sizeof(*node));
	if (state->stacks.offset != before)
		chunk_at(synthetic, state->stacks.offset)->base = state->stack_count + 1;
	*node = (struct kymo_stack_node){.frame = frame, .parent = parent};
	if (!hashset_insert(&synthetic->stacks, hash, ++state->stack_count))
		must(NULL);
	return state->stack_count;
}

void synthetic_sample_bytes(struct synthetic *synthetic, uint32_t thread, const void *bytes,
			    size_t size)
{
	memcpy(append(synthetic, &synthetic->threads[thread].samples, KYMO_CHUNK_SAMPLES, thread, 0,
		      size),
	       bytes, size);
}

static size_t leb128(unsigned char *to, uint64_t number)
{
	size_t size = 0;

	do {
		to[size++] = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
		number >>= 7;
	} while (number);
	return size;
}

/* The record that a sample at ticks would be, behind what the chunk has. */
static size_t sample_write(unsigned char *to, uint64_t units, enum kymo_sample_kind kind,
			   enum kymo_gil_state gil, uint32_t stack, uint64_t cpu_ns, uint64_t value)
{
	size_t size = 1;

	to[0] = (unsigned char)((unsigned)kind | (unsigned)gil << 4);
	size += leb128(to + size, units);
	if (kind != KYMO_SAMPLE_BEGIN && kind != KYMO_SAMPLE_LOST)
		size += leb128(to + size, stack);
	if (cpu_ns != SYNTHETIC_NONE) {
		to[0] |= 8;
		size += leb128(to + size, cpu_ns / 1024);
	}
	if (value != SYNTHETIC_NONE) {
		to[0] |= 0x80;
		size += leb128(to + size, value);
	}
	return size;
}

void synthetic_sample(struct synthetic *synthetic, uint32_t thread, enum kymo_sample_kind kind,
		      enum kymo_gil_state gil, uint64_t time, uint32_t stack, uint64_t cpu_ns,
		      uint64_t value)
{
	struct synthetic_thread *state = &synthetic->threads[thread];
	struct chunk_cursor probe = state->samples;
	uint64_t units = (ticks_at(time) - state->sample_ticks) / 1024;
	unsigned char record[48];

	if (!probe.offset ||
	    chunk_at(synthetic, probe.offset)->size - sizeof(struct kymo_chunk) - probe.tail <
		    sizeof(record)) {
		state->samples.offset = synthetic_chunk(synthetic, KYMO_CHUNK_SAMPLES, thread, 0,
							synthetic->payload, 0);
		state->samples.tail = 0;
		chunk_at(synthetic, state->samples.offset)->base = ticks_at(time);
		state->sample_ticks = ticks_at(time);
		units = 0;
	}
	state->sample_ticks += units * 1024;
	synthetic_sample_bytes(synthetic, thread, record,
			       sample_write(record, units, kind, gil, stack, cpu_ns, value));
}

void synthetic_thread_end(struct synthetic *synthetic, uint32_t thread, uint64_t time)
{
	struct kymo_thread_record *record = synthetic_thread_at(synthetic, thread);

	record->end_ticks = ticks_at(time);
	if (record->root_node)
		node_close(synthetic_node_at(synthetic, record->root_node), ticks_at(time));
}

static void thread_unwind(struct synthetic *synthetic, uint32_t thread, uint64_t time)
{
	struct kymo_thread_record *record = synthetic_thread_at(synthetic, thread);
	uint32_t flags = synthetic_header(synthetic)->flags;

	while (synthetic_current(synthetic, thread) != record->root_node) {
		const struct kymo_node *node =
			synthetic_node_at(synthetic, synthetic_current(synthetic, thread));

		synthetic_leave(synthetic, thread, node->region, time);
	}
	if ((flags & KYMO_HEADER_TRACE) && !(flags & KYMO_HEADER_PROFILE))
		synthetic_extended(synthetic, thread, KYMO_EXTENDED_UNWIND_ALL, time, 0);
}

void synthetic_close(struct synthetic *synthetic, uint64_t time)
{
	struct kymo_header *header = synthetic_header(synthetic);

	for (uint32_t i = 0; i < synthetic->record_counts[KYMO_CHUNK_THREADS]; i++) {
		if (synthetic_thread_at(synthetic, i)->end_ticks)
			continue;
		thread_unwind(synthetic, i, time);
		synthetic_thread_end(synthetic, i, time);
	}
	add_pair(synthetic, ticks_at(time));
	header->end_ticks = ticks_at(time);
	header->exit_status = 0;
	header->state = KYMO_STATE_CLOSED;
}

const void *synthetic_bytes(struct synthetic *synthetic, size_t *size_out)
{
	*size_out = synthetic_header(synthetic)->end;
	return synthetic->bytes;
}

int synthetic_write(struct synthetic *synthetic, const char *path)
{
	size_t size;
	const void *bytes = synthetic_bytes(synthetic, &size);
	FILE *file = fopen(path, "wb");
	bool is_written;

	if (!file)
		return -1;
	is_written = fwrite(bytes, 1, size, file) == size;
	return fclose(file) == 0 && is_written ? 0 : -1;
}

struct recording *synthetic_open(struct synthetic *synthetic)
{
	struct recording *recording = NULL;
	struct problem problem;
	size_t size;
	const void *bytes = synthetic_bytes(synthetic, &size);

	if (recording_open_bytes(bytes, size, &recording, &problem) != KYMO_OK) {
		fprintf(stderr, "synthetic: %s\n", problem.text);
		abort();
	}
	return recording;
}
