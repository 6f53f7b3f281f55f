/* Synthetic recordings: a small, slow and literal writer of the format.
 * It shares nothing with the runtime, so that the two check each other through the
 * reader.  The file lies in one reserved mapping, which keeps every pointer valid. */
#include "synthetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "synthetic_insides.h"

#define RESERVED_BYTES (UINT64_C(4) << 30)
#define THREADS_MAX    65536

void *synthetic_must(void *pointer)
{
	if (!pointer || pointer == MAP_FAILED) {
		fputs("synthetic: out of memory\n", stderr);
		abort();
	}
	return pointer;
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
	struct synthetic *synthetic = synthetic_must(calloc(1, sizeof(*synthetic)));
	struct kymo_header *header;

	synthetic->bytes = synthetic_must(mmap(NULL, RESERVED_BYTES, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	synthetic->region_offsets =
		synthetic_must(calloc(KYMO_EVENT_REGION_MAX + 8, sizeof(uint64_t)));
	synthetic->thread_offsets = synthetic_must(calloc(THREADS_MAX, sizeof(uint64_t)));
	synthetic->threads = synthetic_must(calloc(THREADS_MAX, sizeof(*synthetic->threads)));
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
		synthetic_must(NULL);
	*synthetic_chunk_at(synthetic, offset) = (struct kymo_chunk){
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

void *synthetic_append(struct synthetic *synthetic, struct chunk_cursor *cursor, uint16_t type,
		       uint32_t thread, uint32_t record_size, uint64_t size)
{
	uint64_t header_size = sizeof(struct kymo_chunk);
	struct kymo_chunk *chunk;

	if (!cursor->offset ||
	    synthetic_chunk_at(synthetic, cursor->offset)->size - header_size - cursor->tail <
		    size) {
		uint64_t payload = synthetic->payload > size ? synthetic->payload : size;

		cursor->offset = synthetic_chunk(synthetic, type, thread, record_size, payload, 0);
		cursor->tail = 0;
	}
	chunk = synthetic_chunk_at(synthetic, cursor->offset);
	cursor->tail += size;
	if (type != KYMO_CHUNK_EVENTS)
		chunk->used = cursor->tail;
	return (unsigned char *)chunk + header_size + cursor->tail - size;
}

uint32_t synthetic_append_numbered(struct synthetic *synthetic, uint16_t type, const void *record,
				   uint32_t size, uint64_t *offset_out)
{
	struct chunk_cursor *cursor = &synthetic->tables[type];
	uint64_t before = cursor->offset;
	unsigned char *place =
		synthetic_append(synthetic, cursor, type, KYMO_NO_THREAD, size, size);

	if (cursor->offset != before)
		synthetic_chunk_at(synthetic, cursor->offset)->base =
			synthetic->record_counts[type];
	memcpy(place, record, size);
	*offset_out = (uint64_t)(place - synthetic->bytes);
	return synthetic->record_counts[type]++;
}

uint64_t synthetic_string_of(struct synthetic *synthetic, const void *bytes, size_t length)
{
	struct kymo_string *string;

	string = synthetic_append(synthetic, &synthetic->tables[KYMO_CHUNK_STRINGS],
				  KYMO_CHUNK_STRINGS, KYMO_NO_THREAD, 0,
				  (sizeof(*string) + length + 1 + 7) & ~UINT64_C(7));
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
	uint32_t id = synthetic_append_numbered(synthetic, KYMO_CHUNK_REGIONS, &region,
						sizeof(region), &offset);

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
		.start_ticks = synthetic_ticks(start),
		.parent = parent,
		.parent_node = parent == KYMO_NO_THREAD ? 0 : synthetic->threads[parent].current,
		.name = synthetic_string(synthetic, name),
	};
	uint64_t offset;

	if (synthetic_header(synthetic)->flags & KYMO_HEADER_PROFILE) {
		record.root_node = synthetic_node(synthetic, number, 0, 0);
		synthetic_node_at(synthetic, record.root_node)->count = 1;
		synthetic_node_at(synthetic, record.root_node)->enter = synthetic_ticks(start);
		synthetic->threads[number].current = record.root_node;
	}
	synthetic_append_numbered(synthetic, KYMO_CHUNK_THREADS, &record, sizeof(record), &offset);
	synthetic->thread_offsets[number] = offset;
	return number;
}

void synthetic_note(struct synthetic *synthetic, enum kymo_note_kind kind, const char *key,
		    const char *value)
{
	size_t key_length = strlen(key);
	size_t value_length = strlen(value);
	uint32_t size =
		(uint32_t)(sizeof(struct kymo_note) + key_length + value_length + 2 + 7) & ~7u;
	struct kymo_note *note = synthetic_append(synthetic, &synthetic->tables[KYMO_CHUNK_NOTES],
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

	return synthetic_append_numbered(synthetic, KYMO_CHUNK_SERIES, &series, sizeof(series),
					 &offset);
}

void synthetic_point(struct synthetic *synthetic, uint32_t series, uint64_t time, double value)
{
	struct kymo_point *point =
		synthetic_append(synthetic, &synthetic->tables[KYMO_CHUNK_POINTS],
				 KYMO_CHUNK_POINTS, KYMO_NO_THREAD, sizeof(*point), sizeof(*point));

	*point = (struct kymo_point){
		.ticks = synthetic_ticks(time), .series = series, .value = value};
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
	struct kymo_module *record = synthetic_append(
		synthetic, &synthetic->tables[KYMO_CHUNK_MODULES], KYMO_CHUNK_MODULES,
		KYMO_NO_THREAD, sizeof(*record), sizeof(*record));

	*record = module;
}

void synthetic_close(struct synthetic *synthetic, uint64_t time)
{
	struct kymo_header *header = synthetic_header(synthetic);

	for (uint32_t i = 0; i < synthetic->record_counts[KYMO_CHUNK_THREADS]; i++) {
		if (synthetic_thread_at(synthetic, i)->end_ticks)
			continue;
		synthetic_thread_unwind(synthetic, i, time);
		synthetic_thread_end(synthetic, i, time);
	}
	add_pair(synthetic, synthetic_ticks(time));
	header->end_ticks = synthetic_ticks(time);
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
