/* What instructions of x86-64 do with the flags.  Context: any. */
#ifndef KYMO_PATCHFLAGS_X86_64_H
#define KYMO_PATCHFLAGS_X86_64_H

#include "patch/decode/x86_64/patchcode.h"

/* What an instruction does with the flags that an ADD would leave. */
enum patch_code_flags {
	PATCH_FLAGS_NONE,    /* neither */
	PATCH_FLAGS_READS,   /* looks at some of them */
	PATCH_FLAGS_COMPARE, /* writes them, and nothing else: cmp, test, stc … */
	PATCH_FLAGS_WRITES,  /* all of them, or leaves them undefined */
	PATCH_FLAGS_SOME,    /* writes some and keeps others: inc, shifts, clc */
};
enum patch_code_flags patchcode_flags(const struct patch_code *code);

#endif
