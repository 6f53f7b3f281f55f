/* Whose code a frame is of. */
#include "model/samples/sampled_frames.h"

#include "model/samples/sampled_origin.h"
#include "sampled_tables_fixture.h"

static void test_whose_code_it_is(void **state)
{
	static const struct {
		const char *path, *function;
		enum sampled_origin origin;
	} cases[] = {
		{"/usr/bin/python3.11", "f", SAMPLED_FROM_INTERPRETER},
		{"/usr/bin/python", "main", SAMPLED_FROM_INTERPRETER},
		{"/usr/lib/libpython3.13t.so.1.0", "f", SAMPLED_FROM_INTERPRETER},
		{"/usr/bin/python3-dbg", "f", SAMPLED_FROM_INTERPRETER},
		{"/usr/bin/pythonic", "f", SAMPLED_FROM_PROGRAM},
		{"/opt/python3/bin/tool", "f", SAMPLED_FROM_PROGRAM},
		{"/lib/x86_64-linux-gnu/libc.so.6", "memcpy", SAMPLED_FROM_LIBC},
		{"/lib/libcrypto.so.3", "f", SAMPLED_FROM_PROGRAM},
		{"/lib/libm.so.6", "exp", SAMPLED_FROM_LIBC},
		{"/lib/libmvec.so.1", "f", SAMPLED_FROM_PROGRAM},
		{"/lib64/ld-linux-x86-64.so.2", "_dl_fixup", SAMPLED_FROM_LIBC},
		{"[vdso]", "clock_gettime", SAMPLED_FROM_LIBC},
		{"/usr/lib/libkymo-locks.so", "f", SAMPLED_FROM_KYMO},
		{"/site-packages/kymo/_native.cpython-311-x86_64-linux-gnu.so", "f",
		 SAMPLED_FROM_KYMO},
		{"/site-packages/other/_native.cpython-311.so", "f", SAMPLED_FROM_PROGRAM},
		{"/lib/libc.so.6", "__libc_start_main", SAMPLED_FROM_MAIN_START},
		{"/lib/libc.so.6", "clone3", SAMPLED_FROM_START},
		{"/lib/libc.so.6", "__restore_rt", SAMPLED_FROM_TRAMPOLINE},
		{NULL, "[unknown]", SAMPLED_FROM_PROGRAM},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(sampled_origin_of(cases[i].path, cases[i].function),
				 cases[i].origin);
}

static void test_what_executes_python(void **state)
{
	static const char *const evaluation[] = {
		"PyNumber_Add",	   "_PyLong_Add",    "long_mul",	 "unicode_subscript",
		"subtype_dealloc", "tupleiter_next", "PyObject_GetAttr", "_PyEval_FrameClearAndPop",
		"slot_nb_add"};
	static const char *const called[] = {
		"builtin_sorted",      "cfunction_vectorcall_O",
		"PyObject_Vectorcall", "_PyObject_MakeTpCall",
		"method_vectorcall",   "call_function",
		"list_sort",	       "PyImport_ImportModuleLevelObject",
		"math_sqrt",	       "libpython3.11.so.1.0+0x1234"};

	(void)state;
	for (size_t i = 0; i < sizeof(evaluation) / sizeof(evaluation[0]); i++)
		assert_true(sampled_is_evaluation(evaluation[i]));
	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++)
		assert_false(sampled_is_evaluation(called[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_code_it_is),
		cmocka_unit_test(test_what_executes_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
