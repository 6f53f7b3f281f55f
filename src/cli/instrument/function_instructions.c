/* Instructions as text, decoded from each function's first byte on. */
#include "cli/instrument/function_instructions.h"

#include <stdlib.h>

#include "patch/analyse/file/patchmodule.h"
#include "patch/decode/patchtext.h"

static bool has_one(const struct patch_module *module, const struct plan_function *function,
		    const struct function_rules *rules)
{
	const unsigned char *code = patchmodule_at(module, function->address, function->size);
	char text[PATCHTEXT_SIZE];

	for (uint64_t at = 0; code && at < function->size;) {
		size_t length = patchtext(code + at, (size_t)(function->size - at),
					  function->address + at, text);

		if (length == 0)
			break;
		if (function_rules_is_instruction(rules, text))
			return true;
		at += length;
	}
	return false;
}

enum kymo_status function_instructions_find(const char *path, const struct plan *plan,
					    const struct function_rules *rules, bool **has_out,
					    struct problem *problem)
{
	struct patch_module *module = NULL;
	enum kymo_status status = patchmodule_open(path, &module, problem);
	bool *has;

	if (status < 0)
		return status;
	has = calloc((size_t)plan->header->function_count + 1, sizeof(*has));
	if (has) {
		for (size_t i = 0; i < plan->header->function_count; i++)
			has[i] = has_one(module, &plan->functions[i], rules);
		*has_out = has;
	} else {
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	patchmodule_close(module);
	return status;
}
