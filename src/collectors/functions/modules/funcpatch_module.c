/* A module keeps its ids for the life of the process, also if it is unloaded and loaded again.
 * Only the ids of an unloaded module are reused. */
#include "collectors/functions/modules/funcpatch_module.h"

struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];
uint32_t funcpatch_module_count;
bool funcpatch_has_unloaded;
bool funcpatch_has_noted_costs;

static uint32_t next_id = FUNCPATCH_ID_FIRST;

static uint32_t behind(uint32_t id)
{
	uint32_t pages = (id + FUNCPATCH_IDS_PAGE - 1) / FUNCPATCH_IDS_PAGE;

	return pages * FUNCPATCH_IDS_PAGE + FUNCPATCH_ID_FIRST;
}

static struct funcpatch_module *unloaded(uint64_t path_hash, uint32_t count)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_loaded && module->path_hash == path_hash && module->count == count)
			return module;
	}
	return NULL;
}

struct funcpatch_module *funcpatch_module_place(uint64_t path_hash, uint32_t count,
						bool *is_new_out)
{
	struct funcpatch_module *module = unloaded(path_hash, count);

	*is_new_out = module == NULL;
	if (module)
		return module;
	if (funcpatch_module_count == FUNCPATCH_MODULES_MAX || count > PATCH_ID_MAX - next_id)
		return NULL;
	module = &funcpatch_modules[funcpatch_module_count];
	module->first_id = next_id;
	module->count = count;
	return module;
}

void funcpatch_module_add(struct funcpatch_module *module, bool is_new)
{
	module->is_loaded = true;
	if (!is_new)
		return;
	next_id = behind(module->first_id + module->count);
	__atomic_store_n(&funcpatch_module_count, funcpatch_module_count + 1, __ATOMIC_RELEASE);
}

void funcpatch_modules_forget(void)
{
	funcpatch_has_noted_costs = false;
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		funcpatch_modules[i].described_start = 0;
}
