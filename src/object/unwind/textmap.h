/* Which module contains an address, and where that module's unwind tables are: for readers in
 * signal handlers, on any thread, while another thread reads the modules again.
 *
 * A description, once returned, is never freed, changed or reused.  It may be outdated: libraries
 * are unloaded, and others are loaded at the same address.  Call textmap_current() before a
 * module's memory is read. */
#ifndef KYMO_TEXTMAP_H
#define KYMO_TEXTMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "object/unwind/cfi.h"

#define TEXTMAP_TEXTS_MAX 4u /* executable segments; nearly all modules have one */

struct textmap_text {
	uint64_t start, end;
};

struct textmap_module {
	uint64_t start, end;	       /* all its segments */
	uint64_t text_start, text_end; /* executable segments, and everything between them */
	/* Each of them that is also readable: there may be gaps between them. */
	struct textmap_text texts[TEXTMAP_TEXTS_MAX];
	unsigned text_count;
	struct cfi_section section; /* frames = NULL: it has no tables */
	uint64_t build_id;	    /* address in memory; 0 = there is none */
	uint64_t build_id_size;
	uint64_t fingerprint; /* of the build id, and of the beginning of the tables */
	bool is_late;	      /* loaded after the start: it may be unloaded */
};

/* The module that covers address, as of the last reading; NULL = none.  Context: any. */
const struct textmap_module *textmap_find(uint64_t address);

/* The same, as of now: the modules are read again if they are outdated, unless that cannot help or
 * was just done.  NULL = none, or not known now.  Context: any. */
const struct textmap_module *textmap_current(uint64_t address);

/* A module that the loader reports and that was not read so far, described from its memory: until
 * it is read.  False: there is none, or the loader does not report it.  Context: any. */
bool textmap_from_loader(uint64_t address, struct textmap_module *out);

/* True when address was in executable memory, a module's or not, as of the last reading.  Context:
 * any. */
bool textmap_is_code(uint64_t address);

/* Read the modules.  Context: init the first time, then any. */
void textmap_learn(void);

#endif
