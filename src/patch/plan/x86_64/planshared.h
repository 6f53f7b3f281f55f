/* What all trampolines of a plan for x86-64 share.  One thread per blob. */
#ifndef KYMO_PLANSHARED_X86_64_H
#define KYMO_PLANSHARED_X86_64_H

struct plan_blob;

/* Code that all functions share; emitted before the first function. */
void planemit_shared(struct plan_blob *blob);

#endif
