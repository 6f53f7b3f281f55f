/* The memory of a decision. */
#include "patch/analyse/patchdecision.h"

#include <stdlib.h>
#include <string.h>

bool patchdecision_begin(struct patch_decision *decision, struct patch_module *module)
{
	size_t count = module->function_count + 1;

	decision->module = module;
	decision->owners = malloc(count * sizeof(*decision->owners));
	decision->first_parts = malloc(count * sizeof(*decision->first_parts));
	decision->next_parts = malloc(count * sizeof(*decision->next_parts));
	decision->return_uses = calloc(count, 1);
	if (!decision->owners || !decision->first_parts || !decision->next_parts ||
	    !decision->return_uses)
		return false;
	memset(decision->owners, 0xff, count * sizeof(*decision->owners));
	memset(decision->first_parts, 0xff, count * sizeof(*decision->first_parts));
	memset(decision->next_parts, 0xff, count * sizeof(*decision->next_parts));
	return true;
}

void patchdecision_end(struct patch_decision *decision)
{
	free(decision->owners);
	free(decision->first_parts);
	free(decision->next_parts);
	free(decision->return_uses);
}
