/* JSON as a stream of events, in memory that does not grow with the text.  Implemented by yajl
 * (json_events_yajl.c), and without it by an error (json_events_none.c). */
#ifndef KYMO_JSON_EVENTS_H
#define KYMO_JSON_EVENTS_H

#include <stdbool.h>

#include "import/import_source.h"
#include "import/imported.h"

enum json_event {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER, /* text as written */
	JSON_TEXT,   /* unescaped; any bytes */
	JSON_KEY,
	JSON_OBJECT, /* begins */
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
};

/* depth: number of open objects and arrays around the event; the end of one has that of its begin.
 * text is valid during the call.  false stops the parser. */
typedef bool (*json_event_fn)(void *context, enum json_event event, unsigned int depth,
			      struct span text);

#define JSON_DEPTH_MAX 1000u

struct json_end { /* result of the parser */
	size_t offset;
	unsigned int depth;
	bool is_cut;	 /* the text ends within the document */
	bool is_stopped; /* by the receiver */
	char why[160];	 /* "" = well-formed to the end */
};

/* What is missing to read JSON; NULL = nothing. */
extern const char *const json_events_missing;

/* KYMO_OK also for malformed text: see end_out. */
enum kymo_status json_events(const struct import_source *source, json_event_fn receive,
			     void *context, struct json_end *end_out);

#endif
