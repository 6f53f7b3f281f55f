/* The table of exporters, and the one way to run one: open the sink, write, close the
 * sink, so that no exporter deals with files. */
#include "export/export.h"

#include <string.h>

#include "export/export_sink.h"

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

enum kymo_status export_run(const struct exporter *exporter, const struct run *run,
			    const struct export_options *options, const char *path,
			    uint64_t *bytes_out, struct problem *problem)
{
	struct export_sink *sink;
	enum kymo_status status = sink_open(path, exporter->is_binary, &sink, problem);

	if (status < 0)
		return status;
	if (options->most_bytes)
		sink_bound(sink, options->most_bytes);
	status = exporter->write(run, options, sink, problem);
	if (status < 0) {
		sink_abandon(sink);
		return status;
	}
	return sink_close(sink, bytes_out, problem);
}
