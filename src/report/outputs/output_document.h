/* Writes one output file of a run within the budget of all of them together.
 *
 * A budget is bytes, and how many documents are still to be written: each has an equal part of the
 * rest, and what it does not need is left for the others.  A table of call paths that is larger
 * than its part contains the largest ones that fit.  Private to report/run_output.  One thread. */
#ifndef KYMO_OUTPUT_DOCUMENT_H
#define KYMO_OUTPUT_DOCUMENT_H

#include "model/profile/metric_view.h"
#include "report/outputs/run_output_types.h"

/* Which metrics of the rows are written: those of individual calls, time and count, or those that
 * only call paths have. */
enum output_metrics { OUTPUT_ALL_METRICS, OUTPUT_OF_CALLS, OUTPUT_OF_PATHS };

struct output_writer {
	const struct run_output *output;
	struct output_file_list files;
	const struct calltree *owner; /* the files are named by its process id */
	const struct rows *rows;
	enum output_metrics metrics;
	uint32_t *order;	 /* of the rows, made lazily; see rows_order_new() */
	uint64_t reserved_bytes; /* of the budget, for the last files */
	uint64_t metadata_bytes; /* a part of it */
	size_t documents;	 /* of these rows, still to be written */
	size_t later_rows;	 /* as many rows will be written again so many times */
	struct output_sum *sum;
};

struct document { /* how to write one file; a work of command/xalloc.h */
	const char *extension;
	void (*write)(const struct output_writer *writer, const void *subject, FILE *out);
};

/* Size of a document: UINT64_MAX if it cannot be determined. */
uint64_t output_document_bytes(const struct output_writer *writer, const struct document *document,
			       const void *subject);

/* Maximum size of the next document. */
uint64_t output_document_part(const struct output_writer *writer);

/* Write one file of most_bytes at most.  KYMO_LIMIT if it would be larger: it is not written then.
 * Other errors have been reported. */
enum kymo_status output_document_write(struct output_writer *writer, const char *kind,
				       const struct document *document, const void *subject,
				       uint64_t most_bytes);

/* A document of a metric's call paths: all, or the largest that fit. */
void output_document_paths(struct output_writer *writer, const struct document *document,
			   const struct metric_view *view);

/* Work of command/xalloc.h.  Reports lack of memory, "cannot write <what>"; the following documents
 * are written anyway. */
void output_document_try(const struct output_writer *writer, const char *what,
			 void (*work)(void *context), void *context);

#endif
