/* How instructions of x86-64 use the flags.  Context: any. */
#ifndef KYMO_PATCHFLAGS_X86_64_H
#define KYMO_PATCHFLAGS_X86_64_H

#include "patch/decode/x86_64/patchcode.h"

/* How an instruction uses the flags that an ADD would leave. */
enum patch_code_flags {
	PATCH_FLAGS_NONE,    /* neither */
	PATCH_FLAGS_READS,   /* reads some of them */
	PATCH_FLAGS_COMPARE, /* writes them as its only effect: cmp, test, stc … */
	PATCH_FLAGS_WRITES,  /* writes all of them, or leaves them undefined */
	PATCH_FLAGS_SOME,    /* writes some and keeps others: inc, shifts, clc */
};
enum patch_code_flags patchcode_flags(const struct patch_code *code);

#endif
