/* Importers: other tools' files as runs of Kymo.
 *
 * Each format is one file, import_<name>.c, and one line in importers.def.  An importer reads bytes
 * and fills a struct imported; it neither opens files nor writes recordings. Input is not trusted:
 * each length is checked, memory is bounded by the input's size. One thread per call; no global
 * state. */
#ifndef KYMO_IMPORT_H
#define KYMO_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "import/import_source.h"
#include "import/imported.h"

struct importer {
	const char *name;	 /* as on the command line: "pstats" */
	const char *noun;	 /* "profile of cProfile": "'x' is no <noun> that can be read" */
	const char *description; /* one line: which tools write it and what it becomes */
	bool is_json;		 /* does not work if json_events_missing is set */
	/* Whether a file that begins with head may have this format.  size: at most
	 * IMPORT_HEAD_MAX. */
	bool (*detect)(const char *head, size_t size);
	/* Fill imported.  On failure problem has the line, by source_fail(). */
	enum kymo_status (*read)(const struct import_source *source, struct imported *imported,
				 struct problem *problem);
};

#define IMPORT_HEAD_MAX 65536u

/* Every importer, in the order in which they are tried. */
extern const struct importer *const importer_table[];
extern const size_t importer_count;

/* NULL if there is no such format. */
const struct importer *importer_find(const char *name);
/* The importer for the source's content; NULL if there is none. */
const struct importer *importer_detect(const struct import_source *source);

/* Read with the importer, or if it is NULL with that for the content. */
enum kymo_status import_read(const struct importer *importer, const struct import_source *source,
			     struct imported *imported, struct problem *problem);

#endif
