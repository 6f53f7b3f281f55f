/* Tables, and per thread a tree of stacks and a stream of samples.  The last written stack is kept
 * with the ids of its frames: the next one usually shares all but its innermost frames. */
#include "attach/sample/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/sample_encode.h"

#define STREAM_FIRST (KYMO_CHUNK_ALIGN - (uint32_t)sizeof(struct kymo_chunk))
#define STREAM_MAX   (128u << 10)

struct stack_key {
	uint64_t frame;
	uint32_t parent;
};

struct stack_entry {
	struct stack_key key;
	uint32_t id, next; /* index + 1 of the next one of the same hash */
};

struct writer_thread {
	struct kymo_thread_record *record; /* in the file */
	struct kymo_chunk *stacks, *samples;
	uint32_t stacks_payload, samples_payload;
	struct stack_entry *entries; /* by id - 1 */
	size_t entry_count, entry_capacity;
	struct hashset index; /* hash of a key -> id of the newest entry */
	uint64_t *last;	      /* frames of the last written stack, outermost first */
	uint32_t *last_ids;
	size_t last_count, last_capacity;
	uint64_t ticks; /* of the previous sample, as readers decode it */
	uint64_t cpu_ns;
};

static void writer_write_settings(struct writer *writer, const struct settings *settings,
				  bool is_all)
{
	for (int id = 0; id < SETTING_COUNT; id++) {
		const char *value = settings_text(settings, (enum setting_id)id);

		if (is_all || strcmp(value, setting_table[id].default_text) != 0)
			outsidefile_note(&writer->file, KYMO_NOTE_SETTING, setting_table[id].name,
					 value);
	}
}

/* Region 0 represents threads; readers expect it. */
static bool write_root_region(struct writer *writer)
{
	uint64_t name = outsidefile_string(&writer->file, "thread");
	struct kymo_region *region = outsidefile_append(&writer->file, KYMO_CHUNK_REGIONS,
							sizeof(*region), sizeof(*region), 0);

	if (!name || !region)
		return false;
	*region = (struct kymo_region){.kind = KYMO_REGION_ROOT, .name = name};
	outsidefile_publish(&writer->file, KYMO_CHUNK_REGIONS, sizeof(*region));
	return true;
}

enum kymo_status writer_open(struct writer *writer, const struct writer_subject *subject,
			     struct problem *problem)
{
	enum kymo_status status;
	struct kymo_header *header;

	memset(writer, 0, sizeof(*writer));
	status = outsidefile_create(&writer->file, subject->directory, subject->program,
				    subject->pid, problem);
	if (status < 0)
		return status;
	header = writer->file.header;
	writer->file.limit_bytes =
		(uint64_t)settings_integer(subject->settings, SET_RECORD_LIMIT_MB) << 20;
	header->parent_pid = (uint32_t)subject->parent_pid;
	header->parent_start_ns = subject->start_realtime_ns;
	if (subject->is_root)
		header->flags |= KYMO_HEADER_ROOT;
	if (!write_root_region(writer)) {
		writer_close(writer, KYMO_STATE_ABANDONED);
		return problem_set(problem, KYMO_SYSTEM, "no space for the recording '%s'",
				   writer->file.path);
	}
	outsidefile_note(&writer->file, KYMO_NOTE_INFO, "kymo_version", KYMO_VERSION);
	outsidefile_note(&writer->file, KYMO_NOTE_INFO, "program", subject->program);
	writer_write_settings(writer, subject->settings, subject->is_root);
	return KYMO_OK;
}

static void writer_release_thread(struct writer_thread *thread)
{
	hashset_release(&thread->index);
	free(thread->entries);
	free(thread->last);
	free(thread->last_ids);
	free(thread);
}

void writer_close(struct writer *writer, enum kymo_state state)
{
	if (!writer->file.header)
		return;
	outsidefile_close(&writer->file, state);
	for (uint32_t i = 0; i < writer->thread_count; i++)
		if (writer->threads[i])
			writer_release_thread(writer->threads[i]);
	free(writer->threads);
	writer->threads = NULL;
	writer->thread_count = 0;
}

uint32_t writer_thread(struct writer *writer, uint64_t system_id, const char *name, uint64_t ticks)
{
	struct writer_thread **threads = array_grow(writer->threads, &writer->thread_capacity,
						    writer->thread_count + 1, sizeof(*threads));
	struct writer_thread *thread = threads ? calloc(1, sizeof(*thread)) : NULL;
	uint32_t number = writer->thread_count;

	if (!threads)
		return KYMO_NO_THREAD;
	writer->threads = threads;
	if (thread)
		thread->record = outsidefile_append(&writer->file, KYMO_CHUNK_THREADS,
						    sizeof(*thread->record),
						    sizeof(*thread->record), number);
	if (!thread || !thread->record) {
		free(thread);
		return KYMO_NO_THREAD;
	}
	*thread->record = (struct kymo_thread_record){
		.number = number,
		.flags = KYMO_THREAD_ADOPTED,
		.system_id = system_id,
		.start_ticks = ticks,
		.parent = KYMO_NO_THREAD,
	};
	outsidefile_publish(&writer->file, KYMO_CHUNK_THREADS, sizeof(*thread->record));
	writer->threads[number] = thread;
	writer->thread_count++;
	if (name && *name)
		writer_thread_name(writer, number, name);
	return number;
}

