/* Code of AArch64 that all functions of a plan share.  One thread per blob. */
#ifndef KYMO_PLANSHARED_AARCH64_H
#define KYMO_PLANSHARED_AARCH64_H

struct plan_blob;

/* Before the first function. */
void armshared_emit(struct plan_blob *blob);

#endif
