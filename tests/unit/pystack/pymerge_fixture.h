/* What the tests of putting stacks together share: stacks as texts, one letter a frame. */
#ifndef KYMO_PYMERGE_FIXTURE_H
#define KYMO_PYMERGE_FIXTURE_H

#include "pystack/merge/pymerge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define FRAMES_MAX 32
#define EVALUATE   0x5000u
#define STACK	   0x7000u
#define STEP	   64u

static struct unwind_frame native[FRAMES_MAX];
static struct pyframe python[FRAMES_MAX];
static size_t native_count, python_count, native_end;
static bool is_between;

static inline void make_native(const char *text)
{
	native_count = strlen(text);
	for (size_t i = 0; i < native_count; i++) {
		native[i].address = text[i] == 'E' ? EVALUATE + 8 : (unsigned char)text[i];
		native[i].low = STACK + i * STEP;
	}
}

/* Address inside of the k-th evaluation, 0 = there are less. */
static inline uint64_t evaluation_address(size_t k)
{
	for (size_t i = 0; i < native_count; i++)
		if (native[i].address >= EVALUATE && k-- == 0)
			return native[i].low + 16;
	return 0;
}

/* skip: evaluations, from the innermost on, that have no run. */
static inline void make_python(const char *text, size_t skip)
{
	python_count = 0;
	for (; *text; text++) {
		if (*text != '|' && *text != '/') {
			python[python_count] = (struct pyframe){.code = (unsigned char)*text};
			python_count++;
			continue;
		}
		python[python_count - 1].is_entry = true;
		if (*text == '|')
			python[python_count - 1].c_address = evaluation_address(skip);
		skip++;
	}
}

/* Merge, and give the frames as a text; '?' at its end where it is not certain. */
static inline const char *merge(void)
{
	const struct pymerge_evaluation evaluation = {
		.start = {EVALUATE}, .end = {EVALUATE + 64}, .count = 1};
	static char text[2 * FRAMES_MAX + 2];
	struct pymerge_frame merged[2 * FRAMES_MAX];
	const struct pymerge_stack stack = {native, python, native_count, python_count, is_between};
	struct pymerge_result result = pymerge(&stack, &evaluation, merged);

	for (size_t i = 0; i < result.count; i++) {
		uint64_t what = merged[i].is_python ? python[merged[i].index].code
						    : native[merged[i].index].address;

		text[i] = what >= EVALUATE ? 'E' : (char)what;
	}
	native_end = result.native_count;
	text[result.count] = result.is_certain ? '\0' : '?';
	text[result.count + 1] = '\0';
	return text;
}

struct row {
	const char *native, *python;
	size_t skip;
	const char *merged;
};

static inline void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		make_native(rows[i].native);
		make_python(rows[i].python, rows[i].skip);
		assert_string_equal(merge(), rows[i].merged);
	}
}

#endif
