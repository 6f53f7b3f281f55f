/* The guard against files that are truncated while they are mapped.
 *
 * The list of watches only grows, and entries are reused: a handler that walks it on another
 * thread sees an old or a new entry, and at worst fills one page. */
#include "platform/files/filehole.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/keeperrno.h"

#define PATH_KEPT 240

struct watch {
	struct watch *next;
	uintptr_t base; /* 0 = free */
	size_t size;
	char path[PATH_KEPT]; /* its end, if it is longer */
};

static struct watch *watches; /* written by one thread at a time, read by handlers */
static struct sigaction former;
static uintptr_t page_bytes;
static size_t fill_count;
static char first_path[PATH_KEPT];

static const struct watch *watch_of(uintptr_t address)
{
	const struct watch *watch = __atomic_load_n(&watches, __ATOMIC_ACQUIRE);

	for (; watch; watch = watch->next) {
		uintptr_t base = __atomic_load_n(&watch->base, __ATOMIC_ACQUIRE);

		if (base && address >= base && address - base < watch->size)
			return watch;
	}
	return NULL;
}

/* Fills everything from the page on, if the end of the file's pages is known. */
static bool filehole_fill(uintptr_t page, const struct watch *watch)
{
	size_t size = page_bytes;

	if (watch)
		size = (watch->base + watch->size - page + page_bytes - 1) & -page_bytes;
	return mmap((void *)page, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

/* What is not a hole of a file, or cannot be filled, ends the process as without the handler. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & -page_bytes;
	const struct watch *watch = watch_of(page);
	KEEP_ERRNO();

	(void)context;
	if (info->si_code != BUS_ADRERR || !filehole_fill(page, watch)) {
		signal(number, SIG_DFL);
	} else if (__atomic_fetch_add(&fill_count, 1, __ATOMIC_RELAXED) == 0 && watch) {
		memcpy(first_path, watch->path, sizeof(first_path));
	}
}

void filehole_guard(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &former);
}

void filehole_restore(void)
{
	if (page_bytes)
		sigaction(SIGBUS, &former, NULL);
}

static struct watch *free_watch(void)
{
	struct watch *watch = watches;

	while (watch && watch->base)
		watch = watch->next;
	if (watch)
		return watch;
	watch = calloc(1, sizeof(*watch));
	if (watch) {
		watch->next = watches;
		__atomic_store_n(&watches, watch, __ATOMIC_RELEASE);
	}
	return watch;
}

void filehole_watch(const void *base, size_t size, const char *path)
{
	struct watch *watch = free_watch();
	size_t length = strlen(path), cut = length < PATH_KEPT ? 0 : length - (PATH_KEPT - 1);

	if (!watch)
		return;
	watch->size = size;
	memcpy(watch->path, path + cut, length - cut + 1);
	__atomic_store_n(&watch->base, (uintptr_t)base, __ATOMIC_RELEASE);
}

void filehole_unwatch(const void *base)
{
	for (struct watch *watch = watches; watch; watch = watch->next)
		if (watch->base == (uintptr_t)base)
			__atomic_store_n(&watch->base, 0, __ATOMIC_RELEASE);
}

size_t filehole_count(void)
{
	return __atomic_load_n(&fill_count, __ATOMIC_RELAXED);
}

const char *filehole_path(void)
{
	return first_path;
}
