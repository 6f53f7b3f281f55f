/* A pprof profile (profile.proto) being written: strings, functions, locations and mappings get ids
 * at their first use and are written at once; the strings' texts come last.  Field numbers: the
 * messages Profile, ValueType, Sample, Label, Mapping, Location, Line and Function.  The caller
 * owns it and begins with zeros.  One thread at a time. */
#ifndef KYMO_PPROF_PROFILE_H
#define KYMO_PPROF_PROFILE_H

#include <stdbool.h>

#include "base/hashset.h"
#include "export/gzip_writer.h"

#define PPROF_LINES_MAX	    128	 /* functions of a location, inlined ones included */
#define PPROF_LOCATIONS_MAX 1001 /* of a sample */
#define PPROF_VALUES_MAX    8

struct pprof_function {
	const char *name, *system_name, *file; /* NULL = unknown */
	uint32_t first_line;
};

struct pprof_line { /* of a location, innermost first */
	struct pprof_function function;
	uint32_t line;
};

struct pprof_location {
	uint64_t owner, key; /* identity */
	uint64_t mapping;    /* id, 0 = none */
	uint64_t address;
	const struct pprof_line *lines;
	size_t line_count;
};

struct pprof_mapping {
	uint64_t owner, key;
	uint64_t start, end;
	const char *file, *build_id; /* build_id: NULL = none */
};

struct pprof_label {
	const char *key;
	const char *text; /* NULL: number is used */
	int64_t number;
};

struct pprof_profile {
	struct gzip_writer gzip;
	char **strings;
	size_t string_count, string_capacity;
	struct hashset string_index;
	struct pprof_known *functions, *locations, *mappings; /* by id - 1 */
	size_t function_count, function_capacity;
	size_t location_count, location_capacity;
	size_t mapping_count, mapping_capacity;
	struct hashset function_index, location_index, mapping_index;
};

enum kymo_status pprof_begin(struct pprof_profile *profile, struct export_sink *sink);
/* Finish and release. */
void pprof_end(struct pprof_profile *profile);

void pprof_sample_type(struct pprof_profile *profile, const char *type, const char *unit);
void pprof_default_type(struct pprof_profile *profile, const char *type);
void pprof_period(struct pprof_profile *profile, const char *type, const char *unit,
		  uint64_t period);
void pprof_times(struct pprof_profile *profile, uint64_t start_ns, uint64_t duration_ns);
void pprof_comment(struct pprof_profile *profile, const char *text);

/* The id of a known location; 0 = unknown. */
uint64_t pprof_known_location(const struct pprof_profile *profile, uint64_t owner, uint64_t key);
uint64_t pprof_location(struct pprof_profile *profile, const struct pprof_location *location);
uint64_t pprof_mapping(struct pprof_profile *profile, const struct pprof_mapping *mapping);

/* locations: ids, innermost first, at most PPROF_LOCATIONS_MAX; labels: at most four. */
void pprof_sample(struct pprof_profile *profile, const uint64_t *locations, size_t location_count,
		  const int64_t *values, size_t value_count, const struct pprof_label *labels,
		  size_t label_count);

#endif
