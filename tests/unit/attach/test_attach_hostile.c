/* Memory of a process that means harm: whatever is in it, reading names, variables, values, threads
 * and stacks comes to an end, stays within its buffers, and takes a bounded number of reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "attach/python/framecontents.h"
#include "attach/python/pythonnames.h"
#include "attach/python/valuetext.h"
#include "pystack/pycode.h"
#include "pystack/walk/pystack_walk.h"

#define ROUNDS	  300u
#define BASE	  UINT64_C(0x10000000)
#define BYTES	  (64u << 10)
#define READS_MAX 3000000u

static unsigned char bytes[BYTES];
static uint64_t random_state;
static size_t reads;

static uint64_t next_random(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return random_state >> 16;
}

/* Most words lead to others; the rest are sizes, small and absurd. */
static void fill(uint64_t seed)
{
	static const uint64_t sizes[] = {
		0, 1, 2, 7, 64, 4096, 65536, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_C(1) << 40};

	random_state = seed * 7919 + 1;
	for (size_t i = 0; i < BYTES; i += 8) {
		uint64_t word = BASE + next_random() % BYTES / 8 * 8;

		if (next_random() % 4 == 0)
			word = sizes[next_random() % (sizeof(sizes) / sizeof(*sizes))];
		else if (next_random() % 8 == 0)
			word = next_random();
		memcpy(bytes + i, &word, sizeof(word));
	}
}

/* Everything is there: what lies beyond is the same again. */
static bool read_anything(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	reads++;
	if (address < 4096 || address + size < address)
		return false;
	for (size_t i = 0; i < size; i++)
		((unsigned char *)to)[i] = bytes[(address + i) % BYTES];
	return true;
}

static const struct pymemory memory = {.read = read_anything};
static const uint16_t versions[] = {0x0308, 0x0309, 0x030a, 0x030b, 0x030c, 0x030d};

static void put(uint64_t address, uint64_t word)
{
	memcpy(bytes + address % BYTES, &word, sizeof(word));
}

/* All objects from there on are of one type, which is all that can be. */
static void put_type(uint64_t object, uint64_t type, const char *name, uint64_t flags)
{
	put(object + 8, type);
	put(type + 24, type + 1024);
	put(type + 168, flags);
	memcpy(bytes + (type + 1024) % BYTES, name, strlen(name) + 1);
}

static void check_text(const char *text, size_t size)
{
	assert_true(memchr(text, '\0', size) != NULL);
	for (; *text; text++)
		assert_false((unsigned char)*text < 0x20 || *text == 0x7f);
}

static void look_at_values(const struct pyobjects *objects)
{
	static const struct {
		const char *name;
		uint64_t flags;
	} types[] = {
		{"int", PYOBJECT_LONG},
		{"list", PYOBJECT_LIST},
		{"tuple", PYOBJECT_TUPLE},
		{"bytes", PYOBJECT_BYTES},
		{"str", PYOBJECT_TEXT},
		{"dict", PYOBJECT_DICT},
		{"float", 0},
		{"Colour", PYOBJECT_LONG},
		{"a\x1b[2Jb", 0},
	};
	char text[VALUETEXT_SIZE + 8];

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		uint64_t object = BASE + next_random() % 1024 * 8;

		put_type(object, BASE + 32768, types[i].name, types[i].flags);
		memset(text, 'x', sizeof(text));
		valuetext(objects, object, i % 2 ? "x" : NULL, text);
		check_text(text, VALUETEXT_SIZE);
		assert_int_equal(text[VALUETEXT_SIZE], 'x');
	}
}

static void look_at_frames(const struct pyobjects *objects)
{
	char name[64 + 8];
	struct framecontents contents;
	uint64_t object;
	bool is_number;

	for (int i = 0; i < 20; i++) {
		uint64_t frame = BASE + next_random() % BYTES / 8 * 8;

		if (!framecontents_open(&contents, objects, frame, frame + next_random() % 4096 * 8,
					(uint32_t)next_random() % 1024))
			continue;
		assert_in_range(contents.variables, 0, 3 * FRAMECONTENTS_WORDS);
		assert_in_range(contents.certain, 0, FRAMECONTENTS_WORDS);
		for (uint32_t k = 0; k <= contents.variables; k++) {
			memset(name, 'x', sizeof(name));
			framecontents_variable(&contents, k, name, 64, &object, &is_number);
			assert_int_equal(name[64], 'x');
		}
		for (uint32_t k = 0; k < contents.certain + 300; k++)
			framecontents_word(&contents, k);
	}
}

