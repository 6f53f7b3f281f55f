/* Anonymous private mappings. */
#include "base/pages.h"

#include <sys/mman.h>

#include "base/keeperrno.h"

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
	KEEP_ERRNO();
	void *memory;

	if (has_no_calls)
		return NULL;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void pages_free(void *memory, size_t size)
{
	KEEP_ERRNO();

	if (memory && !has_no_calls)
		munmap(memory, size);
}
