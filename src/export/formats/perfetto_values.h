/* Users' values of an event, in Perfetto's format. */
#ifndef KYMO_PERFETTO_VALUES_H
#define KYMO_PERFETTO_VALUES_H

#include "model/recording/recording.h"

#include "model/trace/trace_cursor.h"

#define PERFETTO_VALUE_TEXT 512 /* longer texts are cut */
#define PERFETTO_VALUES_MAX (64 * 1024 / 2)

/* Write the values of the last event as annotations at out; those that do not fit into
 * PERFETTO_VALUES_MAX bytes are left out.  Returns the bytes written. */
size_t perfetto_values(struct trace_cursor *cursor, unsigned char *out);

/* A message's end: its flow, whose id is the same at both ends. */
#define PERFETTO_FLOW_MAX 12
size_t perfetto_flow(const struct recording *recording, const struct trace_event *event,
		     unsigned char *out);

#endif
