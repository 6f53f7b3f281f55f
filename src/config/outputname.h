/* Names of outputs: <OUTPUT_PATH>[/<TIME>]/[<PREFIX>]<NAME>[-<SUFFIX>].<EXT>, and the keys (%tag%,
 * %pid%, %env{X}% …) in them.  Reference: rocprofiler-systems 1.2 output keys. Uses malloc.
 * Context: init. */
#ifndef KYMO_OUTPUTNAME_H
#define KYMO_OUTPUTNAME_H

#include <sys/types.h>
#include <time.h>

#include "config/settings.h"

struct output_context {
	const char *const *argv; /* NULL-closed command line of the program */
	pid_t pid, parent_pid;
	time_t launch_time;
	const struct settings *settings;
	char *const *environment;
};

struct output_key { /* for `kymo avail --list-keys` */
	const char *key, *short_key, *help;
};
extern const struct output_key output_key_table[];
extern const size_t output_key_count;

/* Expand every key in text; unknown keys stay as they are, missing values become "".
 * Returns a new string (free), NULL when out of memory. */
char *output_expand(const struct output_context *context, const char *text);

/* The run directory: expanded OUTPUT_PATH, with the time-stamped level when TIME_OUTPUT. */
char *output_directory(const struct output_context *context);

/* File name in the run directory: [PREFIX]name[-suffix].extension, suffix = rank or pid
 * when USE_PID.  Keys in name are expanded; without extension (NULL or "") name has its own;
 * an absolute name ignores directory, prefix and suffix.  PREFIX may name directories that
 * do not exist yet. */
char *output_file(const struct output_context *context, const char *directory, const char *name,
		  const char *extension);

#endif
