/* Text that is open for writing, by its protection or through the process's own memory.
 *
 * Text is never writable and executable at once.  The caller ensures that no thread runs in the
 * changed bytes.  If no other thread runs at all, the text is made writable instead of executable
 * until it is closed, which is faster for many writes.  Otherwise writes go through /proc/self/mem
 * (codememory.h), buffered page by page, and are complete when the text is closed.  If one
 * way is unavailable the other is used; then no thread may run anywhere in the module, as in a
 * process that is stopped or has not started.  While text is open only system calls are made.
 * Context: any. */
#ifndef KYMO_CODEPAGES_H
#define KYMO_CODEPAGES_H

#include <stdbool.h>
#include <stdint.h>

#define TEXTS_MAX  64u /* mappings of one module's text */
#define TEXTS_PAGE 4096u

struct texts_pages; /* buffered writes, page by page */

struct texts_mapping { /* the part of a mapping that is in the text */
	uint64_t start, end;
	int protection; /* PROT_*; without PROT_EXEC where it is shared */
};

struct texts { /* mappings to be written, as they were */
	uint64_t start, end;
	struct texts_mapping mapping[TEXTS_MAX];
	unsigned count;
	bool is_too_many;
	/* While it is open: */
	struct texts_pages *pages; /* NULL = the text is writable */
	long memory;		   /* descriptor of /proc/self/mem, if there are pages */
	uint64_t signals;	   /* signals that were blocked before, if the text is writable */
	int error;		   /* of the first write that failed */
};

/* The mappings of size bytes at an address.  What is not executable is not touched, nor what is
 * shared with others.  0 or an errno value. */
int texts_find_at(uint64_t address, uint64_t size, struct texts *texts);

/* The size bytes at a process address are in one of these mappings. */
bool texts_are_code(const struct texts *texts, uint64_t address, uint64_t size);

/* is_alone: the process has no other thread.  0 or an errno value: text may not be changed, and
 * nothing is to be closed. */
int texts_open(struct texts *texts, bool is_alone);
/* At most 8 bytes of code. */
void texts_put(struct texts *texts, uint64_t at, uint64_t bytes, unsigned size);
/* 0 or an errno value: a write failed. */
int texts_close(struct texts *texts);

#endif