static void test_objects(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct pyruntime runtime = {.runtime = BASE};
		struct pyobjects objects;

		runtime.layout = *pylayout_find(versions[round % 6]);
		fill(round);
		reads = 0;
		assert_true(pyobjects_init(&objects, &runtime, &memory));
		look_at_values(&objects);
		look_at_frames(&objects);
		assert_in_range(reads, 0, READS_MAX);
	}
}

static void test_threads_and_names(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct pythontarget python = {.runtime = {.runtime = BASE},
					      .version = versions[round % 6]};
		struct targettasks tasks = {.folder = -1};
		struct pythonthreads threads = {0};
		struct pythonthread one = {.interpreter = BASE + 8 * (round % 1000), .handle = 1};
		const struct pythonthreads given = {.threads = &one, .count = 1};
		struct pythonnames names = {0};

		python.runtime.layout = *pylayout_find(python.version);
		fill(round);
		reads = 0;
		pythonthreads_list(&threads, &python, &memory, &tasks);
		pythonnames_read(&names, &python, &memory, &given, UINT64_C(1) << 40);
		for (size_t i = 0; i < names.count; i++)
			assert_true(memchr(names.names[i].name, '\0', PYTHONNAMES_SIZE) != NULL);
		pythonthreads_has(&python, &memory, one.interpreter, 1);
		assert_in_range(reads, 0, READS_MAX);
		pythonnames_release(&names);
		pythonthreads_release(&threads);
	}
}

static void test_stacks(void **state)
{
	static struct pyframe frames[512];
	static uint64_t addresses[512];

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct pyruntime runtime = {.runtime = BASE, .code_type = BASE + 32768};
		struct pycode code;
		size_t count;

		runtime.layout = *pylayout_find(versions[round % 6]);
		fill(round);
		for (uint64_t at = 8; at < BYTES; at += 64) /* many that look like code */
			put(at, runtime.code_type);
		reads = 0;
		for (uint64_t i = 0; i < 20; i++) {
			uint64_t address = BASE + next_random() % BYTES / 8 * 8;

			pystack_walk_addresses(&runtime, &memory, address, frames, addresses, 512,
					       &count);
			assert_in_range(count, 0, 512);
			pycode_read(&runtime, &memory, address, &code);
		}
		assert_in_range(reads, 0, READS_MAX);
	}
}

/* A dictionary that says it has millions of entries, all of them empty, or none the right one. */
static void test_large_dictionaries(void **state)
{
	const uint64_t object = BASE, type = BASE + 4096, keys = BASE + 8192;

	(void)state;
	for (unsigned round = 0; round < 12; round++) {
		struct pyruntime runtime = {.runtime = BASE};
		struct pyobjects objects;
		struct pydict dict;

		runtime.layout = *pylayout_find(versions[round % 6]);
		memset(bytes, 0, sizeof(bytes));
		if (round >= 6)
			for (uint64_t at = 16384; at < BYTES; at += 8)
				put(at, object + 2048);
		put_type(object, type, "dict", PYOBJECT_DICT);
		put(object + 32, keys);
		put(keys + 8, round % 6 < 3 ? 1u << 20 : 0x20000614);
		put(keys + 24, (UINT64_C(1) << 24) - 1);
		put(keys + 32, (UINT64_C(1) << 24) - 1);
		reads = 0;
		assert_true(pyobjects_init(&objects, &runtime, &memory));
		assert_true(pydict_open(&objects, object, &dict));
		assert_int_equal(dict.count, (UINT64_C(1) << 24) - 1);
		assert_int_equal(pydict_find(&objects, dict, "none"), 0);
		assert_in_range(reads, 1, 500000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_threads_and_names),
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_large_dictionaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
