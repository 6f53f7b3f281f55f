/* Functions are identified by their frame's word, which is resolved once, and counted once per
 * sample, however often they are in its stack. */
#include "attach/sample/framecounts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void framecounts_init(struct framecounts *counts, struct framenames *names)
{
	*counts = (struct framecounts){.names = names};
}

void framecounts_release(struct framecounts *counts)
{
	free(counts->functions);
	hashset_release(&counts->index);
	hashset_release(&counts->frames);
	*counts = (struct framecounts){0};
}

static uint64_t framecounts_hash_name(const struct framename *name)
{
	uint64_t hash = hash_bytes(HASH_SEED, name->function, strlen(name->function));

	if (name->file)
		hash = hash_bytes(hash, name->file, strlen(name->file));
	return hash ^ hash_word(name->first_line);
}

static uint64_t sample_framecounts_add(struct framecounts *counts, const struct framename *name)
{
	struct framecount *grown =
		array_grow(counts->functions, &counts->capacity, counts->count + 1, sizeof(*grown));

	if (!grown)
		return 0;
	counts->functions = grown;
	grown[counts->count++] = (struct framecount){
		.function = name->function, .file = name->file, .line = name->first_line};
	return counts->count;
}

static struct framecount *framecounts_function_of(struct framecounts *counts, uint64_t frame)
{
	uint64_t entry = hashset_find_key(&counts->frames, hash_word(frame));
	struct framename name;
	uint64_t hash;

	if (entry)
		return &counts->functions[entry - 1];
	framenames_find(counts->names, frame, &name);
	hash = framecounts_hash_name(&name);
	entry = hashset_find_key(&counts->index, hash);
	if (!entry) {
		entry = sample_framecounts_add(counts, &name);
		if (entry)
			hashset_insert(&counts->index, hash, entry);
	}
	if (entry)
		hashset_insert(&counts->frames, hash_word(frame), entry);
	return entry ? &counts->functions[entry - 1] : NULL;
}

static void count_frames(struct framecounts *counts, const struct watch_thread *thread)
{
	bool is_innermost = true;

	for (size_t i = thread->frame_count; i-- > 0;) {
		struct framecount *function;

		if (kymo_frame_kind(thread->frames[i]) == KYMO_FRAME_KERNEL ||
		    kymo_frame_kind(thread->frames[i]) == KYMO_FRAME_MARK)
			continue;
		function = framecounts_function_of(counts, thread->frames[i]);
		if (!function)
			return;
		if (is_innermost) {
			function->self++;
			function->self_now++;
		}
		is_innermost = false;
		if (function->seen == counts->samples)
			continue;
		function->seen = counts->samples;
		function->total++;
		function->total_now++;
	}
}

void framecounts_add(struct framecounts *counts, const struct watch_thread *thread,
		     bool has_waiting)
{
	if (thread->result == WATCH_LOST) {
		counts->lost++;
		counts->lost_now++;
	}
	if (thread->result != WATCH_STACK)
		return;
	counts->is_gil_seen |= thread->gil == KYMO_GIL_HELD;
	counts->gil_waits_now += thread->gil == KYMO_GIL_WAITED_FOR;
	counts->active_now += !thread->task.last.is_asleep;
	if (thread->task.last.is_asleep && !has_waiting)
		return;
	counts->samples++;
	counts->samples_now++;
	count_frames(counts, thread);
}

void framecounts_end_observation(struct framecounts *counts)
{
	counts->observations++;
	counts->observations_now++;
	counts->gil_held += counts->is_gil_seen;
	counts->gil_held_now += counts->is_gil_seen;
	counts->is_gil_seen = false;
}

void framecounts_next_interval(struct framecounts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		counts->functions[i].self_now = counts->functions[i].total_now = 0;
	counts->samples_now = counts->observations_now = counts->gil_held_now = 0;
	counts->gil_waits_now = counts->active_now = counts->lost_now = 0;
}
