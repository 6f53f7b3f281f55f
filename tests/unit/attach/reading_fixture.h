/* What the tests of reading another process share: some pages of this one, read as if it were
 * another. */
#ifndef KYMO_READING_FIXTURE_H
#define KYMO_READING_FIXTURE_H

#include "attach/target/remote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#define PAGE 4096u

static struct remote remote;
static unsigned char *pages; /* four, the last one unreadable */

static inline int set_up(void **state)
{
	(void)state;
	remote_init(&remote, getpid());
	pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < 3 * PAGE; i++)
		pages[i] = (unsigned char)(i * 7 + i / PAGE);
	mprotect(pages + 3 * PAGE, PAGE, PROT_NONE);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	munmap(pages, 4 * PAGE);
	remote_release(&remote);
	return 0;
}

static inline uint64_t at(size_t offset)
{
	return (uint64_t)(uintptr_t)(pages + offset);
}

#endif
