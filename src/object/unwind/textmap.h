/* Which module an address lies in, and where that module's unwind tables are: for readers in
 * signal handlers, on any thread, while another thread reads the modules anew.
 *
 * What was handed out once is never freed, changed or used for something else.  Whether it is
 * still true is another matter: libraries are unloaded, and others come to the same place.
 * textmap_current() is asked before a module's memory is read. */
#ifndef KYMO_TEXTMAP_H
#define KYMO_TEXTMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "object/unwind/cfi.h"

#define TEXTMAP_TEXTS_MAX 4u /* segments of code; nearly all modules have one */

struct textmap_text {
	uint64_t start, end;
};

struct textmap_module {
	uint64_t start, end;	       /* all its segments */
	uint64_t text_start, text_end; /* those that may be executed, and what lies between */
	/* Each of them that may be read, too: between them there may be nothing. */
	struct textmap_text texts[TEXTMAP_TEXTS_MAX];
	unsigned text_count;
	struct cfi_section section; /* frames = NULL: it has no tables */
	uint64_t build_id;	    /* where it is in memory; 0 = there is none */
	uint64_t build_id_size;
	uint64_t fingerprint; /* of the build id, and of what the tables begin with */
	bool is_late;	      /* not there from the start: it may be unloaded */
};

/* The module that covers address, as they were read last; NULL = none.  Context: any. */
const struct textmap_module *textmap_find(uint64_t address);

/* The same, as it is now: the modules are read again where that was not so, if that can be
 * of use and was not just done.  NULL = none, or not known now.  Context: any. */
const struct textmap_module *textmap_current(uint64_t address);

/* A module that the loader has and that was not read so far, as far as its memory tells of it:
 * for the time until it is read.  False: there is none, or the loader does not say.
 * Context: any. */
bool textmap_told(uint64_t address, struct textmap_module *out);

/* True when address was in memory that may be executed, a module's or not, when that was
 * read last.  Context: any. */
bool textmap_is_code(uint64_t address);

/* Read the modules.  Context: init the first time, then any. */
void textmap_learn(void);

#endif
