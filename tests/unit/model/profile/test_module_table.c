/* The module of a region, by all that may be recorded of one. */
#include "model/profile/module_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct module_case {
	struct region region;
	const char *module;
};

static void assert_modules(const struct module_case *cases, size_t count)
{
	const struct region **regions = calloc(count, sizeof(*regions));
	struct region_union all = {.regions = regions, .count = (uint32_t)count};
	struct module_table *table;

	for (size_t i = 0; i < count; i++)
		regions[i] = &cases[i].region;
	assert_int_equal(module_table_new(&all, &table), KYMO_OK);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(table->names[table->of[i]], cases[i].module);
	module_table_free(table);
	free(regions);
}

#define PYTHON(path)                                                                               \
	{                                                                                          \
		.kind = KYMO_REGION_PYTHON, .name = "f", .file = (path)                            \
	}

static void test_python_files(void **state)
{
	static const struct module_case cases[] = {
		{PYTHON("/usr/lib/python3.11/json/decoder.py"), "json"},
		{PYTHON("/usr/lib/python3.11/threading.py"), "threading"},
		{PYTHON("/opt/lib/python3.11/site-packages/numpy/core/x.py"), "numpy"},
		{PYTHON("/usr/lib/python3/dist-packages/six.py"), "six"},
		{PYTHON("/home/me/script.py"), "script"},
		{PYTHON("script"), "script"},
		{PYTHON(".py"), ".py"},
		{PYTHON("/home/me/own/__init__.py"), "own"},
		{PYTHON("/home/me/own/deep/__init__.py"), "own"},
		{PYTHON("/home/me/own/deep/part.py"), "own"},
		{PYTHON("/home/me/own/plain/part.py"), "part"},
		{PYTHON("<frozen importlib._bootstrap>"), "importlib"},
		{PYTHON("<frozen >"), "(unknown)"},
		{PYTHON("<string>"), "<string>"},
		{PYTHON(""), "(unknown)"},
		{PYTHON("/lib/python3.11/"), "(unknown)"},
		{PYTHON("bad\n\xff.py"), "bad\n\xef\xbf\xbd"},
		{PYTHON(NULL), "(unknown)"},
		{{.kind = KYMO_REGION_PYTHON, .name = "import numpy"}, "(imports)"},
	};

	(void)state;
	assert_modules(cases, COUNT_OF(cases));
}

static void test_other_kinds(void **state)
{
	static const struct module_case cases[] = {
		{{.kind = KYMO_REGION_PYTHON_C, .name = "dot", .module = "numpy.core"}, "numpy"},
		{{.kind = KYMO_REGION_PYTHON_C, .name = "len", .module = "builtins"}, "builtins"},
		{{.kind = KYMO_REGION_PYTHON_C, .name = "len"}, "builtins"},
		{{.kind = KYMO_REGION_PYTHON_METHOD, .name = "append", .module = "list"},
		 "builtins"},
		{{.kind = KYMO_REGION_PYTHON_METHOD, .name = "sum", .module = "numpy.ndarray"},
		 "numpy"},
		{{.kind = KYMO_REGION_NATIVE, .name = "f", .module = "/lib/libx.so.6"},
		 "libx.so.6"},
		{{.kind = KYMO_REGION_NATIVE, .name = "f"}, "(unknown)"},
		{{.kind = KYMO_REGION_NATIVE, .name = "futex (kernel)"}, "(kernel)"},
		{{.kind = KYMO_REGION_NATIVE, .name = "[waits for the GIL]"}, "(waiting)"},
		{{.kind = KYMO_REGION_PTHREAD, .name = "pthread_join"}, "(threads and waiting)"},
		{{.kind = KYMO_REGION_MPI, .name = "MPI_Send"}, "(MPI)"},
		{{.kind = KYMO_REGION_IO, .name = "read"}, "(input and output)"},
		{{.kind = KYMO_REGION_USER, .name = "step"}, "(annotated regions)"},
		{{.kind = KYMO_REGION_PROGRAM, .name = "a.out"}, "a.out"},
	};

	(void)state;
	assert_modules(cases, COUNT_OF(cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_python_files),
		cmocka_unit_test(test_other_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
