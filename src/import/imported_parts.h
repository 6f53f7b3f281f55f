/* The parts of a struct imported (imported.h). */
#ifndef KYMO_IMPORTED_PARTS_H
#define KYMO_IMPORTED_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

struct span { /* text that is not NUL-terminated */
	const char *at;
	size_t size;
};
#define SPAN(literal) ((struct span){literal, sizeof(literal) - 1})

struct imported_function { /* a region as the file names it; empty texts = unknown */
	enum kymo_region_kind kind;
	uint32_t flags; /* KYMO_REGION_* */
	uint32_t line;
	struct span name, module, file;
};

struct imported_node { /* index 0 is unused */
	uint32_t region, parent, thread;
	uint32_t depth;
	uint64_t count; /* calls; of sampled threads the samples whose leaf it is */
	double self_ns; /* or the file's unit */
	/* Of visits with both begin and end. */
	uint64_t visits, min_ns, max_ns;
	double sum_squares_ns;
};

struct imported_event {
	int64_t ns;
	uint32_t region; /* 0 = leave */
	bool is_instant;
};

struct imported_sample {
	int64_t begin_ns, end_ns;
	uint32_t node;
};

struct imported_visit { /* an open one */
	int64_t ns;
	uint32_t node; /* 0: beyond the maximum depth */
	double children_ns;
};

struct imported_thread {
	uint32_t process;
	uint32_t root; /* node */
	uint64_t system_id;
	char *name;		   /* NULL = none */
	bool is_sampled;	   /* counts are samples */
	int64_t first_ns, last_ns; /* of events and samples; first > last: none */
	struct imported_event *events;
	size_t event_count, event_capacity;
	struct imported_sample *samples;
	size_t sample_count, sample_capacity;
	struct imported_visit *open;
	size_t open_count, open_capacity;
};

struct imported_process {
	uint64_t pid;		/* as in the file; 0 = unknown */
	char *name;		/* program; NULL = unknown */
	double weight, squares; /* of all samples */
};

struct imported_series {
	uint32_t process, thread; /* thread 0 = none */
	char *name, *unit;
};

struct imported_point {
	int64_t ns;
	uint32_t series;
	double value;
};

struct imported_note {
	enum kymo_note_kind kind;
	char *key, *value;
};

/* The file's own numbers of a function, or of one caller's calls of it, in addition to call
 * paths. */
struct imported_total {
	uint32_t thread, region;
	uint32_t caller; /* a region; 0 = all of them */
	uint64_t count, primitive_count;
	double self_ns, total_ns; /* total_ns: of outermost visits */
};

struct imported_amount { /* of a metric at a node */
	double self;
	uint64_t count; /* of sampled threads the samples of which it is the leaf */
};

struct imported_metric { /* in addition to the time */
	char *name, *unit;
	struct imported_amount *amounts; /* per node, up to capacity */
	size_t capacity;
};

#endif
