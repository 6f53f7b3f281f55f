/* The interpreter of this process: the program itself, a shared libpython, or any module that has
 * an interpreter linked in, and exports it.  If there are several, the one that runs. */
#include "pystack/pyruntime_self.h"

#include "platform/modulescan.h"
#include "pystack/pymemory.h"
#include "pystack/pyruntime.h"
#include "pystack/pystack.h"
#include "pystack/pysymbols.h"

struct search {
	struct pyruntime found;
	const char *reason;
	bool is_found, is_ready;
};

static void self_check_module(const struct modulescan_found *module, void *context)
{
	uint64_t addresses[PYSYMBOL_COUNT];
	struct search *search = context;
	struct pyruntime runtime;
	const char *reason;

	if (search->is_ready ||
	    !pysymbols_find(module->start, module->bias, pysymbol_names, PYSYMBOL_COUNT, addresses))
		return;
	if (!pyruntime_from(addresses, NULL, &runtime, &reason)) {
		search->reason = reason;
		return;
	}
	runtime.this_thread = addresses[PYSYMBOL_THIS_THREAD];
	search->is_ready = pyruntime_is_ready(&runtime, NULL);
	if (!search->is_found || search->is_ready)
		search->found = runtime;
	search->is_found = true;
}

static bool search_modules(struct search *search, struct pyruntime *out, const char **reason_out)
{
	modulescan(self_check_module, search);
	if (reason_out)
		*reason_out = search->is_found ? NULL : search->reason;
	if (search->is_found)
		*out = search->found;
	return search->is_found;
}

bool pyruntime_find(struct pyruntime *out, const char **reason_out)
{
	struct search search = {.reason = NULL};

	return search_modules(&search, out, reason_out);
}

bool pyruntime_self(struct pyruntime *out, const char **reason_out)
{
	struct search search = {.reason = NULL};
	struct pyruntime found;

	if (!search_modules(&search, &found, reason_out) || !search.is_ready)
		return false;
	*out = found;
	return true;
}
