/* A module's text while it is written to, function by function: what patchapply_write() is made
 * of, for those who change text that runs already.
 *
 * Open, write, close; in between nothing is called but the kernel.  Who writes what others may
 * run just then sees to it that they stand still, and not in the midst of it.  Context: any. */
#ifndef KYMO_PATCHAPPLY_TEXTS_H
#define KYMO_PATCHAPPLY_TEXTS_H

#include "patch/patchapply.h"
#include "patch/patchapply_space.h"

#define TEXTS_MAX 64u /* mappings of one module's text */

struct texts { /* mappings that are written to, as they were */
	uint64_t start, end;
	struct space_mapping mapping[TEXTS_MAX];
	unsigned count;
	bool is_too_many;
};

/* The mappings that hold code.  What is not executable is not touched, whatever a plan says.
 * 0 or an errno value. */
int texts_find(const struct patch_applied *applied, struct texts *texts);
/* Writable without ceasing to be executable; and: as they were.  0 or an errno value. */
int texts_open(const struct texts *texts);
void texts_close(const struct texts *texts);

/* They hold size bytes of code at an address of the process. */
bool texts_are_code(const struct texts *texts, uint64_t address, uint64_t size);

/* Function index is looked at next: ask for the text of one that comes later. */
void texts_expect(const struct patch_applied *applied, uint64_t index);
/* All of the function's bytes are as the plan found them, and in code. */
bool texts_can_write(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function);
void texts_write(const struct patch_applied *applied, const struct plan_function *function);
/* All of them are as the plan wrote them. */
bool texts_are_written(const struct patch_applied *applied, const struct plan_function *function);
void texts_take_back(const struct patch_applied *applied, const struct plan_function *function);

#endif
