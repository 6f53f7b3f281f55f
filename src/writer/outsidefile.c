/* Chunks are allocated consecutively; the file grows in steps that double. */
#include "writer/outsidefile.h"
#include "format/note_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "platform/ticks.h"
#include "platform/usage.h"

#define EXTENT_FIRST	   (UINT64_C(256) << 10)
#define EXTENT_MAX	   (UINT64_C(16) << 20)
#define STREAM_FIRST	   (KYMO_CHUNK_ALIGN - (uint32_t)sizeof(struct kymo_chunk))
#define STREAM_MAX	   (256u << 10)
#define STRING_MAX	   65536u
#define NAME_ATTEMPTS	   1000u
#define CALIBRATION_GAP_NS UINT64_C(1000000000)

static void outsidefile_fill_header(struct outsidefile *file, pid_t pid)
{
	struct kymo_header *header = (struct kymo_header *)file->file.base;

	memcpy(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic));
	header->version = KYMO_FORMAT_VERSION;
	header->header_size = KYMO_HEADER_SIZE;
	header->state = KYMO_STATE_OPEN;
	header->clock_kind = clock_kind();
	header->file_bytes = file->file.mapped;
	header->exit_status = -1;
	header->pid = (uint32_t)pid;
	header->pairs[0] = clock_read_pair();
	header->pair_count = 1;
	header->start_ticks = header->pairs[0].ticks;
	header->start_realtime_ns = header->pairs[0].realtime_ns;
	header->flags = KYMO_HEADER_SAMPLES | KYMO_HEADER_OUTSIDE;
	__atomic_store_n(&header->end, KYMO_HEADER_SIZE, __ATOMIC_RELEASE);
	file->header = header;
}

/* Under a hidden name until the header is complete. */
static int writer_outsidefile_create(struct outsidefile *file, const char *directory,
				     const char *name, pid_t pid)
{
	char hidden[PATH_MAX];
	int result;

	if (snprintf(hidden, sizeof(hidden), "%s/.%s", directory, name) >= (int)sizeof(hidden) ||
	    snprintf(file->path, sizeof(file->path), "%s/%s", directory, name) >=
		    (int)sizeof(file->path))
		return ENAMETOOLONG;
	if (access(file->path, F_OK) == 0)
		return EEXIST;
	result = mapfile_create(&file->file, hidden);
	if (result != 0)
		return result;
	result = mapfile_grow(&file->file, EXTENT_FIRST);
	if (result == 0) {
		outsidefile_fill_header(file, pid);
		if (rename(hidden, file->path) < 0)
			result = errno;
	}
	if (result != 0) {
		unlink(hidden);
		mapfile_release(&file->file);
	}
	file->file.path = file->path;
	return result;
}

enum kymo_status outsidefile_create(struct outsidefile *file, const char *directory,
				    const char *program, pid_t pid, struct problem *problem)
{
	char name[NAME_MAX], again[16] = "";
	int result = EEXIST;

	memset(file, 0, sizeof(*file));
	for (unsigned attempt = 1; attempt <= NAME_ATTEMPTS && result == EEXIST; attempt++) {
		if (attempt > 1)
			snprintf(again, sizeof(again), "-%u", attempt);
		snprintf(name, sizeof(name), "%.200s-%d%s.kymo", program, (int)pid, again);
		result = writer_outsidefile_create(file, directory, name, pid);
	}
	if (result != 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot create a recording in '%s': %s",
				   directory, strerror(result));
	return KYMO_OK;
}

/* With spare space, within the limit; or exactly as needed. */
static uint64_t next_end(const struct outsidefile *file, uint64_t needed)
{
	uint64_t step = file->file.mapped < EXTENT_MAX ? file->file.mapped : EXTENT_MAX;
	uint64_t end = file->file.mapped + step;

	if (file->limit_bytes && end > file->limit_bytes)
		end = file->limit_bytes & ~(uint64_t)(KYMO_CHUNK_ALIGN - 1);
	return end > needed ? end : needed;
}

static int outsidefile_reserve(struct outsidefile *file, uint64_t needed)
{
	int result;

	if (needed <= file->file.mapped)
		return 0;
	if (file->limit_bytes && needed > file->limit_bytes)
		return EFBIG;
	result = mapfile_grow(&file->file, next_end(file, needed));
	if (result != 0)
		result = mapfile_grow(&file->file, needed);
	if (result == 0)
		file->header->file_bytes = file->file.mapped;
	return result;
}

/* Final: if the disk is full now, retrying would only compete with other writers. */
static void outsidefile_refuse(struct outsidefile *file, uint64_t size, int reason)
{
	file->header->refused_chunks++;
	file->header->refused_bytes += size;
	if (!file->is_full)
		fprintf(stderr,
			"kymo: cannot enlarge the recording '%s': %s; nothing more is recorded\n",
			file->path,
			file->limit_bytes && reason == EFBIG ? "RECORD_LIMIT_MB is reached"
							     : strerror(reason));
	file->is_full = true;
}

