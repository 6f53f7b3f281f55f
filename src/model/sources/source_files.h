/* The source files of a run, with what was measured on their lines.
 *
 * Files are those of recorded functions and of lines in samples, by the names that the recordings
 * have for them, the largest self time first.  Borrows the run. */
#ifndef KYMO_SOURCE_FILES_H
#define KYMO_SOURCE_FILES_H

#include "model/profile/flat_view.h"
#include "model/profile/loaded_run.h"
#include "model/samples/sampled_lines.h"

struct source_function { /* a recorded function that begins in a file */
	uint32_t region; /* number in the union */
	uint32_t line;
};

struct source_file {
	const char *name;	    /* as recorded */
	const char *directory;	    /* of the process, for relative names; NULL = unknown */
	double self_ns;		    /* of its functions, or of lines if there are samples */
	struct sampled_line *lines; /* by line; Python's and native ones of one file are added up */
	size_t line_count;
	struct source_function *functions; /* by line */
	size_t function_count;
};

struct source_lines { /* lines in samples of all processes, by file and line */
	struct sampled_line *lines;
	size_t count;
	double total_ns, effective_count; /* what shares of lines refer to */
	struct sampled_lines **owners;
	size_t owner_count;
};

struct source_files {
	struct source_file *files;
	size_t count;
	struct source_function *functions; /* of all files */
};

/* Adds regions to the recordings: call it before a union of them is made. */
enum kymo_status source_lines_new(const struct loaded_run *loaded,
				  const struct sampled_options *options, struct source_lines **out);
void source_lines_free(struct source_lines *lines);

/* flat: of the whole run.  Borrows the lines. */
enum kymo_status source_files_new(const struct loaded_run *loaded,
				  const struct region_union *regions, const struct flat_view *flat,
				  const struct source_lines *lines, struct source_files **out);
void source_files_free(struct source_files *files);

/* The absolute path of a file; the caller frees.  NULL: there is none, as for "<string>", or no
 * memory. */
char *source_file_path(const struct source_file *file);

#endif
