/* Text that is open for writing, by its protection or through the process's own memory.
 *
 * Text is never writable and executable at once.  The caller ensures that no thread runs in the
 * changed bytes.  If no other thread runs at all, the text is made writable instead of executable
 * until it is closed, which is faster for many writes.  Otherwise writes go through /proc/self/mem
 * (patchapply_memory.h), gathered page by page, and are complete when the text is closed.  If one
 * way is unavailable the other is used; then no thread may run anywhere in the module, as in a
 * process that is stopped or has not begun.  In between only the kernel is called.  Context: any.
 */
#ifndef KYMO_PATCHAPPLY_PAGES_H
#define KYMO_PATCHAPPLY_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#define TEXTS_MAX  64u /* mappings of one module's text */
#define TEXTS_PAGE 4096u

struct texts_pages; /* what is to be written, page by page */

struct texts_mapping { /* the part of one that is in the text */
	uint64_t start, end;
	int protection; /* PROT_*; without PROT_EXEC where it is shared */
};

struct texts { /* mappings that are written to, as they were */
	uint64_t start, end;
	struct texts_mapping mapping[TEXTS_MAX];
	unsigned count;
	bool is_too_many;
	/* While it is open: */
	struct texts_pages *pages; /* NULL = it is writable */
	long memory;		   /* the process's own, where there are pages */
	uint64_t signals;	   /* those blocked before, where it is writable */
	int error;		   /* the first thing that could not be written */
};

/* is_alone: nobody else runs in this process.  0 or an errno value: it may not be changed, and
 * nothing is to be closed. */
int texts_open(struct texts *texts, bool is_alone);
/* At most 8 bytes of code. */
void texts_put(struct texts *texts, uint64_t at, uint64_t bytes, unsigned size);
/* 0 or an errno value: something could not be written. */
int texts_close(struct texts *texts);

#endif
