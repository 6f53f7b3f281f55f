/* What users put beside an event, as Perfetto has it. */
#ifndef KYMO_PERFETTO_VALUES_H
#define KYMO_PERFETTO_VALUES_H

#include "model/recording/recording.h"

#include "model/trace/trace_cursor.h"

#define PERFETTO_VALUE_TEXT 512 /* longer texts are cut */
#define PERFETTO_VALUES_MAX (64 * 1024 / 2)

/* The values that belong to the event just given, as annotations; those that do not fit
 * into PERFETTO_VALUES_MAX bytes are left out.  The bytes that were written at out. */
size_t perfetto_values(struct trace_cursor *cursor, unsigned char *out);

/* A message's end: the flow it is part of, named by what both ends have in common. */
#define PERFETTO_FLOW_MAX 12
size_t perfetto_flow(const struct recording *recording, const struct trace_event *event,
		     unsigned char *out);

#endif
