/* Inputs of a run's output files, and the list of files written.  Borrows everything it points
 * to. */
#ifndef KYMO_RUN_OUTPUT_TYPES_H
#define KYMO_RUN_OUTPUT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_run;
struct run_facts;
struct settings;
struct problem;

struct run_output {
	const struct loaded_run *loaded;
	const struct run_facts *facts;
	const struct settings *settings;
	const char *directory; /* of the run */
	char *const *environment;
	uint64_t most_bytes; /* of all files together; UINT64_MAX = no limit */
	/* Called for each file except the last. */
	void (*announce)(void *context, const char *kind, const char *path);
	void (*fail)(void *context, const struct problem *problem);
	void *context;
};

struct output_sum { /* files written; without pipes and devices */
	uint64_t bytes;
	bool is_part; /* something was left out, to stay within most_bytes */
};

/* Files written, for metadata.json. */
struct output_file_list {
	char **lines; /* "kind path" */
	size_t count;
};

#endif
