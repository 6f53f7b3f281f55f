/* timemory's JSON of a metric: rows and tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/outputs/metric_json.h"
#include "model/profile/metric_view.h"
#include "report/report_fixture.h"

struct shown {
	struct report_fixture fixture;
	struct rows *rows;
	struct metric_view view;
};

static void begin(struct shown *shown, size_t count, const char *metric)
{
	const struct settings *settings;
	struct rows_options options;

	report_fixture_begin(&shown->fixture, count);
	settings = shown->fixture.report.settings;
	options = rows_options_from(settings);
	assert_int_equal(rows_new(shown->fixture.loaded->trees, count, &options, &shown->rows),
			 KYMO_OK);
	assert_int_equal(metric_view_init(&shown->view, shown->rows, metric, settings, NULL),
			 KYMO_OK);
}

/* From that key on: what is before tells how many processors there are. */
static const char *written(struct shown *shown, void (*write)(const struct metric_view *, FILE *),
			   const char *key)
{
	const char *from;
	size_t size;
	FILE *out;

	free(shown->fixture.text);
	out = open_memstream(&shown->fixture.text, &size);
	write(&shown->view, out);
	fclose(out);
	from = strstr(shown->fixture.text, key);
	assert_non_null(from);
	return from;
}

static void end(struct shown *shown)
{
	rows_free(shown->rows);
	report_fixture_release(&shown->fixture);
}

static void test_rows(void **state)
{
	struct shown shown;

	(void)state;
	begin(&shown, 1, "trip_count");
	assert_string_equal(
		written(&shown, metric_write_flat_json, "\"ranks\""),
		"\"ranks\":[{\"rank\":0,\"pid\":40,\"graph_size\":4,\"graph\":[\n"
		"{\"hash\":9922177756001819210,\"prefix\":\"|0>>> "
		"run\",\"depth\":0,\"entry\":{\"laps\":1,\"value\":1,\"accum\":1,\"repr_data\":1,"
		"\"repr_display\":1},\"stats\":{\"sum\":1,\"count\":1,\"min\":1,\"max\":1,\"sqr\":"
		"0,\"mean\":1,\"stddev\":0},\"open\":false},\n"
		"{\"hash\":14848065251155538409,\"prefix\":\"|0>>> "
		"|_load\",\"depth\":1,\"entry\":{\"laps\":2,\"value\":2,\"accum\":2,\"repr_data\":"
		"2,\"repr_display\":2},\"stats\":{\"sum\":2,\"count\":2,\"min\":1,\"max\":1,"
		"\"sqr\":0,\"mean\":1,\"stddev\":0},\"open\":false},\n"
		"{\"hash\":4513973936507620528,\"prefix\":\"|0>>> "
		"|_solve\",\"depth\":1,\"entry\":{\"laps\":1,\"value\":1,\"accum\":1,\"repr_data\":"
		"1,\"repr_display\":1},\"stats\":{\"sum\":1,\"count\":1,\"min\":1,\"max\":1,"
		"\"sqr\":0,\"mean\":1,\"stddev\":0},\"open\":false},\n"
		"{\"hash\":14848065251155538409,\"prefix\":\"|0>>>   "
		"|_load\",\"depth\":2,\"entry\":{\"laps\":1,\"value\":1,\"accum\":1,\"repr_data\":"
		"1,\"repr_display\":1},\"stats\":{\"sum\":1,\"count\":1,\"min\":1,\"max\":1,"
		"\"sqr\":0,\"mean\":1,\"stddev\":0},\"open\":false}]}]}}}\n");
	end(&shown);
}

static void test_description(void **state)
{
	struct shown shown;

	(void)state;
	begin(&shown, 1, "wall_clock");
	written(&shown, metric_write_flat_json, "{");
	assert_int_equal(strncmp(shown.fixture.text, "{\"timemory\":{\"wall_clock\":{", 27), 0);
	assert_non_null(strstr(shown.fixture.text, "\"type\":\"wall_clock\""));
	assert_non_null(strstr(shown.fixture.text, "\"unit_repr\":\"sec\""));
	assert_non_null(strstr(shown.fixture.text, "\"process_count\":1"));
	end(&shown);
}

static void test_a_list_a_process(void **state)
{
	struct shown shown;

	(void)state;
	begin(&shown, 2, "trip_count");
	written(&shown, metric_write_flat_json, "\"ranks\"");
	assert_non_null(strstr(shown.fixture.text, "\"rank\":0,\"pid\":40,\"graph_size\":4"));
	assert_non_null(strstr(shown.fixture.text, "\"rank\":1,\"pid\":41,\"graph_size\":4"));
	end(&shown);
}