void writer_thread_name(struct writer *writer, uint32_t number, const char *name)
{
	uint64_t reference = outsidefile_string(&writer->file, name);

	if (reference)
		__atomic_store_n(&writer->threads[number]->record->name, reference,
				 __ATOMIC_RELEASE);
}

void writer_thread_end(struct writer *writer, uint32_t number, uint64_t ticks, uint64_t cpu_ns)
{
	struct writer_thread *thread = writer->threads[number];

	thread->record->cpu_ns = cpu_ns;
	if (ticks)
		__atomic_store_n(&thread->record->end_ticks, ticks, __ATOMIC_RELEASE);
}

static const char *text_or_none(const char *text)
{
	return text[0] ? text : NULL;
}

/* CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR */
#define GENERATOR_FLAGS (0x20u | 0x80u | 0x200u)

bool writer_code(struct writer *writer, const struct codetable_entry *code, uint16_t version,
		 uint32_t *id_out)
{
	struct outsidefile *file = &writer->file;
	struct kymo_code record = {
		.name = outsidefile_string(file, text_or_none(code->name)),
		.qualname = outsidefile_string(file, text_or_none(code->qualname)),
		.file = outsidefile_string(file, text_or_none(code->file)),
		.lines = code->lines ? outsidefile_bytes(file, code->lines, code->lines_size) : 0,
		.first_line = code->first_line,
		.version = version,
		.flags = code->flags & GENERATOR_FLAGS ? KYMO_CODE_GENERATOR : 0,
		.address = code->address,
	};
	struct kymo_code *to = outsidefile_append(file, KYMO_CHUNK_CODES, sizeof(record),
						  sizeof(record), writer->code_count);

	if (!to)
		return false;
	*to = record;
	outsidefile_publish(file, KYMO_CHUNK_CODES, sizeof(record));
	*id_out = writer->code_count++;
	return true;
}

void writer_module(struct writer *writer, const struct kymo_module *module, const char *path,
		   const char *name, const char *build_id)
{
	struct kymo_module record = *module, *to;

	record.path = outsidefile_string(&writer->file, path);
	record.name = name ? outsidefile_string(&writer->file, name) : 0;
	record.build_id = build_id ? outsidefile_string(&writer->file, build_id) : 0;
	to = outsidefile_append(&writer->file, KYMO_CHUNK_MODULES, sizeof(record), sizeof(record),
				0);
	if (!to || !record.path)
		return;
	*to = record;
	outsidefile_publish(&writer->file, KYMO_CHUNK_MODULES, sizeof(record));
}

static uint64_t writer_hash_key(const struct stack_key *key)
{
	return hash_bytes(HASH_SEED, &key->frame, sizeof(key->frame)) ^ hash_word(key->parent);
}

static uint32_t writer_find_entry(const struct writer_thread *thread, const struct stack_key *key,
				  uint64_t first)
{
	for (uint64_t id = first; id; id = thread->entries[id - 1].next) {
		const struct stack_key *found = &thread->entries[id - 1].key;

		if (found->frame == key->frame && found->parent == key->parent)
			return (uint32_t)id;
	}
	return 0;
}

static bool writer_write_node(struct writer *writer, uint32_t number, const struct stack_key *key)
{
	struct writer_thread *thread = writer->threads[number];
	struct kymo_chunk *chunk = thread->stacks;
	struct kymo_stack_node *node;

	if (!chunk || chunk->size - sizeof(*chunk) - chunk->used < sizeof(*node)) {
		thread->stacks_payload =
			thread->stacks_payload ? thread->stacks_payload * 2 : STREAM_FIRST;
		if (thread->stacks_payload > STREAM_MAX)
			thread->stacks_payload = STREAM_MAX;
		chunk = outsidefile_chunk(&writer->file, KYMO_CHUNK_STACKS, thread->stacks_payload,
					  number, sizeof(*node), thread->entry_count + 1);
		if (!chunk)
			return false;
		thread->stacks = chunk;
	}
	node = (struct kymo_stack_node *)((char *)(chunk + 1) + chunk->used);
	*node = (struct kymo_stack_node){.frame = key->frame, .parent = key->parent};
	__atomic_store_n(&chunk->used, chunk->used + sizeof(*node), __ATOMIC_RELEASE);
	return true;
}

