/* What the tests of frames share: a watch that knows some Python functions and nothing else. */
#ifndef KYMO_FRAMES_FIXTURE_H
#define KYMO_FRAMES_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "attach/sample/framenames.h"

#define TEXT(text) ((char *)(uintptr_t)(text))

static struct codetable_entry functions[] = {
	{.address = 0x1000,
	 .name = TEXT("f"),
	 .qualname = TEXT(""),
	 .file = TEXT("a.py"),
	 .first_line = 3},
	{.address = 0x2000,
	 .name = TEXT("g"),
	 .qualname = TEXT("C.g"),
	 .file = TEXT(""),
	 .first_line = 7},
	{.address = 0x3000,
	 .name = TEXT("f"),
	 .qualname = TEXT(""),
	 .file = TEXT("a.py"),
	 .first_line = 3},
	{.address = 0x4000,
	 .name = TEXT("h"),
	 .qualname = TEXT("h"),
	 .file = TEXT("a.py"),
	 .first_line = 10,
	 .lines = (unsigned char *)(uintptr_t) "\0\0\4\1\4\2",
	 .lines_size = 6},
};

static struct watch watch = {
	.codes = {.entries = functions, .count = sizeof(functions) / sizeof(*functions)},
	.python.version = 0x0308,
};

static inline uint64_t python_frame(uint64_t id, uint32_t offset)
{
	return kymo_frame(KYMO_FRAME_PYTHON, id << 32 | offset);
}

#endif
