/* Memory for analysing a file. */
#ifndef KYMO_PATCHMEMORY_H
#define KYMO_PATCHMEMORY_H

#include <stdint.h>

/* Let malloc() reserve large pages for the analysis of so many bytes of code: most of that memory
 * is written once, and small pages would cost a page fault each.  This changes the allocator of the
 * process permanently; if unavailable nothing changes.  Context: init. */
void patchmemory_prepare(uint64_t code_bytes);
/* Return free heap memory to the kernel. */
void patchmemory_release(void);

#endif
