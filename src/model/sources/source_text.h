/* The texts of source files: kept with the run by --keep-sources, or as they are on this
 * machine now.
 *
 * Kept files lie in the folder "sources" of the run, beside index.json, which is for people and
 * other programs.  Names come from recordings, which may be anybody's: only regular files that
 * look like sources are read. */
#ifndef KYMO_SOURCE_TEXT_H
#define KYMO_SOURCE_TEXT_H

#include "model/sources/source_files.h"

#define SOURCE_BYTES_MAX (UINT64_C(4) << 20)  /* of one file */
#define SOURCES_KEPT_MAX (UINT64_C(64) << 20) /* of all that are kept */
#define SOURCES_FOLDER	 "sources"

enum source_state {
	SOURCE_KEPT,	/* as it was at the end of the run */
	SOURCE_HERE,	/* from this machine; it is older than the run */
	SOURCE_CHANGED, /* it is there, but younger than the run's begin */
	SOURCE_MISSING,
	SOURCE_UNNAMED, /* "<string>": it never was a file */
	SOURCE_FOREIGN, /* no text, or its name is not that of a source */
	SOURCE_LARGE,
	SOURCE_WITHHELD, /* others can have written the run: what it names is read on request */
	SOURCE_PRIVATE,	 /* likewise, and not everybody may read the file */
};
const char *source_state_word(enum source_state state);

struct source_text {
	enum source_state state;
	char *text; /* with SOURCE_KEPT and SOURCE_HERE, closed by a NUL; else NULL */
	size_t size;
	bool is_younger; /* SOURCE_KEPT: it changed after the run had begun */
};

/* From the folder of one of the run's recordings, else from this machine.  Where others can have
 * written the run, its paths name whatever they like: then nothing is read unless it is asked for,
 * and of this machine only what everybody may read.  KYMO_MEMORY is the only failure. */
enum kymo_status source_text_read(const struct loaded_run *loaded, const struct source_file *file,
				  bool is_asked_for, struct source_text *out);
void source_text_release(struct source_text *text);

#endif
