/* The processors whose files can be analysed, on any host. */
#include "patch/analyse/patchprocessor.h"

static const struct patch_processor *const processors[] = {
	&patchprocessor_x86_64,
	&patchprocessor_aarch64,
};

const struct patch_processor *patchprocessor_of(uint16_t machine)
{
	for (unsigned i = 0; i < sizeof(processors) / sizeof(processors[0]); i++)
		if (processors[i]->machine == machine)
			return processors[i];
	return NULL;
}
