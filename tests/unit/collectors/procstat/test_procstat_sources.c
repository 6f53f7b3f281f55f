/* The table of sources: each once, in the order in which they are read. */
#include "collectors/procstat/procstat_sources.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SOURCE(source) const struct procstat_source procstat_##source = {.name = #source}

SOURCE(cgroup);
SOURCE(children);
SOURCE(counters);
SOURCE(cpu);
SOURCE(energy);
SOURCE(files);
SOURCE(frequency);
SOURCE(io);
SOURCE(load);
SOURCE(network);
SOURCE(peak);
SOURCE(pressure);
SOURCE(process);
SOURCE(temperature);
SOURCE(threads);

static void test_each_once(void **state)
{
	(void)state;
	assert_int_equal(procstat_source_count, 15);
	for (size_t i = 0; i < procstat_source_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_ptr_not_equal(procstat_sources[i], procstat_sources[j]);
}

/* The process's own numbers are nearest to the moment of the reading. */
static void test_the_process_is_read_first(void **state)
{
	(void)state;
	assert_ptr_equal(procstat_sources[0], &procstat_process);
	assert_ptr_equal(procstat_sources[1], &procstat_threads);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once),
		cmocka_unit_test(test_the_process_is_read_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
