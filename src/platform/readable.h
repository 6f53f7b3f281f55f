/* Memory of this process that may not be mapped: read through the kernel, which returns EFAULT
 * where a load would fault.  errno is kept.  If system calls are no longer allowed the result is
 * false, without a call.  Context: any. */
#ifndef KYMO_READABLE_H
#define KYMO_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READABLE_PAGE 4096u /* the smallest page size: larger pages are checked too often */

/* True if the page that contains address is readable. */
bool readable_page(uint64_t address);

/* Copy size bytes from address; false if they are not all readable. */
bool readable_copy(uint64_t address, void *to, size_t size);
/* The same for callers that have the id of the calling thread, which saves a system call. */
bool readable_copy_as(int system_id, uint64_t address, void *to, size_t size);

/* The same, cheaper, for memory that is not unmapped concurrently if it is mapped. */
bool readable_peek(uint64_t address, void *to, size_t size);

#endif
