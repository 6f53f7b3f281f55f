/* The events of synthetic recordings. */
#include "synthetic.h"

#include <string.h>

#include "synthetic_insides.h"

void synthetic_words(struct synthetic *synthetic, uint32_t thread, const uint64_t *words,
		     size_t count)
{
	void *place = synthetic_append(synthetic, &synthetic->threads[thread].events,
				       KYMO_CHUNK_EVENTS, thread, 0, count * sizeof(*words));

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
				      : synthetic_chunk_at(synthetic, probe.offset)->size -
						sizeof(struct kymo_chunk) - probe.tail;

	if (room < (words + 2) * sizeof(uint64_t)) {
		uint64_t payload = synthetic->payload > 64 ? synthetic->payload : 64;

		state->events.offset =
			synthetic_chunk(synthetic, KYMO_CHUNK_EVENTS, thread, 0, payload, 0);
		state->events.tail = 0;
		synthetic_chunk_at(synthetic, state->events.offset)->base = ticks;
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
	uint64_t delta = event_delta(synthetic, thread, synthetic_ticks(time), count);
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
	uint64_t delta = event_delta(synthetic, thread, synthetic_ticks(time), 1 + further);
	uint64_t words[2] = {kymo_event_head(KYMO_EVENT_EXTENDED,
					     (uint32_t)extension | (uint32_t)further << 8, delta),
			     word};

	synthetic_words(synthetic, thread, words, 1 + further);
}

void synthetic_extended_pair(struct synthetic *synthetic, uint32_t thread,
			     enum kymo_event_extension extension, uint64_t time, uint64_t word,
			     uint64_t second)
{
	uint64_t delta = event_delta(synthetic, thread, synthetic_ticks(time), 3);
	uint64_t words[3] = {
		kymo_event_head(KYMO_EVENT_EXTENDED, (uint32_t)extension | 2u << 8, delta), word,
		second};

	synthetic_words(synthetic, thread, words, 3);
}
