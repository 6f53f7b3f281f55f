/* Chunks of events are smaller with more threads: memory stays bounded. */
#include "writer/recording_writer_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "writer/recording_writer_private.h"

/* Total size of all threads' unfinished chunks. */
#define EVENT_BYTES_MAX (UINT64_C(64) << 20)

uint32_t maker_event_limit(const struct recording_writer *maker)
{
	uint64_t limit = MADE_CHUNK_MAX;

	while (limit > KYMO_CHUNK_ALIGN && limit * maker->thread_count > EVENT_BYTES_MAX)
		limit /= 2;
	return (uint32_t)limit;
}

static struct maker_thread *events_thread_new(struct recording_writer *maker)
{
	struct maker_thread *threads =
		array_grow(maker->threads, &maker->thread_capacity, maker->thread_count + (size_t)1,
			   sizeof(*threads));

	if (!threads) {
		recording_writer_file_fail(&maker->file, KYMO_MEMORY, "no memory to write '%s'",
					   maker->file.out.path);
		return NULL;
	}
	maker->threads = threads;
	return &threads[maker->thread_count];
}

/* When out of memory, the number of the first: the maker has failed. */
uint32_t recording_writer_thread(struct recording_writer *maker, const char *name,
				 uint64_t system_id, uint64_t start_ns, uint64_t end_ns,
				 uint64_t cpu_ns)
{
	struct maker_thread *thread =
		maker->file.status == KYMO_OK ? events_thread_new(maker) : NULL;

	if (!thread)
		return 0;
	*thread = (struct maker_thread){
		.record = {
			.number = maker->thread_count,
			.system_id = system_id,
			.start_ticks = maker_ticks(maker, start_ns),
			.parent = KYMO_NO_THREAD,
			.name = recording_writer_strings_add(&maker->file, &maker->strings, name),
			.cpu_ns = cpu_ns,
		}};
	recording_writer_section_init(&thread->events, KYMO_CHUNK_EVENTS, maker->thread_count, 0);
	thread->last_ticks = thread->record.start_ticks;
	maker->thread_count++;
	maker_saw(maker, thread->record.start_ticks);
	if (end_ns)
		recording_writer_thread_end(maker, maker->thread_count - 1, end_ns);
	return maker->thread_count - 1;
}

void recording_writer_thread_end(struct recording_writer *maker, uint32_t thread, uint64_t end_ns)
{
	uint64_t ticks = maker_ticks(maker, end_ns);

	if (thread >= maker->thread_count)
		return;
	if (ticks < maker->threads[thread].record.start_ticks)
		ticks = maker->threads[thread].record.start_ticks;
	maker->threads[thread].record.end_ticks = ticks;
	maker_saw(maker, ticks);
}

void recording_writer_thread_losses(struct recording_writer *maker, uint32_t thread,
				    const struct thread *losses)
{
	struct kymo_thread_record *record;

	if (thread >= maker->thread_count)
		return;
	record = &maker->threads[thread].record;
	record->flags = losses->flags;
	record->lost_events = losses->lost_events;
	record->folded = losses->folded;
	record->resynced = losses->resynced;
	record->misused_ends = losses->misused_ends;
	record->never_ended = losses->never_ended;
	record->measuring_ns = losses->measuring_ns;
}

/* Reserve a record of so many words at ticks, which is advanced to the thread's time; NULL if that
 * failed.  A time too far from the base gets a record of its own. */
static uint64_t *event_reserve(struct recording_writer *maker, struct maker_thread *thread,
			       uint64_t *ticks, unsigned int words)
{
	bool is_new, is_far;
	uint64_t *record;

	if (*ticks < thread->last_ticks)
		*ticks = thread->last_ticks;
	thread->last_ticks = *ticks;
	if (recording_writer_section_available(&thread->events) < (words + 2) * sizeof(uint64_t))
		thread->events.limit = maker_event_limit(maker);
	thread->events.next_base = *ticks;
	record = recording_writer_section_reserve(&maker->file, &thread->events,
						  (words + 2) * sizeof(*record), NULL, &is_new);
	if (!record)
		return NULL;
	if (is_new)
		thread->time_base = *ticks;
	is_far = *ticks - thread->time_base > KYMO_EVENT_TICK_MAX;
	if (is_far) {
		record[0] = kymo_event_head(KYMO_EVENT_TIME, 0, 0);
		record[1] = thread->time_base = *ticks;
		return record + 2;
	}
	recording_writer_section_return(&thread->events, 2 * sizeof(*record));
	return record;
}

