/* What the tests of walks along Python's stack share: memory that an interpreter could have. */
#ifndef KYMO_PYSTACK_FIXTURE_H
#define KYMO_PYSTACK_FIXTURE_H

#include "pystack/pystack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "format/format.h"
#include "pystack/walk/pystack_walk.h"
#include "synthetic_python.h"

#define CAPACITY    32
#define NOT_STARTED KYMO_FRAME_NO_OFFSET

static struct synthetic_python python;
static struct pyframe frames[CAPACITY];
static size_t count;

static const uint16_t versions[] = {0x0308, 0x0309, 0x030a, 0x030b, 0x030c,
				    0x030d, 0x030e, 0x030f, 0x0310};
#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

static inline enum pystack_status walk(void)
{
	memset(frames, 0xee, sizeof(frames));
	return pystack_walk(&python.runtime, &python.memory, python.thread, frames, CAPACITY,
			    &count);
}

/* The same memory as the process's own, at the addresses it has. */
static inline enum pystack_status walk_own(void)
{
	void *place = (void *)(uintptr_t)SYNTHETIC_PYTHON_BASE;
	enum pystack_status status;

	place = mmap(place, SYNTHETIC_PYTHON_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	assert_int_equal((uintptr_t)place, SYNTHETIC_PYTHON_BASE);
	memcpy(place, python.bytes, SYNTHETIC_PYTHON_SIZE);
	memset(frames, 0xee, sizeof(frames));
	status = pystack_walk(&python.runtime, NULL, python.thread, frames, CAPACITY, &count);
	munmap(place, SYNTHETIC_PYTHON_SIZE);
	return status;
}

/* The innermost of three frames that were entered by one call from C, or, to 3.10, by one
 * each. */
struct three {
	uint64_t code, outer, middle, inner;
	uint64_t entry; /* cframe or shim, 0 = the version has none */
};

static inline void make_three(uint16_t version, struct three *three)
{
	const struct pylayout *layout = &python.runtime.layout;
	uint64_t root, current, cframes[4];

	synthetic_python_init(&python, version);
	three->code = synthetic_python_code(&python, 20, 1);
	three->entry = version >= 0x030c ? synthetic_python_shim(&python, 0) : 0;
	three->outer = synthetic_python_frame(&python, three->entry, three->code, 4);
	three->middle = synthetic_python_frame(&python, three->outer, three->code, 8);
	three->inner = synthetic_python_frame(&python, three->middle, three->code, 12);
	synthetic_python_run(&python, three->inner);
	if (layout->thread.cframe == PYLAYOUT_NONE)
		return;
	root = python.thread + 256; /* inside of the thread state */
	if (version == 0x030a) {
		cframes[0] = root;
		for (int i = 1; i < 4; i++)
			cframes[i] = synthetic_python_cframe(&python, cframes[i - 1], 0);
		three->entry = cframes[1];
		synthetic_python_word(&python, python.thread + layout->thread.cframe, cframes[3]);
		return;
	}
	current = synthetic_python_cframe(&python, root, three->inner);
	if (version == 0x030b) {
		three->entry = current;
		synthetic_python_put(&python, three->outer + layout->frame.is_entry, "\1", 1);
	}
	synthetic_python_run(&python, current);
}

#endif
