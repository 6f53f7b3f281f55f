/* One output file of a run, within a budget.
 *
 * How many call paths fit is estimated from the size of a document with a few of them, and reduced
 * in steps if the estimate was too high: labels differ in length.  A document that is too large is
 * formatted up to its limit only. */
#include "report/outputs/output_document.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/boundedstream.h"
#include "base/filemode.h"
#include "base/outfile.h"
#include "command/xalloc.h"
#include "model/profile/rows_largest.h"
#include "report/outputs/run_output_name.h"

#define PROBED_ROWS 512

struct document_work { /* a document being written */
	const struct output_writer *writer;
	const struct document *document;
	const void *subject;
	FILE *out;
};

static void document_work(void *context)
{
	const struct document_work *work = context;

	work->document->write(work->writer, work->subject, work->out);
}

/* False when out of memory. */
static bool document_run(const struct output_writer *writer, const struct document *document,
			 const void *subject, FILE *out)
{
	struct document_work work = {writer, document, subject, out};

	return xalloc_run(document_work, &work);
}

uint64_t output_document_bytes(const struct output_writer *writer, const struct document *document,
			       const void *subject)
{
	struct boundedstream counted;
	bool is_whole;

	xneed(boundedstream_open(&counted, NULL, UINT64_MAX));
	is_whole = document_run(writer, document, subject, counted.stream);
	return boundedstream_close(&counted) && is_whole ? counted.bytes : UINT64_MAX;
}

uint64_t output_document_part(const struct output_writer *writer)
{
	uint64_t most = writer->output->most_bytes, used = writer->sum->bytes;

	if (most == UINT64_MAX)
		return most;
	used += writer->reserved_bytes;
	if (used >= most)
		return 0;
	return (most - used) /
	       ((writer->documents ? writer->documents : 1) * (writer->later_rows + 1));
}

/* OUTPUT_PREFIX may name directories that do not exist yet.  Errors are reported when the file is
 * opened. */
static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, filemode_folder());
		*slash = '/';
	}
}

static enum kymo_status write_bounded(const struct output_writer *writer, struct outfile *file,
				      const struct document *document, const void *subject,
				      uint64_t *most_bytes)
{
	struct boundedstream bounded;
	bool is_whole;

	if (!boundedstream_open(&bounded, file->stream, *most_bytes))
		return KYMO_MEMORY;
	is_whole = document_run(writer, document, subject, bounded.stream);
	boundedstream_close(&bounded);
	*most_bytes = bounded.bytes;
	if (!is_whole)
		return KYMO_MEMORY;
	return bounded.is_over ? KYMO_LIMIT : KYMO_OK;
}

static enum kymo_status document_write_path(struct output_writer *writer, const char *path,
					    const struct document *document, const void *subject,
					    uint64_t most_bytes, struct problem *problem)
{
	struct outfile file;
	enum kymo_status status = outfile_open_stream(&file, path, problem);

	if (status < 0)
		return status;
	/* Temporary files are not counted. */
	if (!file.temporary)
		most_bytes = UINT64_MAX;
	status = write_bounded(writer, &file, document, subject, &most_bytes);
	if (status < 0) {
		outfile_discard(&file);
		return problem_set(problem, status, "cannot write '%s': %s", path,
				   status_text(status));
	}
	if (file.temporary)
		writer->sum->bytes += most_bytes;
	return outfile_commit(&file, problem);
}

static enum kymo_status document_fail(const struct output_writer *writer, enum kymo_status status,
				      const struct problem *problem)
{
	writer->output->fail(writer->output->context, problem);
	return status;
}

enum kymo_status output_document_write(struct output_writer *writer, const char *kind,
				       const struct document *document, const void *subject,
				       uint64_t most_bytes)
{
	const struct run_output *output = writer->output;
	char *path = run_output_name(output, writer->owner, kind, document->extension);
	struct problem problem;
	enum kymo_status status;

	make_parents(path);
	status = document_write_path(writer, path, document, subject, most_bytes, &problem);
	if (status != KYMO_LIMIT)
		output->announce(output->context, kind, path);
	if (status == KYMO_OK)
		lines_add(&writer->files.lines, &writer->files.count, "%s %s", kind, path);
	else if (status != KYMO_LIMIT)
		document_fail(writer, status, &problem);
	free(path);
	return status;
}

static bool part_init(struct output_writer *writer, const struct metric_view *view, size_t count,
		      struct metric_view *part)
{
	struct rows *rows;

	if (!writer->order)
		writer->order = rows_order_new(view->rows);
	if (!writer->order || rows_largest_new(view->rows, writer->order, count, &rows) < 0)
		return false;
	*part = *view;
	part->rows = rows;
	return true;
}

static void part_release(struct metric_view *part)
{
	rows_free((struct rows *)part->rows);
}

/* An estimate from the size of the first rows. */
static size_t rows_that_may_fit(struct output_writer *writer, const struct document *document,
				const struct metric_view *view, uint64_t most_bytes)
{
	size_t count = view->rows->count;
	struct metric_view part;
	double bytes, fit;

	if (most_bytes == UINT64_MAX || count <= PROBED_ROWS ||
	    !part_init(writer, view, PROBED_ROWS, &part))
		return count;
	bytes = (double)output_document_bytes(writer, document, &part);
	part_release(&part);
	fit = (double)most_bytes / bytes * PROBED_ROWS;
	return fit < (double)count ? (size_t)fit : count;
}

static enum kymo_status write_count(struct output_writer *writer, const struct document *document,
				    const struct metric_view *view, size_t count,
				    uint64_t most_bytes)
{
	const char *kind = view->info->name;
	struct metric_view part;
	struct problem problem;
	enum kymo_status status;

	if (count == view->rows->count)
		return output_document_write(writer, kind, document, view, most_bytes);
	if (!part_init(writer, view, count, &part)) {
		status = problem_set(&problem, KYMO_MEMORY, "cannot write %s: out of memory", kind);
		return document_fail(writer, status, &problem);
	}
	status = output_document_write(writer, kind, document, &part, most_bytes);
	part_release(&part);
	return status;
}

void output_document_paths(struct output_writer *writer, const struct document *document,
			   const struct metric_view *view)
{
	uint64_t most_bytes = output_document_part(writer);
	size_t count = rows_that_may_fit(writer, document, view, most_bytes);
	enum kymo_status status = write_count(writer, document, view, count, most_bytes);

	while (status == KYMO_LIMIT && count > 0) {
		count -= count / 4 + 1;
		status = write_count(writer, document, view, count, most_bytes);
	}
	writer->sum->is_part |= status == KYMO_LIMIT || count < view->rows->count;
	if (writer->documents)
		writer->documents--;
}

void output_document_try(const struct output_writer *writer, const char *what,
			 void (*work)(void *context), void *context)
{
	struct problem problem;

	if (xalloc_run(work, context))
		return;
	problem_set(&problem, KYMO_MEMORY, "cannot write %s: out of memory", what);
	writer->output->fail(writer->output->context, &problem);
}
