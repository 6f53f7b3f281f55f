/* Texts for verdicts, and for properties of functions. */
#include "cli/instrument/function_verdict.h"

#include "patch/read/planreadreason.h"

const char *function_linkage(const struct plan_function *function)
{
	if (!(function->flags & PLAN_FUNCTION_NAMED))
		return "unknown";
	if (function->flags & PLAN_FUNCTION_WEAK)
		return "weak";
	return function->flags & PLAN_FUNCTION_GLOBAL ? "global" : "local";
}

const char *function_visibility(const struct plan_function *function)
{
	if (!(function->flags & PLAN_FUNCTION_NAMED))
		return "unknown";
	if (function->flags & PLAN_FUNCTION_HIDDEN)
		return "hidden";
	return function->flags & PLAN_FUNCTION_PROTECTED ? "protected" : "default";
}

static const struct {
	const char *word, *text;
} verdicts[FUNCTION_VERDICTS] = {
	[FUNCTION_CANNOT] = {"not-instrumentable", NULL},
	[FUNCTION_FILE_EXCLUDED] = {"module-exclude", "its file is excluded"},
	[FUNCTION_FILE_LEFT] = {"module-restrict", "its file is not selected"},
	[FUNCTION_FILE_INTERNAL] = {"module-internal",
				    "its file belongs to the C library, a compiler or Kymo"},
	[FUNCTION_FILE_UNASKED] = {"module-unasked", "only the program's own file is selected"},
	[FUNCTION_EXCLUDED] = {"function-exclude", "excluded by name"},
	[FUNCTION_CALL_THROUGH] = {"no-calls", "its body would have to be called"},
	[FUNCTION_LEFT] = {"function-restrict", "not selected by name"},
	[FUNCTION_INCLUDED] = {"function-include", "included by name"},
	[FUNCTION_CALLS] = {"caller-include", "included for what it calls"},
	[FUNCTION_FILTERED] = {"filter-file", "excluded by the filter file"},
	[FUNCTION_LINKAGE] = {"linkage", "not of the selected linkage"},
	[FUNCTION_VISIBILITY] = {"visibility", "not of the selected visibility"},
	[FUNCTION_SMALL_BYTES] = {"min-address-range", "fewer bytes than the minimum"},
	[FUNCTION_SMALL_INSTRUCTIONS] = {"min-instructions", "fewer instructions than the minimum"},
	[FUNCTION_INSTRUCTION] = {"instruction-exclude", "it has an excluded instruction"},
	[FUNCTION_TAKEN] = {"taken", "it passes all filters"},
};

bool function_verdict_takes(enum function_verdict verdict)
{
	return verdict == FUNCTION_TAKEN || verdict == FUNCTION_INCLUDED ||
	       verdict == FUNCTION_CALLS;
}

const char *function_verdict_word(enum function_verdict verdict)
{
	return verdicts[verdict].word;
}

const char *function_verdict_text(enum function_verdict verdict, enum plan_reason reason)
{
	return verdict == FUNCTION_CANNOT ? plan_reason_text(reason) : verdicts[verdict].text;
}
