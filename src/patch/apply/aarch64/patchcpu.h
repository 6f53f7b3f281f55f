/* AArch64: patch/apply/patchcpu.h. */
#ifndef KYMO_PATCHCPU_AARCH64_H
#define KYMO_PATCHCPU_AARCH64_H

#define PATCH_RETURN_AT	      (-8)
#define PATCH_HAS_CALLS	      0
#define PATCH_IS_MARKED(cost) ((void)(cost), 0)

#endif
