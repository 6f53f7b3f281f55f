/* Classifies the functions of a file before any of their code is read.  One thread. */
#ifndef KYMO_PATCHCLASSIFY_H
#define KYMO_PATCHCLASSIFY_H

struct patch_module;

/* Of all module.functions: reason (PLAN_FINE = it can be recorded), has_handlers. */
void patchclassify(struct patch_module *module);

#endif
