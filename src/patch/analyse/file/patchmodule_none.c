/* Builds without an instruction decoder analyse no file. */
#include "patch/analyse/file/patchmodule.h"

enum kymo_status patchmodule_open(const char *path, struct patch_module **out,
				  struct problem *problem)
{
	*out = NULL;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "cannot instrument '%s': this kymo was built without Zydis", path);
}

void patchmodule_close(struct patch_module *module)
{
	(void)module;
}

const unsigned char *patchmodule_at(const struct patch_module *module, uint64_t address,
				    uint64_t size)
{
	(void)module;
	(void)address;
	(void)size;
	return NULL;
}

bool patchmodule_is_code(const struct patch_module *module, uint64_t address)
{
	(void)module;
	(void)address;
	return false;
}

struct patch_function *patchmodule_function_at(const struct patch_module *module, uint64_t address)
{
	(void)module;
	(void)address;
	return NULL;
}

bool patchmodule_is_target(const struct patch_module *module, uint64_t address)
{
	(void)module;
	(void)address;
	return false;
}