static void test_tree(void **state)
{
	struct shown shown;

	(void)state;
	begin(&shown, 1, "trip_count");
	assert_string_equal(
		written(&shown, metric_write_tree_json, "\"mpi\""),
		"\"mpi\":[[\n"
		"{\"node\":{\"hash\":0,\"prefix\":\"unknown-hash=0\",\"tid\":[0],\"pid\":[40],"
		"\"depth\":0,\"is_dummy\":true,\"inclusive\":{\"entry\":{\"laps\":0,\"value\":0,"
		"\"accum\":0,\"repr_data\":0,\"repr_display\":0},\"stats\":{\"sum\":0,\"count\":0,"
		"\"min\":0,\"max\":0,\"sqr\":0,\"mean\":0,\"stddev\":0}},\"exclusive\":{\"entry\":{"
		"\"laps\":0,\"value\":0,\"accum\":0,\"repr_data\":0,\"repr_display\":0},\"stats\":{"
		"\"sum\":0,\"count\":0,\"min\":0,\"max\":0,\"sqr\":0,\"mean\":0,\"stddev\":0}}},"
		"\"children\":[\n"
		"{\"node\":{\"hash\":9922177756001819210,\"prefix\":\"run\",\"tid\":[0],\"pid\":["
		"40],\"depth\":1,\"is_dummy\":false,\"inclusive\":{\"entry\":{\"laps\":1,\"value\":"
		"1,\"accum\":1,\"repr_data\":1,\"repr_display\":1},\"stats\":{\"sum\":1,\"count\":"
		"1,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,\"stddev\":0}},\"exclusive\":{"
		"\"entry\":{\"laps\":1,\"value\":1,\"accum\":1,\"repr_data\":1,\"repr_display\":1},"
		"\"stats\":{\"sum\":1,\"count\":1,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,"
		"\"stddev\":0}}},\"children\":[\n"
		"{\"node\":{\"hash\":14848065251155538409,\"prefix\":\"load\",\"tid\":[0],\"pid\":["
		"40],\"depth\":2,\"is_dummy\":false,\"inclusive\":{\"entry\":{\"laps\":2,\"value\":"
		"2,\"accum\":2,\"repr_data\":2,\"repr_display\":2},\"stats\":{\"sum\":2,\"count\":"
		"2,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,\"stddev\":0}},\"exclusive\":{"
		"\"entry\":{\"laps\":2,\"value\":2,\"accum\":2,\"repr_data\":2,\"repr_display\":2},"
		"\"stats\":{\"sum\":2,\"count\":2,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,"
		"\"stddev\":0}}},\"children\":[]},\n"
		"{\"node\":{\"hash\":4513973936507620528,\"prefix\":\"solve\",\"tid\":[0],\"pid\":["
		"40],\"depth\":2,\"is_dummy\":false,\"inclusive\":{\"entry\":{\"laps\":1,\"value\":"
		"1,\"accum\":1,\"repr_data\":1,\"repr_display\":1},\"stats\":{\"sum\":1,\"count\":"
		"1,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,\"stddev\":0}},\"exclusive\":{"
		"\"entry\":{\"laps\":1,\"value\":1,\"accum\":1,\"repr_data\":1,\"repr_display\":1},"
		"\"stats\":{\"sum\":1,\"count\":1,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,"
		"\"stddev\":0}}},\"children\":[\n"
		"{\"node\":{\"hash\":14848065251155538409,\"prefix\":\"load\",\"tid\":[0],\"pid\":["
		"40],\"depth\":3,\"is_dummy\":false,\"inclusive\":{\"entry\":{\"laps\":1,\"value\":"
		"1,\"accum\":1,\"repr_data\":1,\"repr_display\":1},\"stats\":{\"sum\":1,\"count\":"
		"1,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,\"stddev\":0}},\"exclusive\":{"
		"\"entry\":{\"laps\":1,\"value\":1,\"accum\":1,\"repr_data\":1,\"repr_display\":1},"
		"\"stats\":{\"sum\":1,\"count\":1,\"min\":1,\"max\":1,\"sqr\":0,\"mean\":1,"
		"\"stddev\":0}}},\"children\":[]}]}]}]}]]}}}\n");
	end(&shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_description),
		cmocka_unit_test(test_a_list_a_process),
		cmocka_unit_test(test_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
