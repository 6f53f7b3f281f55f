/* The decision on a function, the reason, and words for these and for properties of a function.
 * Texts are constants.  Any thread. */
#ifndef KYMO_FUNCTION_VERDICT_H
#define KYMO_FUNCTION_VERDICT_H

#include <stdbool.h>

#include "patch/plan/plan.h"

/* In the order in which they are decided: the first that holds. */
enum function_verdict {
	FUNCTION_CANNOT,	/* it cannot be instrumented: the plan's reason */
	FUNCTION_FILE_EXCLUDED, /* its file matches an expression that excludes files */
	FUNCTION_FILE_LEFT,	/* its file matches none of those that restrict to files */
	FUNCTION_FILE_INTERNAL, /* its file is the C library, or another that is always excluded */
	FUNCTION_FILE_UNASKED,	/* it is in a library, and libraries are not included */
	FUNCTION_EXCLUDED,
	FUNCTION_CALL_THROUGH, /* it needs a call-through, and these are disabled */
	FUNCTION_LEFT,	       /* matches none of the expressions that restrict to functions */
	FUNCTION_INCLUDED,     /* taken, because it matches one that includes */
	FUNCTION_CALLS,	       /* taken, because it calls a function that a rule names */
	FUNCTION_FILTERED,     /* by the filter file */
	FUNCTION_LINKAGE,
	FUNCTION_VISIBILITY,
	FUNCTION_SMALL_BYTES,
	FUNCTION_SMALL_INSTRUCTIONS,
	FUNCTION_INSTRUCTION, /* it has one that is excluded */
	FUNCTION_TAKEN,	      /* taken: it passes all filters */
	FUNCTION_VERDICTS
};

/* Whether the function is instrumented. */
bool function_verdict_takes(enum function_verdict verdict);
/* "smaller than the least number of bytes"; reason is that of the plan. */
const char *function_verdict_text(enum function_verdict verdict, enum plan_reason reason);
/* A stable word for reports: "min-bytes". */
const char *function_verdict_word(enum function_verdict verdict);

/* "global", "weak", "local", or "unknown" for what has no symbol; "default" … likewise. */
const char *function_linkage(const struct plan_function *function);
const char *function_visibility(const struct plan_function *function);

#endif
