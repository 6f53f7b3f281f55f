/* A profile of a speedscope file: what was read so far, and its conversion to a thread. */
#ifndef KYMO_SPEEDSCOPE_PROFILE_H
#define KYMO_SPEEDSCOPE_PROFILE_H

#include "base/text/textbuf.h"
#include "import/import_source.h"
#include "import/imported.h"

struct frame_event {
	double at;
	uint32_t frame;
	bool is_open;
};

struct profile { /* the current one; arrays are reused */
	struct textbuf name, unit;
	double start, end;
	struct frame_event *events;
	size_t event_count, event_capacity;
	struct frame_event event; /* the current one */
	bool has_frame, has_at;
	uint32_t *stacks; /* frames of all samples */
	size_t stack_count, stack_capacity;
	size_t *stack_ends; /* of each sample */
	size_t sample_count, sample_capacity;
	double *weights;
	size_t weight_count, weight_capacity;
};

struct speedscope_import {
	const struct import_source *source;
	struct imported *imported;
	char key[3][24]; /* of the object at depths 1, 3 and 5 */
	struct textbuf frame_name, frame_file;
	double frame_line;
	uint32_t *frames; /* regions */
	size_t frame_count, frame_capacity;
	struct profile profile;
	uint32_t *open; /* open frames of the profile */
	size_t open_count, open_capacity;
	const char *fault; /* error in the document; NULL = none */
	const char *unit;  /* unit that is no time; NULL = none */
	bool is_out_of_memory;
};

/* Record the error; both return false, which stops the reader. */
bool speedscope_stop(struct speedscope_import *import, const char *fault);
bool speedscope_stop_memory(struct speedscope_import *import);

/* The current profile is complete: add it to imported. */
bool speedscope_profile_end(struct speedscope_import *import);

static inline struct span textbuf_span(const struct textbuf *text)
{
	return (struct span){text->data ? text->data : "", text->data ? text->length : 0};
}

#endif
