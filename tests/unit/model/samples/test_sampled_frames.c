/* Frames of samples: native and Python ones, lines, and shared regions. */
#include "model/samples/sampled_frames.h"

#include "sampled_tree_fixture.h"

static void test_python_and_native(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t outer = synthetic_code(sampled.synthetic, "outer", "/src/a.py", 1);
	uint32_t inner = synthetic_code(sampled.synthetic, "inner", "/src/a.py", 9);
	uint64_t run = native(INTERPRETER + 1), call = native(INTERPRETER + 2);
	uint64_t start[] = {native(LIBC + 1), run};

	(void)state;
	/* Python code; a helper of the interpreter; what that calls in the C library. */
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, start[0], run, python(outer, 2)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2,
	    STACK(&sampled, start[0], run, python(outer, 2), call), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 4,
	    STACK(&sampled, start[0], run, python(outer, 2), call, native(LIBC + 9)),
	    SYNTHETIC_NONE);
	/* Another place of the same function, and a callback through an extension. */
	put(&sampled, KYMO_SAMPLE_REALTIME, 8,
	    STACK(&sampled, start[0], run, python(outer, 6), call, native(EXTENSION + 1),
		  native(LIBC + 9)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 16,
	    STACK(&sampled, start[0], run, python(outer, 6), call, native(EXTENSION + 2), call,
		  python(inner, 0)),
	    SYNTHETIC_NONE);
	/* A system call of the interpreter. */
	put(&sampled, KYMO_SAMPLE_REALTIME, 32,
	    STACK(&sampled, start[0], run, python(outer, 8), call, native(LIBC + 3), kernel(230)),
	    SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "outer 63/7\n"
			       " _multiarray.so+0x1 8/0\n"
			       "  libc.so.6+0x9 8/8\n"
			       " _multiarray.so+0x2 16/0\n"
			       "  inner 16/16\n"
			       " clock_nanosleep (kernel) 32/32\n");
	make_tree(&sampled, &(struct sampled_options){.keeps_internal = true});
	assert_paths(&sampled, "libc.so.6+0x1 63/0\n"
			       " libpython3.11.so.1.0+0x1 63/0\n"
			       "  outer 63/1\n"
			       "   libpython3.11.so.1.0+0x2 62/2\n"
			       "    libc.so.6+0x9 4/4\n"
			       "    _multiarray.so+0x1 8/0\n"
			       "     libc.so.6+0x9 8/8\n"
			       "    _multiarray.so+0x2 16/0\n"
			       "     libpython3.11.so.1.0+0x2 16/0\n"
			       "      inner 16/16\n"
			       "    libc.so.6+0x3 32/0\n"
			       "     clock_nanosleep (kernel) 32/32\n");
	end(&sampled);
}

static void test_lines(void **state)
{
	/* CPython 3.9: a line for every two bytes. */
	static const unsigned char table[] = {2, 1, 2, 1, 2, 1};
	struct sampled_fixture sampled = begin();
	uint32_t code = synthetic_code(sampled.synthetic, "f", "/src/a.py", 5);
	struct kymo_code *record = synthetic_code_at(sampled.synthetic, code);

	(void)state;
	record->version = 3 << 8 | 9;
	record->lines = synthetic_string_of(sampled.synthetic, table, sizeof(table));
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, python(code, 0)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, STACK(&sampled, python(code, 4)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 4, STACK(&sampled, python(code, 5)), SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "f 7/7\n");
	make_tree(&sampled, &(struct sampled_options){.has_lines = true});
	assert_paths(&sampled, "[f][a.py:5] 1/1\n[f][a.py:7] 6/6\n");
	end(&sampled);
}

/* What lies between native code and the Python code that called it may be lost; at the end of a
 * stack it shows that something is missing. */
static void test_what_was_not_found_between(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t code = synthetic_code(sampled.synthetic, "f", "/src/a.py", 5);
	uint64_t lost = kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_LOST);

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 2,
	    STACK(&sampled, python(code, 0), lost, native(EXTENSION + 1)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, lost, native(EXTENSION + 1)),
	    SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "f 2/0\n"
			       " _multiarray.so+0x1 2/2\n"
			       "[callers not found] 1/0\n"
			       " _multiarray.so+0x1 1/1\n");
	end(&sampled);
}

/* What other collectors recorded of the same function is the same region. */
static void test_regions_are_shared(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t code = synthetic_code(sampled.synthetic, "f", "/src/a.py", 5);
	uint32_t again = synthetic_code(sampled.synthetic, "f", "/src/a.py", 5);
	uint32_t known = synthetic_region(sampled.synthetic, KYMO_REGION_PYTHON, "f");
	uint32_t count;

	(void)state;
	synthetic_region_at(sampled.synthetic, known)->file =
		synthetic_string(sampled.synthetic, "/src/a.py");
	synthetic_region_at(sampled.synthetic, known)->line = 5;
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, python(code, 0)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, python(again, 0)), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, native(PROGRAM)), SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_int_equal(sampled.tree->node_count, 3);
	assert_int_equal(sampled.tree->nodes[1].region, known);
	count = sampled.recording->region_count;
	make_tree(&sampled, &plain);
	assert_int_equal(sampled.recording->region_count, count);
	end(&sampled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_and_native),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_what_was_not_found_between),
		cmocka_unit_test(test_regions_are_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
