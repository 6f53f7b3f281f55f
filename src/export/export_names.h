/* What processes, threads and kinds of regions are called in every format.
 * Pure functions of the recording. */
#ifndef KYMO_EXPORT_NAMES_H
#define KYMO_EXPORT_NAMES_H

#include "model/recording/recording.h"

#include "model/trace/trace_cursor.h"

/* Names are cut to this size where a format asks for one piece of memory. */
#define EXPORT_NAME_SIZE 4096

/* "python", "user", "mpi" … of a region's kind, also of one this reader does not know. */
const char *region_category(enum kymo_region_kind kind);

/* The thread's own name, else "MainThread" or "thread 3"; valid UTF-8. */
void thread_title(const struct recording *recording, uint32_t thread, char *text, size_t size);

/* The label of the tables, valid UTF-8; Python functions by their full names where known. */
void region_title(const struct region *region, char *text, size_t size);

/* The system's id, or for what is no system thread one that no system thread has. */
uint64_t thread_export_id(const struct recording *recording, uint32_t thread);

/* What a message's two ends have in common in the whole run, also in different processes: of
 * its name and id.  event is a TRACE_SEND or TRACE_RECEIVE. */
uint64_t flow_id(const struct recording *recording, const struct trace_event *event);

/* True for kinds of regions beside whose events there may be values: users', or arguments. */
bool region_may_have_values(enum kymo_region_kind kind);
/* … beside their ends: what they return. */
bool region_may_return_values(enum kymo_region_kind kind);

/* The earliest start of the run's recordings, ns of CLOCK_REALTIME; timelines begin there. */
struct run;
uint64_t run_origin_ns(const struct run *run);

#endif
