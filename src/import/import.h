/* Importers: other tools' files as runs of Kymo.
 *
 * Each format is one file, import_<name>.c, and one line in importers.def.  An importer
 * reads bytes and fills a struct imported; it never opens files nor writes recordings.
 * The bytes come from anywhere: each length is checked, memory is bounded by their number.
 * One thread per call; no global state. */
#ifndef KYMO_IMPORT_H
#define KYMO_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "import/import_source.h"
#include "import/imported.h"

struct importer {
	const char *name;	 /* as on the command line: "pstats" */
	const char *noun;	 /* "profile of cProfile": "'x' is no <noun> that can be read" */
	const char *description; /* one line: what writes it and what becomes of it */
	bool is_json;		 /* needs what json_events_missing tells */
	/* Does a file that begins so look like this format?  size: at most IMPORT_HEAD_MAX. */
	bool (*detect)(const char *head, size_t size);
	/* Fill imported.  On failure problem has the line, by source_fail(). */
	enum kymo_status (*read)(const struct import_source *source, struct imported *imported,
				 struct problem *problem);
};

#define IMPORT_HEAD_MAX 65536u

/* Every importer, in the order in which they are asked what a file is. */
extern const struct importer *const importer_table[];
extern const size_t importer_count;

/* NULL when there is no such format. */
const struct importer *importer_find(const char *name);
/* That of the source's content; NULL when it looks like none. */
const struct importer *importer_detect(const struct import_source *source);

/* Read with the importer, which may be NULL: by content. */
enum kymo_status import_read(const struct importer *importer, const struct import_source *source,
			     struct imported *imported, struct problem *problem);

#endif
