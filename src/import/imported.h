/* The result of an importer: processes with threads, call paths, events and series, which
 * imported_write() writes as recordings.
 *
 * Times are nanoseconds of the file's own clock with any origin; the writer uses the earliest as
 * start.  Texts are copied.  Out of memory is remembered and reported at the end; returned numbers
 * are then 0 and still valid.  Uses malloc. */
#ifndef KYMO_IMPORTED_H
#define KYMO_IMPORTED_H

#include "base/hashset.h"
#include "import/imported_parts.h"
#include "model/recording/recording.h"

#define IMPORT_METRICS_MAX   16u
#define IMPORT_DEPTH_MAX     16384u /* time of deeper frames is added to the last one kept */
#define IMPORT_NAME_MAX	     16384u /* bytes of a name; the rest is cut */
#define IMPORT_PROCESSES_MAX 4096u
#define IMPORT_THREADS_MAX   65536u

/* What was skipped or changed; counts that are not 0 become notes. */
enum imported_count {
	COUNT_CUT_NAMES,
	COUNT_DEEP_FRAMES,
	COUNT_BAD_TIMES,
	COUNT_BAD_WEIGHTS,
	COUNT_LATE_EVENTS,
	COUNT_UNMATCHED_ENDS,
	COUNT_UNENDED,
	COUNT_OVERLAPS,
	COUNT_FLOWS,
	COUNT_OTHER_EVENTS,
	COUNT_LANES,
	COUNT_FRACTIONS,
	COUNT_KINDS,
};

struct imported {
	const char *importer, *noun; /* of struct importer */
	/* For weights without a unit in the file: set by the user, or implied. */
	double unit_ns;		  /* 0 = weights are not times */
	const char *default_unit; /* their unit then; NULL: samples */
	char *text_block;	  /* texts are stored in blocks; this is the last */
	size_t text_used, text_size;
	struct imported_function *regions; /* index 0 is unused */
	size_t region_count, region_capacity;
	struct hashset region_index, node_index, process_index, thread_index;
	struct imported_node *nodes;
	size_t node_count, node_capacity;
	struct imported_process *processes; /* index 0 is unused; process_count counts the others */
	size_t process_count, process_capacity;
	struct imported_thread *threads; /* likewise */
	size_t thread_count, thread_capacity;
	struct imported_series *series;
	size_t series_count, series_capacity;
	struct imported_point *points;
	size_t point_count, point_capacity;
	struct imported_total *totals;
	size_t total_count, total_capacity;
	struct imported_note *notes;
	size_t note_count, note_capacity;
	struct imported_metric metrics[IMPORT_METRICS_MAX];
	uint32_t metric_count;
	uint64_t counts[COUNT_KINDS];
	uint64_t realtime_ns; /* CLOCK_REALTIME at 0 of the file's clock; valid if has_realtime */
	bool has_realtime;
	bool is_out_of_memory;
};

void imported_init(struct imported *imported);
void imported_release(struct imported *imported);

/* By pid; pid 0 is the only process of a file without pids. */
uint32_t imported_process(struct imported *imported, uint64_t pid);
void imported_process_name(struct imported *imported, uint32_t process, struct span name);
/* By id within the process. */
uint32_t imported_thread(struct imported *imported, uint32_t process, uint64_t id);
/* A new one, whatever its id; 0 = unknown. */
uint32_t imported_thread_new(struct imported *imported, uint32_t process, uint64_t id);
void imported_thread_name(struct imported *imported, uint32_t thread, struct span name);

uint32_t imported_region(struct imported *imported, const struct imported_function *function);
/* The region's node below parent, found or added; parent itself if that is too deep. */
uint32_t imported_child(struct imported *imported, uint32_t parent, uint32_t region);
uint32_t imported_root(const struct imported *imported, uint32_t thread);
/* As imported_child(), but always a new one. */
uint32_t imported_child_new(struct imported *imported, uint32_t parent, uint32_t region);
void imported_weigh(struct imported *imported, uint32_t node, uint64_t count, double self_ns);

/* The metric of that name, found or added; IMPORT_METRICS_MAX if there are too many. */
uint32_t imported_metric(struct imported *imported, struct span name, const char *unit);
void imported_measure(struct imported *imported, uint32_t metric, uint32_t node, uint64_t count,
		      double self);

/* Events of a thread in the order of time; call paths are derived from them.  A late event gets the
 * time of the latest before it. */
void imported_enter(struct imported *imported, uint32_t thread, int64_t ns, uint32_t region);
/* false: nothing was open. */
bool imported_leave(struct imported *imported, uint32_t thread, int64_t ns);
void imported_instant(struct imported *imported, uint32_t thread, int64_t ns, uint32_t region);
/* The thread was in node from begin to end; in any order.  Only for the timeline: the node is
 * weighted separately. */
void imported_sample(struct imported *imported, uint32_t thread, int64_t begin_ns, int64_t end_ns,
		     uint32_t node);

uint32_t imported_series(struct imported *imported, uint32_t process, uint32_t thread,
			 struct span name, struct span unit);
void imported_point(struct imported *imported, uint32_t series, int64_t ns, double value);

void imported_total(struct imported *imported, const struct imported_total *total);

void imported_note(struct imported *imported, enum kymo_note_kind kind, const char *key,
		   struct span value);
void imported_count(struct imported *imported, enum imported_count what);

#endif
