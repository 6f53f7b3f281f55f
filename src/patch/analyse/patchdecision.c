/* The memory of a decision. */
#include "patch/analyse/patchdecision.h"

#include <stdlib.h>
#include <string.h>

bool patchdecision_begin(struct patch_decision *decision, struct patch_module *module)
{
	size_t count = module->function_count + 1;

	decision->module = module;
	decision->owners = malloc(count * sizeof(*decision->owners));
	decision->first_fragments = malloc(count * sizeof(*decision->first_fragments));
	decision->next_fragments = malloc(count * sizeof(*decision->next_fragments));
	decision->return_uses = calloc(count, 1);
	if (!decision->owners || !decision->first_fragments || !decision->next_fragments ||
	    !decision->return_uses)
		return false;
	memset(decision->owners, 0xff, count * sizeof(*decision->owners));
	memset(decision->first_fragments, 0xff, count * sizeof(*decision->first_fragments));
	memset(decision->next_fragments, 0xff, count * sizeof(*decision->next_fragments));
	return true;
}

void patchdecision_end(struct patch_decision *decision)
{
	free(decision->owners);
	free(decision->first_fragments);
	free(decision->next_fragments);
	free(decision->return_uses);
}
