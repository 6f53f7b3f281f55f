/* The table of importers, and the choice of one for a file: by content, since names (".out",
 * ".json", ".txt") are not specific. */
#include "import/import.h"

#include "import/json_events.h"

#include <string.h>

#define IMPORTER(name) extern const struct importer name##_importer;
#include "import/importers.def"
#undef IMPORTER

const struct importer *const importer_table[] = {
#define IMPORTER(name) &name##_importer,
#include "import/importers.def"
#undef IMPORTER
};
const size_t importer_count = sizeof(importer_table) / sizeof(*importer_table);

const struct importer *importer_find(const char *name)
{
	for (size_t i = 0; i < importer_count; i++) {
		if (strcmp(importer_table[i]->name, name) == 0)
			return importer_table[i];
	}
	return NULL;
}

const struct importer *importer_detect(const struct import_source *source)
{
	size_t size = source->size < IMPORT_HEAD_MAX ? source->size : IMPORT_HEAD_MAX;

	for (size_t i = 0; i < importer_count; i++) {
		if (importer_table[i]->detect(source->data, size))
			return importer_table[i];
	}
	return NULL;
}

/* Files that users may try to import, and what to do with them. */
static const struct stranger {
	const char *magic, *what;
} stranger_table[] = {
	{"KYMO\r\n", "a recording of Kymo already; 'kymo report' and the others read it as it is"},
	{"PERFILE2", "the data of perf itself; import what 'perf script' prints of it"},
};

static enum kymo_status fail_unknown(const struct import_source *source, struct problem *problem)
{
	if (source->size == 0)
		return problem_set(problem, KYMO_FORMAT, "'%s' is empty", source->title);
	for (size_t i = 0; i < sizeof(stranger_table) / sizeof(*stranger_table); i++) {
		const struct stranger *stranger = &stranger_table[i];

		if (source->size >= strlen(stranger->magic) &&
		    memcmp(source->data, stranger->magic, strlen(stranger->magic)) == 0)
			return problem_set(problem, KYMO_FORMAT, "'%s' is %s", source->title,
					   stranger->what);
	}
	return problem_set(problem, KYMO_FORMAT,
			   "'%s' is in no format that can be imported; --list-formats shows "
			   "them, --format reads it as one anyway",
			   source->title);
}

enum kymo_status import_read(const struct importer *importer, const struct import_source *source,
			     struct imported *imported, struct problem *problem)
{
	enum kymo_status status;

	if (!importer)
		importer = importer_detect(source);
	if (!importer)
		return fail_unknown(source, problem);
	if (importer->is_json && json_events_missing)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "'%s' is in the format %s, which this build cannot read: it was "
				   "built without %s",
				   source->title, importer->name, json_events_missing);
	imported->importer = importer->name;
	imported->noun = importer->noun;
	status = importer->read(source, imported, problem);
	if (status == KYMO_OK && imported->process_count > IMPORT_PROCESSES_MAX)
		return source_fail(source, importer->noun, problem, "it has more than %u processes",
				   IMPORT_PROCESSES_MAX);
	if (status == KYMO_OK && imported->thread_count > IMPORT_THREADS_MAX)
		return source_fail(source, importer->noun, problem, "it has more than %u threads",
				   IMPORT_THREADS_MAX);
	if (imported->is_out_of_memory)
		return problem_set(problem, KYMO_MEMORY, "no memory for what '%s' holds",
				   source->title);
	if (status == KYMO_OK && imported->process_count == 0)
		return problem_set(problem, KYMO_FORMAT, "'%s' holds no measurements",
				   source->title);
	return status;
}
