/* Anonymous private mappings. */
#include "base/pages.h"

#include <errno.h>
#include <sys/mman.h>

void *pages_new(size_t size)
{
	int saved = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

void pages_free(void *memory, size_t size)
{
	int saved = errno;

	if (memory)
		munmap(memory, size);
	errno = saved;
}
