/* Functions that the kernel maps into every process (the vDSO).  Context: any. */
#ifndef KYMO_KERNELCODE_H
#define KYMO_KERNELCODE_H

/* The function of that name in the object whose ELF header is at base; NULL if it has none. base
 * may be NULL. */
void *kernelcode_find(const void *base, const char *name);

#endif
