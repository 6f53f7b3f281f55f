/* Messages between threads: ends are collected while traces are read and matched at the end.
 *
 * If there are too many, those with the smallest keys are kept: of a message both ends or none, and
 * evenly distributed.  One thread. */
#ifndef KYMO_TIMELINE_MESSAGES_H
#define KYMO_TIMELINE_MESSAGES_H

#include "model/recording/recording.h"

#include "model/trace/trace_cursor.h"

struct message_end {
	uint64_t key; /* the same for both ends, hashed over all bits */
	uint64_t ns;
	uint32_t process, thread, region; /* region: common number */
	bool is_send;
};

struct message {
	struct message_end from, to;
};

struct messages {
	struct message_end *ends;
	size_t count, capacity, limit;
	uint64_t key_max;    /* larger keys were left out */
	uint64_t send_count; /* of all sends */
};

/* limit: how many ends are kept at most. */
void messages_init(struct messages *messages, size_t limit);
void messages_release(struct messages *messages);

/* The key of an event of a recording. */
uint64_t message_key(const struct recording *recording, const struct trace_event *event);
void messages_add(struct messages *messages, const struct message_end *end);

/* The pairs of all ends, in the order of sending, at most limit in each of MESSAGE_PARTS equal
 * parts of span_ns; matched pairs beyond that are counted in left_out. */
#define MESSAGE_PARTS 256u
struct message *messages_match(struct messages *messages, uint64_t span_ns, size_t limit,
			       size_t *count_out, uint32_t left_out[MESSAGE_PARTS]);

#endif
