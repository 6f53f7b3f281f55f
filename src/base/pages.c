/* Anonymous private mappings. */
#include "base/pages.h"

#include <errno.h>
#include <sys/mman.h>

static bool has_no_calls;

void pages_freeze(bool is_frozen)
{
	has_no_calls = is_frozen;
}

bool pages_are_frozen(void)
{
	return has_no_calls;
}

void *pages_new(size_t size)
{
	int saved = errno;
	void *memory;

	if (has_no_calls)
		return NULL;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

void pages_free(void *memory, size_t size)
{
	int saved = errno;

	if (memory && !has_no_calls)
		munmap(memory, size);
	errno = saved;
}
