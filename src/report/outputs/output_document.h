/* Writing one output file of a run within what all of them together may take.
 *
 * A budget is bytes, and how many documents are still to be written: each has an equal part of
 * what is left, and what it does not need is the others'.  A table of call paths that is larger
 * than its part holds the largest ones that fit.  Private to report/run_output.  One thread. */
#ifndef KYMO_OUTPUT_DOCUMENT_H
#define KYMO_OUTPUT_DOCUMENT_H

#include "model/profile/metric_view.h"
#include "report/outputs/run_output_types.h"

/* Which metrics are written of the rows: those that calls have by themselves, the time and the
 * count, or those that only call paths keep. */
enum output_metrics { OUTPUT_ALL_METRICS, OUTPUT_OF_CALLS, OUTPUT_OF_PATHS };

struct output_writer {
	const struct run_output *output;
	struct output_file_list files;
	const struct calltree *owner; /* whose process id names the files */
	const struct rows *rows;
	enum output_metrics metrics;
	uint32_t *order;	 /* of the rows, once it is needed; see rows_order_new() */
	uint64_t reserved_bytes; /* of the budget, for what is written last */
	uint64_t metadata_bytes; /* a part of it */
	size_t documents;	 /* of these rows, still to be written */
	size_t later_rows;	 /* so many times others will be written that have as many */
	struct output_sum *sum;
};

struct document { /* a way to write one file; a work of command/xalloc.h */
	const char *extension;
	void (*write)(const struct output_writer *writer, const void *subject, FILE *out);
};

/* Bytes of a document as it is: UINT64_MAX when they cannot be known. */
uint64_t output_document_bytes(const struct output_writer *writer, const struct document *document,
			       const void *subject);

/* Bytes that the next document may have. */
uint64_t output_document_part(const struct output_writer *writer);

/* One file, most_bytes at most.  KYMO_LIMIT when it would be larger: it is not written then.
 * Everything else that fails has been said. */
enum kymo_status output_document_write(struct output_writer *writer, const char *kind,
				       const struct document *document, const void *subject,
				       uint64_t most_bytes);

/* A document of a metric's call paths: all, or the largest that fit. */
void output_document_paths(struct output_writer *writer, const struct document *document,
			   const struct metric_view *view);

/* Work of command/xalloc.h.  Lack of memory is said, "cannot write <what>"; what comes next is
 * written all the same. */
void output_document_try(const struct output_writer *writer, const char *what,
			 void (*work)(void *context), void *context);

#endif
