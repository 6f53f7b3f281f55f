/* The text of a module, function by function: the steps of patchapply_write(), for callers that
 * change running text.  Find, open (codepages.h), write, close.  In between only system
 * calls are made.  Context: any. */
#ifndef KYMO_PATCHAPPLY_TEXTS_H
#define KYMO_PATCHAPPLY_TEXTS_H

#include "patch/apply/patchapplied.h"
#include "platform/code/codepages.h"

/* Find the mappings of code.  Mappings that are not executable, or that are shared, are never
 * written.  0 or an errno value. */
int texts_find(const struct patch_applied *applied, struct texts *texts);

/* The places of the function's writes are in mapped code: it may have been unloaded since. */
bool texts_are_there(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function);
/* Function index is next: prefetch the text of a later one. */
void texts_expect(const struct patch_applied *applied, uint64_t index);
/* All of the function's bytes are as the plan expects, and in code. */
bool texts_can_write(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function);
void texts_write(const struct patch_applied *applied, struct texts *texts,
		 const struct plan_function *function);
/* All of them are as the plan writes them. */
bool texts_are_written(const struct patch_applied *applied, const struct plan_function *function);
void texts_restore(const struct patch_applied *applied, struct texts *texts,
		   const struct plan_function *function);

#endif
