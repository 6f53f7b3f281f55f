/* functions.json and metadata.json: written last, with a reserved part of the budget. */
#include "report/outputs/output_descriptions.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/listitem.h"
#include "command/xalloc.h"
#include "config/settings.h"
#include "model/profile/loaded_run.h"
#include "report/outputs/function_list.h"
#include "report/outputs/metadata.h"
#include "report/outputs/output_metrics.h"

#define FILE_NAME_BYTES 128 /* in metadata.json, for each file in addition to its folder */

static void write_functions(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)writer;
	functions_write(subject, out);
}

static void write_metadata(const struct output_writer *writer, const void *subject, FILE *out)
{
	(void)subject;
	metadata_write(writer->output, &writer->files, out);
}

static const struct document functions_document = {"json", write_functions};
static const struct document metadata_document = {"json", write_metadata};

/* Functions with the least self time are left out. */
static void write_functions_that_fit(void *context)
{
	struct output_writer *writer = context;
	const struct loaded_run *loaded = writer->output->loaded;
	struct region_union *regions;
	struct function_list list;
	enum kymo_status status;
	size_t count;

	xneed(region_union_new(loaded->trees, loaded->tree_count, &regions) == KYMO_OK);
	count = regions->count;
	function_list_init(&list, regions);
	for (;;) {
		uint64_t part = output_document_part(writer);

		status = output_document_write(writer, "functions", &functions_document, &list,
					       part);
		if (status != KYMO_LIMIT || count == 0)
			break;
		writer->sum->is_part = true;
		count -= count / 4 + 1;
		function_list_keep(&list, loaded->trees, loaded->tree_count, count);
	}
	region_union_free(regions);
}

void output_descriptions_write(struct output_writer *writer)
{
	writer->owner = writer->output->loaded->trees[0];
	writer->documents = 1;
	writer->later_rows = 0;
	writer->reserved_bytes = writer->metadata_bytes;
	output_document_try(writer, "functions", write_functions_that_fit, writer);
	writer->reserved_bytes = 0;
	if (output_document_write(writer, "metadata", &metadata_document, NULL,
				  output_document_part(writer)) == KYMO_LIMIT)
		writer->sum->is_part = true;
}

/* metadata.json lists the files, which are not known yet. */
static uint64_t metadata_most_bytes(const struct output_writer *writer)
{
	const struct settings *settings = writer->output->settings;
	const char *rest = settings_text(settings, SET_TIMEMORY_COMPONENTS), *item;
	uint64_t bytes = output_document_bytes(writer, &metadata_document, NULL);
	size_t files = 1, length;

	while (listitem_next(&rest, &item, &length))
		files += output_metric_documents(settings);
	files *= writer->later_rows;
	return bytes + files * (FILE_NAME_BYTES + strlen(writer->output->directory));
}

/* The descriptions of a run are small, except the list of its functions. */
void output_descriptions_reserve(struct output_writer *writer)
{
	const struct loaded_run *loaded = writer->output->loaded;
	uint64_t most = writer->output->most_bytes, functions = 0;
	struct function_list list;
	struct region_union *regions;

	if (most == UINT64_MAX || region_union_new(loaded->trees, loaded->tree_count, &regions) < 0)
		return;
	function_list_init(&list, regions);
	functions = output_document_bytes(writer, &functions_document, &list);
	region_union_free(regions);
	writer->metadata_bytes = metadata_most_bytes(writer);
	writer->reserved_bytes =
		writer->metadata_bytes + (functions < most / 4 ? functions : most / 4);
}
