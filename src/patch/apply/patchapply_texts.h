/* The text of a module, function by function: the steps of patchapply_write(), for callers that
 * change text that runs already.  Find, open (patchapply_pages.h), write, close.  In between only
 * the kernel is called.  Context: any. */
#ifndef KYMO_PATCHAPPLY_TEXTS_H
#define KYMO_PATCHAPPLY_TEXTS_H

#include "patch/apply/patchapplied.h"
#include "patch/apply/patchapply_pages.h"

/* The mappings that hold code.  What is not executable is not touched, whatever a plan says, nor
 * what is shared with others.  0 or an errno value. */
int texts_find(const struct patch_applied *applied, struct texts *texts);
int texts_find_at(uint64_t address, uint64_t size, struct texts *texts);

/* They hold size bytes of code at an address of the process. */
bool texts_are_code(const struct texts *texts, uint64_t address, uint64_t size);

/* What is to be written of the function, or was, is code there: it may have been unloaded since. */
bool texts_are_there(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function);
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
