/* What the tests of Python's objects in other processes share: objects of a made up 3.8. */
#ifndef KYMO_PYOBJECTS_FIXTURE_H
#define KYMO_PYOBJECTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pystack/pyobject.h"
#include "synthetic_python.h"

static struct synthetic_python python;
static struct pyobjects objects;
static uint64_t text_type; /* of all texts */

/* A type of a name. */
static inline uint64_t make_type(const char *name, uint64_t flags)
{
	uint64_t type = synthetic_python_room(&python, 256);
	uint64_t text = synthetic_python_room(&python, strlen(name) + 1);

	synthetic_python_put(&python, text, name, strlen(name) + 1);
	synthetic_python_word(&python, type + 24, text);
	synthetic_python_word(&python, type + 168, flags);
	return type;
}

/* An object of a type, and the first word behind the head. */
static inline uint64_t make_object(uint64_t type, uint64_t word, size_t size)
{
	uint64_t object = synthetic_python_room(&python, size);

	synthetic_python_word(&python, object + python.runtime.layout.object.type, type);
	synthetic_python_word(&python, object + 16, word);
	return object;
}

/* Compact, ASCII. */
static inline uint64_t make_text(const char *text)
{
	const struct pylayout *layout = &python.runtime.layout;
	const size_t length = strlen(text);
	const uint32_t state = (1u | 1u << 3 | 1u << 4) << layout->object.kind_shift;
	uint64_t object = make_object(text_type, length, layout->object.ascii_data + length + 1);

	synthetic_python_put(&python, object + layout->object.state, &state, sizeof(state));
	synthetic_python_put(&python, object + layout->object.ascii_data, text, length + 1);
	return object;
}

static inline int set_up_objects(void **state)
{
	(void)state;
	synthetic_python_init(&python, 0x0308);
	text_type = make_type("str", PYOBJECT_TEXT);
	assert_true(pyobjects_init(&objects, &python.runtime, &python.memory));
	return 0;
}

#endif
