/* X86-64: patch/apply/patchcpu.h. */
#ifndef KYMO_PATCHCPU_X86_64_H
#define KYMO_PATCHCPU_X86_64_H

#define PATCH_RETURN_AT	      0
#define PATCH_HAS_CALLS	      1
#define PATCH_IS_MARKED(cost) ((cost) == PATCH_COST_COARSE)

#endif
