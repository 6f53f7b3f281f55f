/* The texts of source files: kept with the run by --keep-sources, or as they are on this machine
 * now.
 *
 * Kept files are in the folder "sources" of the run, with index.json for users and other programs.
 * Names in recordings are not trusted: only regular files that look like sources are read. */
#ifndef KYMO_SOURCE_TEXT_H
#define KYMO_SOURCE_TEXT_H

#include "model/sources/source_files.h"

#define SOURCE_BYTES_MAX (UINT64_C(4) << 20)  /* of one file */
#define SOURCES_KEPT_MAX (UINT64_C(64) << 20) /* of all that are kept */
#define SOURCES_FOLDER	 "sources"

enum source_state {
	SOURCE_KEPT,	/* as it was at the end of the run */
	SOURCE_HERE,	/* from this machine; it is older than the run */
	SOURCE_CHANGED, /* it exists, but is younger than the start of the run */
	SOURCE_MISSING,
	SOURCE_UNNAMED, /* "<string>": never was a file */
	SOURCE_FOREIGN, /* not text, or its name is not that of a source */
	SOURCE_LARGE,
	SOURCE_WITHHELD, /* others can have written the run: files that it names are read on request
			    only */
	SOURCE_PRIVATE,	 /* likewise, and the file is not readable by everybody */
};
const char *source_state_word(enum source_state state);

struct source_text {
	enum source_state state;
	char *text; /* NUL-terminated, with SOURCE_KEPT and SOURCE_HERE; else NULL */
	size_t size;
	bool is_younger; /* SOURCE_KEPT: it changed after the start of the run */
};

/* From the folder of one of the run's recordings, else from this machine.  If others can have
 * written the run, its paths may name any file: then nothing is read unless requested, and of this
 * machine only what everybody may read.  KYMO_MEMORY is the only failure. */
enum kymo_status source_text_read(const struct loaded_run *loaded, const struct source_file *file,
				  bool is_requested, struct source_text *out);
void source_text_release(struct source_text *text);

#endif
