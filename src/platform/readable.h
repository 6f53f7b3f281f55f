/* Memory of this process that may not be mapped: read through the kernel, which returns EFAULT
 * where a load would fault.  errno is kept.  Where system calls are no longer allowed the answer is
 * no, without a call.  Context: any. */
#ifndef KYMO_READABLE_H
#define KYMO_READABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READABLE_PAGE 4096u /* the smallest there is: where they are larger, asked too often */

/* True when the page that holds address can be read. */
bool readable_page(uint64_t address);

/* Copy size bytes from address; false where they cannot all be read. */
bool readable_copy(uint64_t address, void *to, size_t size);
/* The same for who knows the id of the calling thread, which is a system call less. */
bool readable_copy_as(int system_id, uint64_t address, void *to, size_t size);

/* The same, cheaper, for memory that nobody takes away meanwhile if it is there. */
bool readable_peek(uint64_t address, void *to, size_t size);

#endif
