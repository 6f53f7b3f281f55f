/* Memory for analysing a file. */
#ifndef KYMO_PATCHMEMORY_H
#define KYMO_PATCHMEMORY_H

#include <stdint.h>

/* Have malloc() keep room in large pages for what a file with so many bytes of code takes: most of
 * it is written once, and each small page would be met by an exception of its own.  It changes how
 * this process allocates, for good; where it cannot be had nothing changes.  Context: init. */
void patchmemory_prepare(uint64_t code_bytes);
/* What is free of it goes back to the kernel. */
void patchmemory_release(void);

#endif
