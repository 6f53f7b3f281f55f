/* Layouts that an interpreter publishes, right and wrong. */
#include "pystack/pylayout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pystack/pylayout_published.h"
#include "synthetic_python.h"

#define WORDS (1 + SYNTHETIC_PYTHON_WORDS)

static void publish(uint32_t hexversion, uint64_t *words)
{
	memset(words, 0, WORDS * sizeof(*words));
	memcpy(words, "xdebugpy", 8);
	synthetic_python_publish(hexversion, words + 1);
}

static const char *reason_of(const uint64_t *words, size_t count)
{
	const char *reason = "none was set";
	struct pylayout layout;

	if (pylayout_published(words, (uint32_t)(count * 8), &layout, &reason)) {
		assert_null(reason);
		return "";
	}
	assert_non_null(reason);
	return reason;
}

static void test_published_3_13(void **state)
{
	uint64_t words[WORDS];
	struct pylayout layout;

	(void)state;
	publish(0x030d00f0, words);
	assert_true(pylayout_published(words, sizeof(words), &layout, NULL));
	assert_int_equal(layout.version, 0x030d);
	assert_int_equal(layout.runtime.interpreters_head, 632);
	assert_int_equal(layout.interpreter.threads_head, 7344);
	assert_int_equal(layout.interpreter.gil, 16);
	assert_int_equal(layout.thread.current_frame, 72);
	assert_int_equal(layout.thread.native_thread_id, 160);
	assert_int_equal(layout.frame.instruction, 56);
	assert_int_equal(layout.code.lines, 136);
	assert_int_equal(layout.code.flags, 48);
	assert_false(layout.frame.code_is_tagged);
}

static void test_published_3_14(void **state)
{
	uint64_t words[WORDS];
	struct pylayout layout;

	(void)state;
	publish(0x030e00f0, words);
	assert_true(pylayout_published(words, sizeof(words), &layout, NULL));
	assert_int_equal(layout.version, 0x030e);
	assert_int_equal(layout.frame.owner, 74);
	assert_int_equal(layout.frame.size, 80);
	assert_int_equal(layout.code.instructions, 208);
	assert_int_equal(layout.code.first_traceable, 192);
	assert_true(layout.frame.code_is_tagged);
	assert_int_equal(layout.thread.datastack_top, 240);
}

/* Groups that have become longer, in a version that is known and in one that is not. */
static void test_published_3_15_and_later(void **state)
{
	uint64_t words[WORDS];
	struct pylayout layout;

	(void)state;
	for (uint32_t minor = 15; minor <= 19; minor++) {
		publish(0x030000f0 | minor << 16, words);
		assert_true(pylayout_published(words, sizeof(words), &layout, NULL));
		assert_int_equal(layout.version, 0x0300 | minor);
		assert_int_equal(layout.interpreter.gil, 16);
		assert_int_equal(layout.thread.current_frame, 72);
		assert_int_equal(layout.thread.thread_id, 152);
		assert_int_equal(layout.thread.native_thread_id, 160);
		assert_int_equal(layout.thread.datastack_chunk, 232);
		/* Where it is not known it is not used. */
		assert_int_equal(layout.thread.datastack_top, minor == 15 ? 240 : PYLAYOUT_NONE);
		assert_int_equal(layout.frame.instruction, 56);
		assert_int_equal(layout.frame.owner, 74);
		assert_int_equal(layout.code.flags, 48);
		assert_int_equal(layout.code.instructions, 208);
		assert_true(layout.frame.code_is_tagged);
	}
}

static void test_versions_not_known(void **state)
{
	const uint32_t versions[] = {0x030c00f0, 0x040000f0, 0x040000a1};
	uint64_t words[WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		publish(versions[i], words);
		assert_non_null(strstr(reason_of(words, WORDS), "not known"));
	}
}

/* Read by what it publishes; the headers of the release count from its candidates on. */
static void test_before_release(void **state)
{
	const uint32_t early[] = {0x031000a1, 0x030f00a2, 0x030e00a1, 0x030d00b2};
	const uint32_t candidates[] = {0x030e00c2, 0x030d00c1};
	struct pylayout layout;
	uint64_t words[WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++) {
		publish(early[i], words);
		assert_true(pylayout_published(words, sizeof(words), &layout, NULL));
		assert_int_equal(layout.version, early[i] >> 16);
		assert_int_equal(layout.thread.datastack_top, PYLAYOUT_NONE);
		assert_int_equal(layout.frame.return_offset, PYLAYOUT_NONE);
	}
	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		publish(candidates[i], words);
		assert_true(pylayout_published(words, sizeof(words), &layout, NULL));
		assert_int_not_equal(layout.thread.datastack_top, PYLAYOUT_NONE);
		assert_int_not_equal(layout.frame.return_offset, PYLAYOUT_NONE);
	}
}

static void test_no_gil(void **state)
{
	uint64_t words[WORDS];

	(void)state;
	publish(0x030d00f0, words);
	words[2] = 1;
	assert_non_null(strstr(reason_of(words, WORDS), "free-threaded"));
}

static void test_cookie_and_size(void **state)
{
	uint64_t words[WORDS];

	(void)state;
	publish(0x030d00f0, words);
	for (size_t count = 0; count <= 70; count++)
		assert_string_not_equal(reason_of(words, count), "");
	assert_string_equal(reason_of(words, 71), "");
	memcpy(words, "xdebugpz", 8);
	assert_non_null(strstr(reason_of(words, WORDS), "publish"));
}

/* Each value that counts, made impossible. */
static void test_values_that_cannot_be(void **state)
{
	/* Words behind the cookie of 3.13, beginning with the version. */
	const unsigned wrong[] = {3,  4,  6,  7,  8,  13, 16, 17, 18, 20, 21, 22,
				  23, 24, 25, 28, 29, 30, 31, 32, 33, 34, 35, 36,
				  37, 38, 42, 43, 44, 64, 65, 67, 68, 69};
	uint64_t words[WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		publish(0x030d00f0, words);
		words[1 + wrong[i]] = UINT64_MAX - 3;
		assert_non_null(strstr(reason_of(words, WORDS), "cannot be"));
	}
}

/* Inside of the object, but beyond what is read of it: 8 bytes in front of its end. */
static void test_values_behind_what_is_read(void **state)
{
	const struct {
		unsigned word, size;
	} wrong[] = {{28, 27}, {29, 27}, {30, 27}, {34, 33}, {35, 33}, {38, 33}};
	uint64_t words[WORDS];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		publish(0x030d00f0, words);
		words[1 + wrong[i].word] = words[1 + wrong[i].size] - 8;
		assert_non_null(strstr(reason_of(words, WORDS), "cannot be"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_3_13),
		cmocka_unit_test(test_published_3_14),
		cmocka_unit_test(test_published_3_15_and_later),
		cmocka_unit_test(test_versions_not_known),
		cmocka_unit_test(test_before_release),
		cmocka_unit_test(test_no_gil),
		cmocka_unit_test(test_cookie_and_size),
		cmocka_unit_test(test_values_that_cannot_be),
		cmocka_unit_test(test_values_behind_what_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
