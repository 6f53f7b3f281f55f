/* The metrics by name: timemory's names, units and table headings. */
#ifndef KYMO_METRIC_H
#define KYMO_METRIC_H

#include <stdbool.h>

#include "format/format.h"

struct metric_info {
	enum kymo_metric metric;
	const char *name;	  /* "wall_clock" */
	const char *description;  /* "Real-clock timer (i.e. wall-clock timer)" */
	const char *unit;	  /* as stored in a node's metric block: "ns", "bytes", "" */
	const char *display_unit; /* "sec", "MB", "%", "" */
	double display_scale;	  /* display = stored * scale */
	bool is_accumulated;	  /* a difference over the visit, else a level or a peak */
	bool is_per_thread;	  /* measured for the thread, else for the process */
};

/* NULL if the value or the name is unknown.  Indexed by enum kymo_metric. */
const struct metric_info *metric_info(enum kymo_metric metric);
const struct metric_info *metric_find(const char *name);

/* The CPU clock that a utilisation is derived from; COUNT = the metric is no utilisation. */
enum kymo_metric metric_clock_of(enum kymo_metric metric);

#define METRIC_NAMED_MAX 64u

/* The id of the named metric of that name, which is defined now if necessary; texts are copied
 * and truncated.  Sums of differences, per thread.  KYMO_METRIC_COUNT if there is no space.  The
 * caller serialises.  Context: init. */
uint32_t metric_define(const char *name, const char *unit, const char *description);
/* Their number, from KYMO_METRIC_NAMED on. */
uint32_t metric_named_count(void);

#endif
