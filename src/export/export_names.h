/* Names of processes, threads and kinds of regions, the same in every format. Pure functions of the
 * recording. */
#ifndef KYMO_EXPORT_NAMES_H
#define KYMO_EXPORT_NAMES_H

#include "model/recording/recording.h"

#include "model/trace/trace_cursor.h"

/* Names are cut to this size if a format needs a fixed buffer. */
#define EXPORT_NAME_SIZE 4096

/* "python", "user", "mpi" … by a region's kind, also for unknown ones. */
const char *region_category(enum kymo_region_kind kind);

/* The thread's own name, else "MainThread" or "thread 3"; valid UTF-8. */
void thread_title(const struct recording *recording, uint32_t thread, char *text, size_t size);

/* The label of the tables, valid UTF-8; Python functions by their qualified names if known. */
void region_title(const struct region *region, char *text, size_t size);

/* The system's id, or for fibers an id that no system thread has. */
uint64_t thread_export_id(const struct recording *recording, uint32_t thread);

/* An id that is the same for both ends of a message in the whole run, also in different processes:
 * from its name and id.  event is a TRACE_SEND or TRACE_RECEIVE. */
uint64_t flow_id(const struct recording *recording, const struct trace_event *event);

/* True for kinds of regions whose begins may have values: users' values, or arguments. */
bool region_may_have_values(enum kymo_region_kind kind);
/* … whose ends may have values: return values. */
bool region_may_return_values(enum kymo_region_kind kind);

/* The earliest start of the run's recordings, ns of CLOCK_REALTIME; the origin of timelines. */
struct run;
uint64_t run_origin_ns(const struct run *run);

#endif
