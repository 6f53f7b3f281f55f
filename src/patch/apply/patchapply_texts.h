/* Writing to a module's text, function by function: the steps of patchapply_write(), for callers
 * that change text that runs already.
 *
 * Find, open, write, close; in between only the kernel is called.  Text is never writable and
 * executable at once.  The caller ensures that no thread runs in the changed bytes.  If no other
 * thread runs at all, the text is made writable instead of executable until it is closed, which is
 * faster for many writes.  Otherwise writes go through /proc/self/mem (patchapply_memory.h),
 * gathered page by page, and are complete when the text is closed.  If one way is unavailable the
 * other is used; then no thread may run anywhere in the module, as in a process that is stopped or
 * has not begun.  Context: any. */
#ifndef KYMO_PATCHAPPLY_TEXTS_H
#define KYMO_PATCHAPPLY_TEXTS_H

#include "patch/apply/patchapply.h"

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

/* The mappings that hold code.  What is not executable is not touched, whatever a plan says, nor
 * what is shared with others.  0 or an errno value. */
int texts_find(const struct patch_applied *applied, struct texts *texts);
int texts_find_at(uint64_t address, uint64_t size, struct texts *texts);
/* is_alone: nobody else runs in this process.  0 or an errno value: it may not be changed, and
 * nothing is to be closed. */
int texts_open(struct texts *texts, bool is_alone);
/* At most 8 bytes of code. */
void texts_put(struct texts *texts, uint64_t at, uint64_t bytes, unsigned size);
/* 0 or an errno value: something could not be written. */
int texts_close(struct texts *texts);

/* They hold size bytes of code at an address of the process. */
bool texts_are_code(const struct texts *texts, uint64_t address, uint64_t size);

/* Function index is looked at next: ask for the text of one that comes later. */
void texts_expect(const struct patch_applied *applied, uint64_t index);
/* All of the function's bytes are as the plan found them, and in code. */
bool texts_can_write(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function);
void texts_write(const struct patch_applied *applied, struct texts *texts,
		 const struct plan_function *function);
/* All of them are as the plan wrote them. */
bool texts_are_written(const struct patch_applied *applied, const struct plan_function *function);
void texts_take_back(const struct patch_applied *applied, struct texts *texts,
		     const struct plan_function *function);

#endif
