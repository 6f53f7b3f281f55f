/* The table of exporters, and the only function that runs one: it opens the sink, writes, closes
 * the sink, so that no exporter handles files. */
#include "export/export.h"

#include <string.h>

#include "command/xalloc.h"
#include "export/export_sink.h"
#include "export/export_source.h"

#define EXPORTER(name) extern const struct exporter name##_exporter;
#include "export/exporters.def"
#undef EXPORTER

#define EXPORTER(name) &name##_exporter,
const struct exporter *const exporter_table[] = {
#include "export/exporters.def"
};
#undef EXPORTER

const size_t exporter_count = sizeof(exporter_table) / sizeof(exporter_table[0]);

const struct exporter *exporter_find(const char *name)
{
	for (size_t i = 0; i < exporter_count; i++) {
		if (strcmp(exporter_table[i]->name, name) == 0)
			return exporter_table[i];
	}
	return NULL;
}

struct export_work { /* one running exporter */
	const struct exporter *exporter;
	const struct run *run;
	const struct export_options *options;
	struct export_sink *sink;
	struct problem *problem;
	enum kymo_status status;
};

static void export_write(void *context)
{
	struct export_work *work = context;
	const struct exporter *exporter = work->exporter;
	struct export_options options = *work->options;
	struct export_source source;

	options.has_lines |= exporter->needs_lines;
	options.has_inlines |= exporter->needs_inlines;
	work->status = export_source_open(&source, work->run, &options,
					  !exporter->has_calls_and_samples, work->problem);
	if (work->status < 0)
		return;
	work->status = exporter->write(&source, &options, work->sink, work->problem);
	export_source_close(&source);
}

enum kymo_status export_run(const struct exporter *exporter, const struct run *run,
			    const struct export_options *options, const char *path,
			    uint64_t *bytes_out, struct problem *problem)
{
	struct export_work work = {exporter, run, options, NULL, problem, KYMO_OK};

	work.status = sink_open(path, exporter->is_binary, &work.sink, problem);
	if (work.status < 0)
		return work.status;
	if (options->most_bytes)
		sink_bound(work.sink, options->most_bytes);
	if (!xalloc_run(export_write, &work) || work.status == KYMO_MEMORY)
		work.status = problem_set(problem, KYMO_MEMORY, "out of memory");
	if (work.status < 0) {
		sink_abandon(work.sink);
		return work.status;
	}
	return sink_close(work.sink, bytes_out, problem);
}
