/* Processors without plans: patch/apply/patchcpu.h. */
#ifndef KYMO_PATCHCPU_OTHER_H
#define KYMO_PATCHCPU_OTHER_H

#define PATCH_RETURN_AT	      0
#define PATCH_HAS_CALLS	      0
#define PATCH_IS_MARKED(cost) ((void)(cost), 0)
#define PATCH_FLUSHES	      0
#define PATCH_COPIES_STRINGS  0

/* No instructions: the check of written code always fails. */
#define PATCH_SAMPLE_OPCODE ""
#define PATCH_SAMPLE_VALUE  "	.byte 0\n"
#define PATCH_SAMPLE_FIRST  0u
#define PATCH_SAMPLE_OTHER  0u

#endif
