/* An ELF object in memory for debuggers, of a plan's trampolines.  Context: any; nothing of the C
 * library. */
#ifndef KYMO_PATCHAPPLY_OBJECT_H
#define KYMO_PATCHAPPLY_OBJECT_H

struct patch_applied;

/* Make the object in the vector's page, which can be written: object and object_size. */
void patchapply_object(struct patch_applied *applied);

#endif
