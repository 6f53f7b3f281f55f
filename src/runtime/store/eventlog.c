/* Event chunks: small at first, so that thousands of threads stay cheap, then large and
 * prefaulted, because a page fault costs more than an event. */
#include "runtime/store/eventlog.h"

#include "base/keeperrno.h"
#include "format/decode.h"
#include "platform/usage.h"
#include "runtime/store/pagecost.h"
#include "runtime/store/store.h"

#define CHUNK_FIRST	 (UINT64_C(16) << 10)
#define CHUNK_MAX	 (UINT64_C(1) << 20)
#define RECORD_WORDS_MAX 5 /* with a TIME record in front */

static uint64_t next_size(const struct kymo_chunk *chunk)
{
	uint64_t size = chunk ? chunk->size * 4 : CHUNK_FIRST;

	return size < CHUNK_MAX ? size : CHUNK_MAX;
}

/* The lock is held. */
static struct kymo_chunk *chunk_new(const struct kymo_thread *thread)
{
	uint64_t size = next_size(thread->events);

	if (store.is_full)
		return NULL;
	return store_chunk(KYMO_CHUNK_EVENTS, size - sizeof(struct kymo_chunk),
			   thread->record->number, sizeof(uint64_t));
}

static struct kymo_chunk *chunk_new_locking(const struct kymo_thread *thread)
{
	struct kymo_chunk *chunk;

	if (store.is_full || !store_lock())
		return NULL;
	chunk = chunk_new(thread);
	store_unlock();
	return chunk;
}

/* Continue in chunk; false and a lost event if it is NULL. */
static bool eventlog_chunk_begin(struct kymo_thread *thread, struct kymo_chunk *chunk, uint64_t now)
{
	thread->record->lost_events += !chunk;
	if (!chunk)
		return false;
	chunk->base = now;
	mapfile_populate(&store.file, store_offset(chunk), chunk->size);
	thread->events = chunk;
	thread->event_base = now;
	thread->event = (uint64_t *)(chunk + 1);
	/* One word stays zero behind the last record. */
	thread->event_limit = (uint64_t *)((char *)chunk + chunk->size) - RECORD_WORDS_MAX - 1;
	return true;
}

/* 0 if the program has given up its system calls. */
static uint64_t eventlog_cpu_ns(void)
{
	return store.file.is_frozen ? 0 : usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Continue in a new chunk: its cost is part of that of each event. */
static bool eventlog_chunk_next(struct kymo_thread *thread, uint64_t now)
{
	uint64_t before = eventlog_cpu_ns(), after;

	if (!eventlog_chunk_begin(thread, chunk_new_locking(thread), now))
		return false;
	after = eventlog_cpu_ns();
	if (before > 0 && after > before)
		pagecost_add(thread->events->size, after - before);
	return true;
}

/* Words first, head last: a reader never sees an incomplete record. */
static void eventlog_write_record(struct kymo_thread *thread, uint64_t head, const uint64_t *words,
				  unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		thread->event[1 + i] = words[i];
	__atomic_store_n(thread->event, head, __ATOMIC_RELEASE);
	thread->event += 1 + count;
}

static uint64_t extended_head(enum kymo_event_extension extension, unsigned words, uint64_t ticks)
{
	return kymo_event_head(KYMO_EVENT_EXTENDED, (uint32_t)extension | words << 8, ticks);
}

static void rebase(struct kymo_thread *thread, uint64_t now)
{
	thread->event_base = now;
	eventlog_write_record(thread, kymo_event_head(KYMO_EVENT_TIME, 0, 0), &now, 1);
}

static void eventlog_write_event(struct kymo_thread *thread, enum kymo_event_kind kind,
				 uint32_t region, uint64_t ticks, uint64_t word)
{
	uint64_t words[1] = {word};

	if (kind == KYMO_EVENT_EXTENDED) {
		eventlog_write_record(thread,
				      extended_head((enum kymo_event_extension)region, 1, ticks),
				      words, 1);
	} else if (region > KYMO_EVENT_REGION_MAX) {
		bool is_leave = kind == KYMO_EVENT_LEAVE || kind == KYMO_EVENT_UNWIND;

		words[0] = region;
		eventlog_write_record(
			thread,
			extended_head(is_leave ? KYMO_EXTENDED_LEAVE : KYMO_EXTENDED_ENTER, 1,
				      ticks),
			words, 1);
	} else {
		bool has_word = kind == KYMO_EVENT_RESUME || kind == KYMO_EVENT_ANNOTATED;

		eventlog_write_record(thread, kymo_event_head(kind, region, ticks), words,
				      has_word);
	}
}

static void eventlog_append(struct kymo_thread *thread, enum kymo_event_kind kind, uint32_t region,
			    uint64_t now, uint64_t word)
{
	if ((now - thread->event_base) >> KYMO_EVENT_TICK_BITS)
		rebase(thread, now);
	eventlog_write_event(thread, kind, region, now - thread->event_base, word);
}

void kymo_event_slow(struct kymo_thread *thread, enum kymo_event_kind kind, uint32_t region,
		     uint64_t now, uint64_t word)
{
	KEEP_ERRNO();

	if (thread->record &&
	    (thread->event < thread->event_limit || eventlog_chunk_next(thread, now)))
		eventlog_append(thread, kind, region, now, word);
}

void eventlog_extended(struct kymo_thread *thread, enum kymo_event_extension extension,
		       uint64_t now, const uint64_t words[2])
{
	KEEP_ERRNO();

	if (thread->event < thread->event_limit || eventlog_chunk_next(thread, now)) {
		if ((now - thread->event_base) >> KYMO_EVENT_TICK_BITS)
			rebase(thread, now);
		eventlog_write_record(thread, extended_head(extension, 2, now - thread->event_base),
				      words, 2);
	}
}

void eventlog_unwind(struct kymo_thread *thread, uint32_t keep, uint64_t now)
{
	if (thread->event < thread->event_limit ||
	    eventlog_chunk_begin(thread, chunk_new(thread), now))
		eventlog_append(thread, KYMO_EVENT_EXTENDED, KYMO_EXTENDED_UNWIND_ALL, now, keep);
}

uint64_t eventlog_latest(const struct kymo_thread *thread)
{
	struct event_reader reader;
	struct event_record record = {.ticks = 0};

	if (!thread->events)
		return 0;
	reader = event_reader_begin(
		thread->events + 1,
		(uint64_t)((const char *)thread->event - (const char *)(thread->events + 1)),
		thread->events->base);
	while (event_reader_next(&reader, &record))
		;
	return record.ticks > reader.base ? record.ticks : reader.base;
}
