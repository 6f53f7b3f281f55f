/* Functions, targets, decisions. */
#include "patch/analyse/patchanalyse.h"

#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchfunctions.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchtargets.h"

enum kymo_status patchanalyse(struct patch_module *module, struct problem *problem)
{
	enum kymo_status status = patchfunctions_find(module, problem);

	if (status == KYMO_OK)
		status = patchtargets_scan(module, problem);
	return status == KYMO_OK ? module->processor->decide(module, problem) : status;
}
