/* A module with the recording's page uses the gate as its switch. */
#include "collectors/functions/modules/funcpatch_switch.h"

#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_switching.h"

static bool is_switched_off = true;

bool funcpatch_is_switched_off(void)
{
	return is_switched_off;
}

void funcpatch_switch(bool is_off)
{
	is_switched_off = is_off;
	funcpatch_gate_turn(is_off);
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		if (funcpatch_modules[i].is_loaded && !funcpatch_modules[i].has_switch)
			__atomic_store_n(&funcpatch_modules[i].applied.gate->is_off, is_off,
					 __ATOMIC_RELAXED);
}
