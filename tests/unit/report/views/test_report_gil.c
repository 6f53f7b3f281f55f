/* Python's GIL: what every thread had of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/report_sampled_fixture.h"

static struct synthetic *made_exact(void)
{
	static const struct {
		const char *name;
		double value;
	} numbers[] = {{"GIL held", 60e-6},
		       {"GIL waited", 5e-6},
		       {"GIL taken", 4},
		       {"GIL handed over", 2}};
	struct synthetic *made = report_fixture_run(1);

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		uint32_t series = synthetic_series(made, numbers[i].name, "", 0);

		synthetic_point(made, series, 50 * US, numbers[i].value);
	}
	return made;
}

static void test_exact_numbers(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin_one(&fixture, made_exact());
	ASSERT_VIEW(&fixture, report_gil,
		    "pid,thread,held,held_percent,waited,waited_percent,taken,handed_over,name\n"
		    "40,0,6e-05,60,5e-06,5,4,2,MainThread\n");
	report_fixture_release(&fixture);
}

/* f holds it for 60 units, in the last 40 of which the other thread waits for it. */
static void begin_contended(struct report_fixture *fixture)
{
	struct sampled_fixture sampled = begin();
	uint32_t f = code_of_lines(&sampled, "f", 10), g = code_of_lines(&sampled, "g", 20);
	uint32_t other = synthetic_thread(sampled.synthetic, 0, "other", 0), stack;

	synthetic_sample(sampled.synthetic, other, KYMO_SAMPLE_BEGIN, 0, 20 * UNIT, 0,
			 SYNTHETIC_NONE, SYNTHETIC_NONE);
	stack = synthetic_stack(sampled.synthetic, other, 0, python(g, 0));
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_HELD, 60 * UNIT,
			 STACK(&sampled, python(f, 0)), SYNTHETIC_NONE, SYNTHETIC_NONE);
	synthetic_sample(sampled.synthetic, other, KYMO_SAMPLE_REALTIME, KYMO_GIL_WAITED_FOR,
			 60 * UNIT, stack, SYNTHETIC_NONE, SYNTHETIC_NONE);
	sampled.time = 60;
	report_fixture_begin_sampled(fixture, &sampled);
}

static void test_samples_and_the_lines_that_held_it(void **state)
{
	struct report_fixture fixture;

	(void)state;
	begin_contended(&fixture);
	ASSERT_VIEW(&fixture, report_gil,
		    "pid,thread,held,held_percent,waited,waited_percent,taken,handed_over,name\n"
		    "40,0,6.144e-05,98.3606557377,0,0,,,MainThread\n"
		    "40,1,0,0,4.096e-05,65.5737704918,,,other\n"
		    "\n"
		    "waited,held,blocking,line,file,function\n"
		    "4.096e-05,6.144e-05,4.096e-05,10,/src/a.py,f\n");
	ASSERT_TEXT(
		&fixture, report_gil,
		"PID  THREAD     HELD  % HELD   WAITED  % WAITED  TAKEN  OF OTHERS  NAME\n"
		" 40       0  61.4 us    98.4      0 s       0.0      -          -  MainThread\n"
		" 40       1      0 s     0.0  41.0 us      65.6      -          -  other\n"
		"\n"
		"lines that held it while others waited:\n"
		"OTHERS LOST     HELD  IN THE WAY  LINE  FILE       FUNCTION\n"
		"    41.0 us  61.4 us     41.0 us    10  /src/a.py  f\n");
	report_fixture_release(&fixture);
}

static void test_no_gil(void **state)
{
	struct report_fixture fixture;

	(void)state;
	report_fixture_begin(&fixture, 1);
	ASSERT_TEXT(&fixture, report_gil,
		    "PID  THREAD  HELD  % HELD  WAITED  % WAITED  TAKEN  OF OTHERS  NAME\n"
		    "(no thread was seen to hold a GIL; 'kymo sample' and 'kymo run --gil' record "
		    "it)\n");
	report_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_numbers),
		cmocka_unit_test(test_samples_and_the_lines_that_held_it),
		cmocka_unit_test(test_no_gil),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