/* Each hash is stored once: entries with the same one are chained. */
static bool add_entry(struct writer_thread *thread, uint64_t hash, const struct stack_key *key,
		      uint64_t first)
{
	struct stack_entry *entries = array_grow(thread->entries, &thread->entry_capacity,
						 thread->entry_count + 1, sizeof(*entries));
	uint32_t id = (uint32_t)thread->entry_count + 1;

	if (!entries)
		return false;
	thread->entries = entries;
	entries[id - 1] = (struct stack_entry){.key = *key, .id = id};
	if (first) {
		entries[id - 1].next = entries[first - 1].next;
		entries[first - 1].next = id;
	} else if (!hashset_insert(&thread->index, hash, id)) {
		return false;
	}
	thread->entry_count++;
	return true;
}

static uint32_t writer_intern(struct writer *writer, uint32_t number, uint64_t frame,
			      uint32_t parent)
{
	struct writer_thread *thread = writer->threads[number];
	const struct stack_key key = {frame, parent};
	uint64_t hash = writer_hash_key(&key);
	uint64_t first = hashset_find_key(&thread->index, hash);
	uint32_t id = writer_find_entry(thread, &key, first);

	if (id)
		return id;
	if (!writer_write_node(writer, number, &key) || !add_entry(thread, hash, &key, first))
		return 0;
	return (uint32_t)thread->entry_count;
}

static bool grow_last(struct writer_thread *thread, size_t count)
{
	size_t capacity = thread->last_capacity;
	uint64_t *last = array_grow(thread->last, &capacity, count, sizeof(*last));
	uint32_t *ids;

	if (!last)
		return false;
	thread->last = last;
	ids = realloc(thread->last_ids, capacity * sizeof(*ids));
	if (!ids)
		return false;
	thread->last_ids = ids;
	thread->last_capacity = capacity;
	return true;
}

uint32_t writer_stack(struct writer *writer, uint32_t number, const uint64_t *frames, size_t count)
{
	struct writer_thread *thread = writer->threads[number];
	size_t same = 0;

	if (count == 0 || (count > thread->last_capacity && !grow_last(thread, count)))
		return 0;
	while (same < count && same < thread->last_count && frames[same] == thread->last[same])
		same++;
	thread->last_count = same;
	for (size_t i = same; i < count; i++) {
		uint32_t id =
			writer_intern(writer, number, frames[i], i ? thread->last_ids[i - 1] : 0);

		if (!id)
			return 0;
		thread->last[i] = frames[i];
		thread->last_ids[i] = id;
		thread->last_count = i + 1;
	}
	return thread->last_ids[count - 1];
}

static void writer_write_record(struct writer *writer, uint32_t number,
				const struct sample_record *record)
{
	struct writer_thread *thread = writer->threads[number];
	struct kymo_chunk *chunk = thread->samples;
	size_t size;

	if (!chunk || chunk->size - sizeof(*chunk) - chunk->used < SAMPLE_RECORD_MAX) {
		thread->samples_payload =
			thread->samples_payload ? thread->samples_payload * 2 : STREAM_FIRST;
		if (thread->samples_payload > STREAM_MAX)
			thread->samples_payload = STREAM_MAX;
		if (!chunk)
			thread->ticks = record->ticks;
		chunk = outsidefile_chunk(&writer->file, KYMO_CHUNK_SAMPLES,
					  thread->samples_payload, number, 0, thread->ticks);
		if (!chunk)
			return;
		thread->samples = chunk;
	}
	size = sample_encode((unsigned char *)(chunk + 1) + chunk->used, &thread->ticks, record);
	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
}

void writer_begin(struct writer *writer, uint32_t thread, uint64_t ticks, uint64_t cpu_ns)
{
	const struct sample_record record = {.kind = KYMO_SAMPLE_BEGIN, .ticks = ticks};

	writer->threads[thread]->cpu_ns = cpu_ns;
	writer_write_record(writer, thread, &record);
}

void writer_sample(struct writer *writer, uint32_t thread, uint64_t ticks, uint32_t stack,
		   uint64_t cpu_ns, enum kymo_gil_state gil)
{
	const struct sample_record record = {
		.kind = KYMO_SAMPLE_REALTIME,
		.gil = gil,
		.stack = stack,
		.has_cpu = true,
		.ticks = ticks,
		.cpu_ns = sample_cpu_since(&writer->threads[thread]->cpu_ns, cpu_ns),
	};

	writer_write_record(writer, thread, &record);
	writer->sample_count++;
}

void writer_lost(struct writer *writer, uint32_t thread, uint64_t ticks, uint64_t count)
{
	const struct sample_record record = {
		.kind = KYMO_SAMPLE_LOST, .has_value = true, .ticks = ticks, .value = count};

	writer_write_record(writer, thread, &record);
	writer->lost_count += count;
}