struct kymo_chunk *outsidefile_chunk(struct outsidefile *file, enum kymo_chunk_type type,
				     uint64_t payload, uint32_t thread, uint32_t record_size,
				     uint64_t base)
{
	uint64_t size = (payload + sizeof(struct kymo_chunk) + KYMO_CHUNK_ALIGN - 1) &
			~(uint64_t)(KYMO_CHUNK_ALIGN - 1);
	uint64_t offset = file->header->end;
	int result = file->is_full ? ENOSPC : outsidefile_reserve(file, offset + size);
	struct kymo_chunk *chunk;

	if (result != 0) {
		outsidefile_refuse(file, size, result);
		return NULL;
	}
	chunk = (struct kymo_chunk *)(file->file.base + offset);
	*chunk = (struct kymo_chunk){
		.magic = KYMO_CHUNK_MAGIC,
		.type = (uint16_t)type,
		.size = size,
		.thread = thread,
		.record_size = record_size,
		.base = base,
		.sequence = ++file->sequence,
	};
	__atomic_store_n(&file->header->end, offset + size, __ATOMIC_RELEASE);
	return chunk;
}

void *outsidefile_append(struct outsidefile *file, enum kymo_chunk_type type, uint64_t size,
			 uint32_t record_size, uint64_t first_id)
{
	struct kymo_chunk *chunk = file->streams[type];
	uint32_t *payload = &file->payloads[type];

	if (!chunk || chunk->size - sizeof(*chunk) - chunk->used < size) {
		if (*payload == 0)
			*payload = STREAM_FIRST;
		chunk = outsidefile_chunk(file, type, *payload > size ? *payload : size,
					  KYMO_NO_THREAD, record_size, first_id);
		if (!chunk)
			return NULL;
		file->streams[type] = chunk;
		if (*payload < STREAM_MAX)
			*payload = *payload * 2 + (uint32_t)sizeof(*chunk);
	}
	return (char *)(chunk + 1) + chunk->used;
}

void outsidefile_publish(struct outsidefile *file, enum kymo_chunk_type type, uint64_t size)
{
	struct kymo_chunk *chunk = file->streams[type];

	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
}

struct text {
	const char *base, *bytes;
	size_t length;
};

static bool outsidefile_matches(uint64_t reference, const void *key)
{
	const struct text *text = key;
	const struct kymo_string *string = (const struct kymo_string *)(text->base + reference);

	return string->length == text->length && !memcmp(string->text, text->bytes, text->length);
}

uint64_t outsidefile_bytes(struct outsidefile *file, const void *bytes, size_t length)
{
	uint64_t size = (sizeof(struct kymo_string) + length + 1 + 7) & ~(uint64_t)7;
	struct kymo_string *string = outsidefile_append(file, KYMO_CHUNK_STRINGS, size, 0, 0);

	if (!string)
		return 0;
	string->length = (uint32_t)length;
	memcpy(string->text, bytes, length);
	outsidefile_publish(file, KYMO_CHUNK_STRINGS, size);
	return (uint64_t)((const char *)string - file->file.base);
}

uint64_t outsidefile_string(struct outsidefile *file, const char *bytes)
{
	struct text text = {file->file.base, bytes, bytes ? strnlen(bytes, STRING_MAX) : 0};
	uint64_t hash, reference;

	if (!bytes)
		return 0;
	hash = hash_bytes(HASH_SEED, bytes, text.length);
	reference = hashset_find(&file->strings, hash, outsidefile_matches, &text);
	if (!reference) {
		reference = outsidefile_bytes(file, bytes, text.length);
		if (reference)
			hashset_insert(&file->strings, hash, reference);
	}
	return reference;
}

void outsidefile_note(struct outsidefile *file, enum kymo_note_kind kind, const char *key,
		      const char *value)
{
	size_t key_length = strnlen(key, 1024), value_length = strnlen(value, STRING_MAX);
	size_t size = note_record_size(key_length, value_length);
	struct kymo_note *note = outsidefile_append(file, KYMO_CHUNK_NOTES, size, 0, 0);

	if (!note)
		return;
	note_record_fill(note, kind, key, key_length, value, value_length, ticks_now());
	outsidefile_publish(file, KYMO_CHUNK_NOTES, size);
}

/* Halve the number of pairs, keeping the first and every other one. */
static void outsidefile_thin_pairs(struct kymo_header *header)
{
	__atomic_store_n(&header->pair_count, 1, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i < KYMO_CLOCK_PAIRS / 2; i++)
		header->pairs[i] = header->pairs[2 * i];
	__atomic_store_n(&header->pair_count, KYMO_CLOCK_PAIRS / 2, __ATOMIC_RELEASE);
}

void outsidefile_calibrate(struct outsidefile *file, bool is_forced)
{
	struct kymo_header *header = file->header;
	uint64_t last = header->pairs[header->pair_count - 1].monotonic_ns;

	if (!is_forced && usage_clock_ns(CLOCK_MONOTONIC) < last + CALIBRATION_GAP_NS)
		return;
	if (header->pair_count == KYMO_CLOCK_PAIRS)
		outsidefile_thin_pairs(header);
	header->pairs[header->pair_count] = clock_read_pair();
	__atomic_store_n(&header->pair_count, header->pair_count + 1, __ATOMIC_RELEASE);
}

void outsidefile_close(struct outsidefile *file, enum kymo_state state)
{
	struct kymo_header *header = file->header;

	outsidefile_calibrate(file, true);
	header->end_ticks = ticks_now();
	__atomic_store_n(&header->state, state, __ATOMIC_RELEASE);
	header->file_bytes = header->end;
	mapfile_truncate(&file->file, header->end);
	mapfile_release(&file->file);
	hashset_release(&file->strings);
	file->header = NULL;
}
