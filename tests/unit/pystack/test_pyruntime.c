/* Interpreters from the addresses of their symbols: known, not known, not running. */
#include "pystack/pystack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "pystack/pyruntime.h"
#include "synthetic_python.h"

static struct synthetic_python python;
static uint64_t addresses[PYSYMBOL_COUNT];
static struct pyruntime found;

/* An interpreter that says to be of a version, and has what was made for another. */
static void make(uint16_t layout, uint32_t hexversion)
{
	uint64_t words[1 + SYNTHETIC_PYTHON_WORDS] = {0}, version, type;

	synthetic_python_init(&python, layout);
	memset(addresses, 0, sizeof(addresses));
	version = synthetic_python_room(&python, 8);
	synthetic_python_put(&python, version, &hexversion, sizeof(hexversion));
	type = synthetic_python_room(&python, 16);
	synthetic_python_word(&python, type + 8, type);
	synthetic_python_word(&python, python.runtime.code_type + 8, type);
	addresses[PYSYMBOL_RUNTIME] = python.runtime.runtime;
	addresses[PYSYMBOL_CODE_TYPE] = python.runtime.code_type;
	addresses[PYSYMBOL_EVALUATE] = 0x5000;
	addresses[PYSYMBOL_SINCE_3_8] = 1;
	addresses[PYSYMBOL_SINCE_3_9] = layout >= 0x0309;
	addresses[PYSYMBOL_SINCE_3_10] = layout >= 0x030a;
	if (layout >= 0x030b)
		addresses[PYSYMBOL_VERSION] = version;
	if (layout >= 0x030d) {
		memcpy(words, "xdebugpy", 8);
		synthetic_python_publish((uint32_t)layout << 16 | 0xf0, words + 1);
		synthetic_python_put(&python, python.runtime.runtime, words, sizeof(words));
	}
}

static const char *reason_of(void)
{
	const char *reason = "none was set";

	memset(&found, 0, sizeof(found));
	if (pyruntime_from(addresses, &python.memory, &found, &reason)) {
		assert_null(reason);
		return "";
	}
	assert_int_equal(found.runtime, 0);
	assert_non_null(reason);
	return reason;
}

static void test_versions_by_their_symbols(void **state)
{
	(void)state;
	for (uint16_t version = 0x0308; version <= 0x030c; version++) {
		make(version, (uint32_t)version << 16 | 0x02f0);
		assert_string_equal(reason_of(), "");
		assert_int_equal(found.hexversion >> 16, version);
		assert_int_equal(found.layout.version, version);
		assert_int_equal(found.evaluate, 0x5000);
		assert_true(pyruntime_is_ready(&found, &python.memory));
	}
	make(0x0308, 0);
	addresses[PYSYMBOL_SINCE_3_8] = 0; /* older */
	assert_non_null(strstr(reason_of(), "not known"));
}

static void test_refused(void **state)
{
	(void)state;
	make(0x030c, 0x030c00b1); /* a beta */
	assert_non_null(strstr(reason_of(), "not known"));
	make(0x030c, 0x040000f0);
	assert_string_not_equal(reason_of(), "");
	make(0x030c, 0x030d00f0); /* publishes nothing */
	assert_non_null(strstr(reason_of(), "publish"));
	make(0x030c, 0x030c00f0);
	addresses[PYSYMBOL_VERSION] = 16; /* not readable */
	assert_non_null(strstr(reason_of(), "not known"));
}

static void test_published(void **state)
{
	(void)state;
	for (uint16_t version = 0x030d; version <= 0x0310; version++) {
		make(version, (uint32_t)version << 16 | 0x00f0);
		assert_string_equal(reason_of(), "");
		assert_int_equal(found.layout.version, version);
	}
	make(0x030e, 0x030d00f0);
	assert_non_null(strstr(reason_of(), "another version"));
	make(0x030d, 0x030d00f0);
	addresses[PYSYMBOL_RUNTIME] = SYNTHETIC_PYTHON_BASE + SYNTHETIC_PYTHON_SIZE - 512;
	assert_non_null(strstr(reason_of(), "cannot be read"));
}

static void test_not_running(void **state)
{
	const struct pylayout *layout = &found.layout;
	uint64_t head;

	(void)state;
	for (uint16_t version = 0x0308; version <= 0x030c; version++) {
		make(version, (uint32_t)version << 16 | 0x02f0);
		assert_string_equal(reason_of(), "");
		head = found.runtime + layout->runtime.interpreters_head;
		synthetic_python_word(&python, found.runtime + layout->runtime.finalizing, 0x9000);
		assert_false(pyruntime_is_ready(&found, &python.memory));
		synthetic_python_word(&python, found.runtime + layout->runtime.finalizing, 0);
		assert_true(pyruntime_is_ready(&found, &python.memory));
		synthetic_python_word(&python, python.thread + layout->thread.interp, 0x9000);
		assert_false(pyruntime_is_ready(&found, &python.memory));
		synthetic_python_word(&python, python.thread + layout->thread.interp,
				      synthetic_python_look(&python, head));
		synthetic_python_word(&python, found.code_type + 8, found.code_type + 64);
		assert_false(pyruntime_is_ready(&found, &python.memory));
		synthetic_python_word(&python, head, 0);
		assert_false(pyruntime_is_ready(&found, &python.memory));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions_by_their_symbols),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_published),
		cmocka_unit_test(test_not_running),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