static void event_write(struct recording_writer *maker, struct maker_thread *thread, uint64_t ticks,
			enum kymo_event_kind kind, enum kymo_event_extension extension,
			uint32_t region)
{
	bool is_extended = kind == KYMO_EVENT_EXTENDED || region > KYMO_EVENT_REGION_MAX;
	uint64_t *record = event_reserve(maker, thread, &ticks, 1 + is_extended);

	if (!record)
		return;
	if (is_extended) {
		record[0] = kymo_event_head(KYMO_EVENT_EXTENDED, extension | 1u << 8,
					    ticks - thread->time_base);
		record[1] = region;
	} else {
		record[0] = kymo_event_head(kind, region, ticks - thread->time_base);
	}
	maker_saw(maker, ticks);
}

void recording_writer_enter(struct recording_writer *maker, uint32_t thread, uint64_t ns,
			    uint32_t region)
{
	struct maker_thread *state;
	uint32_t *open;

	if (maker->file.status != KYMO_OK || thread >= maker->thread_count)
		return;
	state = &maker->threads[thread];
	open = array_grow(state->open, &state->capacity, state->depth + 1, sizeof(*open));
	if (!open) {
		recording_writer_file_fail(&maker->file, KYMO_MEMORY, "no memory to write '%s'",
					   maker->file.out.path);
		return;
	}
	state->open = open;
	open[state->depth++] = region;
	event_write(maker, state, maker_ticks(maker, ns), KYMO_EVENT_ENTER, KYMO_EXTENDED_ENTER,
		    region);
}

void recording_writer_leave(struct recording_writer *maker, uint32_t thread, uint64_t ns)
{
	struct maker_thread *state;

	if (maker->file.status != KYMO_OK || thread >= maker->thread_count ||
	    !maker->threads[thread].depth)
		return;
	state = &maker->threads[thread];
	event_write(maker, state, maker_ticks(maker, ns), KYMO_EVENT_LEAVE, KYMO_EXTENDED_LEAVE,
		    state->open[--state->depth]);
}

void recording_writer_instant(struct recording_writer *maker, uint32_t thread, uint64_t ns,
			      uint32_t region)
{
	if (maker->file.status == KYMO_OK && thread < maker->thread_count)
		event_write(maker, &maker->threads[thread], maker_ticks(maker, ns),
			    KYMO_EVENT_EXTENDED, KYMO_EXTENDED_INSTANT, region);
}

/* The root node is open as long as the thread. */
static void finish_root(struct recording_writer *maker, uint32_t i)
{
	const struct maker_thread *thread = &maker->threads[i];
	const struct kymo_thread_record *record = &thread->record;
	bool is_open = !record->end_ticks;
	uint64_t duration = is_open ? 0 : record->end_ticks - record->start_ticks;
	struct kymo_node root = {
		.count = 1,
		.enter = is_open ? record->start_ticks : 0,
		.sum = duration,
		.min = is_open ? UINT64_MAX : duration,
		.max = duration,
		.sum_squares = (double)duration * (double)duration,
	};

	if (thread->has_root || !(maker->header.flags & KYMO_HEADER_PROFILE))
		return;
	if (maker_root(maker, i))
		recording_writer_section_patch(&maker->file, &maker->nodes, thread->root_at, &root,
					       sizeof(root));
}

void maker_finish_threads(struct recording_writer *maker)
{
	for (uint32_t i = 0; i < maker->thread_count; i++) {
		struct maker_thread *thread = &maker->threads[i];
		struct kymo_thread_record *to;

		if (thread->events.bytes)
			maker->header.flags |= KYMO_HEADER_TRACE;
		recording_writer_section_finish(&maker->file, &thread->events);
		free(thread->open);
		finish_root(maker, i);
		to = recording_writer_section_reserve(&maker->file, &maker->threads_table,
						      sizeof(*to), NULL, NULL);
		if (!to)
			continue;
		*to = thread->record;
		maker->threads_table.next_base++;
	}
}
