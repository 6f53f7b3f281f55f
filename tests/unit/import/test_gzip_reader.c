/* Unpacking what gzip compressed: members, padding, damage. */
#include "import/gzip_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

/* "hello," and "world" as zlib compresses them */
#define HELLO                                                                                      \
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xd7\x01\x00\xdd\xb5\x37\xe4" \
	"\x06\x00\x00\x00"
#define WORLD                                                                                      \
	"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x2b\xcf\x2f\xca\x49\x01\x00\x43\x11\x77\x3a\x05" \
	"\x00\x00\x00"

struct taken {
	char text[64];
	size_t size, most;
};

static bool take(void *context, const void *data, size_t size)
{
	struct taken *taken = context;

	if (size > taken->most - taken->size)
		return false;
	memcpy(taken->text + taken->size, data, size);
	taken->size += size;
	return true;
}

static enum kymo_status unpack(const char *data, size_t size, size_t most, struct taken *taken,
			       struct problem *problem)
{
	*taken = (struct taken){.most = most};
	return gzip_unpack(data, size, "x.gz", take, taken, problem);
}

static void assert_unpacked(const char *data, size_t size, const char *expected)
{
	struct problem problem;
	struct taken taken;

	if (unpack(data, size, sizeof(taken.text), &taken, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_string_equal(taken.text, expected);
}
#define ASSERT_UNPACKED(literal, expected) assert_unpacked(literal, sizeof(literal) - 1, expected)

static void test_members_follow_one_another(void **state)
{
	(void)state;
	ASSERT_UNPACKED(HELLO, "hello,");
	ASSERT_UNPACKED(HELLO WORLD, "hello,world");
	ASSERT_UNPACKED(HELLO "\0\0\0\0", "hello,"); /* padding */
	ASSERT_UNPACKED(HELLO "\x1f\x8b", "hello,");
}

static void test_what_is_packed(void **state)
{
	(void)state;
	assert_true(gzip_is_packed(HELLO, sizeof(HELLO) - 1));
	assert_false(gzip_is_packed(HELLO, 2));
	assert_false(gzip_is_packed("\x1f\x8b\x07", 3));
	assert_false(gzip_is_packed("", 0));
}

/* Cut at each byte, and each byte changed: never another text. */
static void test_damage_is_told(void **state)
{
	struct problem problem;
	struct taken taken;

	(void)state;
	for (size_t size = 0; size < sizeof(HELLO) - 1; size++)
		assert_int_equal(unpack(HELLO, size, sizeof(taken.text), &taken, &problem),
				 KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "'x.gz' cannot be unpacked: gzip's data ends"));
	for (size_t at = 10; at < sizeof(HELLO) - 1; at++) {
		char copy[sizeof(HELLO)] = HELLO;

		copy[at] ^= 0x10;
		if (unpack(copy, sizeof(copy) - 1, sizeof(taken.text), &taken, &problem) == KYMO_OK)
			assert_string_equal(taken.text, "hello,"); /* bits behind the end */
	}
}

static void test_the_taker_may_stop(void **state)
{
	struct problem problem;
	struct taken taken;

	(void)state;
	assert_int_equal(unpack(HELLO WORLD, sizeof(HELLO WORLD) - 1, 6, &taken, &problem),
			 KYMO_OK);
	assert_string_equal(taken.text, "hello,");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_follow_one_another),
		cmocka_unit_test(test_what_is_packed),
		cmocka_unit_test(test_damage_is_told),
		cmocka_unit_test(test_the_taker_may_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
