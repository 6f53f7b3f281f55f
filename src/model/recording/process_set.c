/* Processes are identified by their run, pid and start time. */
#include "model/recording/process_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/md5.h"

struct process_set_entry {
	struct process_id id;
	const char *path;
};

struct key {
	const struct process_set *set;
	const struct process_id *id;
};

static bool id_is_same(const struct process_id *a, const struct process_id *b)
{
	return a->pid == b->pid && a->start_realtime_ns == b->start_realtime_ns &&
	       memcmp(a->run_id, b->run_id, sizeof(a->run_id)) == 0;
}

static bool entry_matches(uint64_t value, const void *context)
{
	const struct key *key = context;

	return id_is_same(&key->set->entries[value - 1].id, key->id);
}

static uint64_t id_hash(const struct process_id *id)
{
	uint64_t hash = hash_bytes(HASH_SEED, id->run_id, sizeof(id->run_id));

	return hash_word(hash ^ id->start_realtime_ns) + id->pid;
}

struct process_id process_id_of_part(const struct recording_part *part)
{
	struct process_id id = {.start_realtime_ns = part->start_realtime_ns, .pid = part->pid};

	memcpy(id.run_id, part->run_id, sizeof(id.run_id));
	return id;
}

bool process_run_is_named(const uint8_t run_id[16])
{
	static const uint8_t none[16] = {0};

	return memcmp(run_id, none, sizeof(none)) != 0;
}

void process_name_run(uint8_t run_id[16], const void *content, size_t size)
{
	char digest[MD5_TEXT_SIZE];

	md5_text(content, size, digest);
	for (size_t i = 0; i < 16; i++)
		sscanf(&digest[2 * i], "%2hhx", &run_id[i]);
}

static struct process_id id_of_recording(const struct recording *recording)
{
	struct process_id id = {
		.start_realtime_ns = recording->header.start_realtime_ns,
		.pid = recording->header.pid,
	};

	memcpy(id.run_id, recording->header.run_id, sizeof(id.run_id));
	if (!process_run_is_named(id.run_id) && recording->size > 0)
		process_name_run(id.run_id, recording->data, recording->size);
	return id;
}

bool recording_part_is_new_process(const struct recording *recording, uint32_t part)
{
	struct process_id id = process_id_of_part(&recording->parts[part]), before;

	if (part == 0)
		return true;
	before = process_id_of_part(&recording->parts[part - 1]);
	return !id_is_same(&id, &before);
}

const char *process_set_find(const struct process_set *set, const struct process_id *id)
{
	const struct key key = {set, id};
	uint64_t value = hashset_find(&set->by_id, id_hash(id), entry_matches, &key);

	return value ? set->entries[value - 1].path : NULL;
}

bool process_set_add(struct process_set *set, const struct process_id *id, const char *path)
{
	struct process_set_entry *grown =
		array_grow(set->entries, &set->capacity, set->count + 1, sizeof(*grown));

	if (!grown)
		return false;
	set->entries = grown;
	grown[set->count++] = (struct process_set_entry){*id, path};
	return hashset_insert(&set->by_id, id_hash(id), set->count);
}

bool process_set_add_all(struct process_set *set, const struct recording *recording,
			 const char *path)
{
	struct process_id id = id_of_recording(recording);

	if (recording->part_count == 0)
		return process_set_find(set, &id) || process_set_add(set, &id, path);
	for (uint32_t i = 0; i < recording->part_count; i++) {
		id = process_id_of_part(&recording->parts[i]);
		if (recording_part_is_new_process(recording, i) && !process_set_find(set, &id) &&
		    !process_set_add(set, &id, path))
			return false;
	}
	return true;
}

size_t process_set_count(const struct process_set *set, const struct recording *recording,
			 const char **path_out, size_t *total_out)
{
	struct process_id id = id_of_recording(recording);
	uint32_t part_count = recording->part_count ? recording->part_count : 1;
	size_t count = 0, total = 0;

	for (uint32_t i = 0; i < part_count; i++) {
		const char *path;

		if (recording->part_count && !recording_part_is_new_process(recording, i))
			continue;
		total++;
		if (recording->part_count)
			id = process_id_of_part(&recording->parts[i]);
		path = process_set_find(set, &id);
		if (path)
			*path_out = path;
		count += path != NULL;
	}
	if (total_out)
		*total_out = total;
	return count;
}

void process_set_release(struct process_set *set)
{
	hashset_release(&set->by_id);
	free(set->entries);
	*set = (struct process_set){0};
}
