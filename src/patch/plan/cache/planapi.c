/* From a library to the plan of its exported functions. */
#include "patch/plan/cache/planapi.h"

#include <limits.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "patch/analyse/patchdecide.h"
#include "patch/analyse/patchfunctions.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchtargets.h"
#include "patch/plan/cache/plancache.h"
#include "patch/plan/planmake.h"
#include "patch/read/planread_api.h"
#include "patch/read/planreadpath.h"

struct wanted {
	regex_t pattern;
	bool has_pattern;
};

static bool wants(const struct patch_function *function, void *context)
{
	const struct wanted *wanted = context;

	if (strncmp(function->name, "__libc_start_", 13) == 0)
		return false; /* the program is static: all of it would be included */
	return !wanted->has_pattern || regexec(&wanted->pattern, function->name, 0, NULL, 0) == 0;
}

/* Functions without a trampoline are dropped from the plan. */
static void keep_called(struct patch_module *module)
{
	size_t count = 0;

	for (size_t i = 0; i < module->function_count; i++)
		if (module->functions[i].way == PLAN_WAY_CALL)
			module->functions[count++] = module->functions[i];
	module->function_count = count;
	module->exit_count = 0;
}

static enum kymo_status plan_planapi_make(struct patch_module *module, struct wanted *wanted,
					  struct plan_kind kind, unsigned char **bytes_out,
					  size_t *size_out, struct problem *problem)
{
	const struct planmake_options options = {.kind = kind};
	enum kymo_status status;

	if (!module->processor->has_calls)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "cannot record the calls into '%s': that can be done on x86-64",
				   module->path);
	status = plancache_can_make(module->path, problem);
	if (status == KYMO_OK)
		status = patchfunctions_find(module, problem);
	if (status == KYMO_OK)
		status = patchtargets_scan(module, problem);
	if (status == KYMO_OK)
		status = patchdecide_calls(module, wants, wanted, problem);
	if (status != KYMO_OK)
		return status;
	keep_called(module);
	if (module->function_count == 0)
		return problem_set(problem, KYMO_ERROR,
				   "'%s' exports no function that is asked for and can be recorded",
				   module->path);
	return plan_make(module, &options, bytes_out, size_out, problem);
}

/* Into the cache, or else to the requester. */
static enum kymo_status planapi_keep(const struct patch_module *module, const char *pattern,
				     struct plan_kind kind, const unsigned char *bytes, size_t size,
				     int hand_fd, struct problem *problem)
{
	enum kymo_status status;
	char path[PATH_MAX];

	if (plancache_path(module->build_id, module->build_id_size, module->identity, kind, path,
			   sizeof(path)) &&
	    planapi_path(path, sizeof(path), pattern))
		status = plancache_put(path, bytes, size, problem);
	else
		status = problem_set(problem, KYMO_UNAVAILABLE,
				     "there is no folder for a cache: set HOME or XDG_CACHE_HOME");
	if (status != KYMO_OK && hand_fd >= 0)
		status = plancache_hand(hand_fd, bytes, size, problem);
	return status;
}

static enum kymo_status planapi_make_file(const char *file, struct wanted *wanted,
					  const char *pattern, struct plan_kind kind, int hand_fd,
					  uint64_t *count_out, struct problem *problem)
{
	struct patch_module *module;
	unsigned char *bytes = NULL;
	size_t size;
	enum kymo_status status = patchmodule_open(file, &module, problem);

	if (status != KYMO_OK)
		return status;
	status = plan_planapi_make(module, wanted, kind, &bytes, &size, problem);
	if (status == KYMO_OK)
		status = planapi_keep(module, pattern, kind, bytes, size, hand_fd, problem);
	if (status == KYMO_OK)
		*count_out = module->function_count;
	free(bytes);
	patchmodule_close(module);
	return status;
}

enum kymo_status planapi_make(const char *file, const char *pattern, struct plan_kind kind,
			      int hand_fd, uint64_t *count_out, struct problem *problem)
{
	struct wanted wanted = {.has_pattern = pattern[0] != '\0'};
	char reason[160];
	enum kymo_status status;
	int error = 0;

	if (wanted.has_pattern)
		error = regcomp(&wanted.pattern, pattern, REG_EXTENDED | REG_NOSUB);
	if (error) {
		regerror(error, &wanted.pattern, reason, sizeof(reason));
		return problem_set(problem, KYMO_USAGE, "'%s' is not a regular expression: %s",
				   pattern, reason);
	}
	status = planapi_make_file(file, &wanted, pattern, kind, hand_fd, count_out, problem);
	if (wanted.has_pattern)
		regfree(&wanted.pattern);
	return status;
}
