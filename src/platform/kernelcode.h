/* Functions that the kernel itself puts into every process (the vDSO).  Context: any. */
#ifndef KYMO_KERNELCODE_H
#define KYMO_KERNELCODE_H

/* The function of that name in the object whose ELF header is at base; NULL where it has none.
 * base may be NULL. */
void *kernelcode_find(const void *base, const char *name);

#endif
