/* A malloc that takes a lock in every call, as old allocators do.  It says so where it is
 * entered again while it holds the lock: with a normal mutex that would be a deadlock. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static char *place, *limit;

struct head {
	size_t size;
	size_t padding;
};

static void take(void)
{
	static const char text[] = "malloc was entered again\n";

	if (pthread_mutex_lock(&lock) == 0)
		return;
	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(99);
}

static void *allocate(size_t alignment, size_t size)
{
	struct head *head = NULL;
	uintptr_t address;

	take();
	address = ((uintptr_t)place + sizeof(*head) + alignment - 1) & ~(alignment - 1);
	if (!place || address + size > (uintptr_t)limit) {
		size_t room = (size + alignment + sizeof(*head) + (8u << 20)) & ~4095ul;

		place = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
		limit = place + room;
		address = ((uintptr_t)place + sizeof(*head) + alignment - 1) & ~(alignment - 1);
	}
	head = (struct head *)address - 1;
	head->size = size;
	place = (char *)address + size;
	pthread_mutex_unlock(&lock);
	return (void *)address;
}

void *malloc(size_t size)
{
	return allocate(16, size);
}

void free(void *block)
{
	(void)block;
	take();
	pthread_mutex_unlock(&lock);
}

void *calloc(size_t count, size_t size)
{
	return allocate(16, count * size); /* fresh pages are zero and never used twice */
}

void *realloc(void *block, size_t size)
{
	void *larger = allocate(16, size);

	if (block) {
		size_t old = ((struct head *)block - 1)->size;

		memcpy(larger, block, old < size ? old : size);
	}
	return larger;
}

void *memalign(size_t alignment, size_t size)
{
	return allocate(alignment < 16 ? 16 : alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	*block = memalign(alignment, size);
	return 0;
}
