/* What recording took of the time between two records, by how much work lies between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/functions/functions.h"
#include "model/functions/measuring.h"

static char note_text[64];
static struct note note = {
	.kind = KYMO_NOTE_INFO, .key = KYMO_FUNCTION_COSTS_NOTE, .value = note_text};
static struct functions functions = {.first_region = 1, .taken_count = 5};

/* text: of the note; NULL = there is none.  Of a call 10 ns, of them 6 inside. */
static struct measuring measuring_with(struct recording *recording, const char *text)
{
	*recording = (struct recording){.functions = &functions, .notes = &note};
	functions.cost_ps = 10000;
	functions.inside_ps = 6000;
	if (text) {
		strcpy(note_text, text);
		recording->note_count = 1;
	}
	return measuring_of(recording);
}

static void near(double value, double expected)
{
	if (value < expected - 1e-6 || value > expected + 1e-6)
		fail_msg("%f, not %f", value, expected);
}

/* As the model has it: less and less with more work, down to what is left beside work. */
static double cost_of_work(double empty, double beside, double work)
{
	double rest = 1 - work / (2 * (empty - beside));

	return beside + (empty - beside) * (rest > 0 ? rest : 0);
}

static void test_work_is_found_again(void **state)
{
	static const double works[] = {0, 0.5, 3, 7.9, 8.1, 20, 27.9, 28.1, 60, 5000};
	static const double counts[][2] = {{1, 0}, {1000, 0}, {1, 1000}, {500, 500}, {0, 40}};
	struct recording recording;
	struct measuring measuring = measuring_with(&recording, "16000 8000 2000 4000");

	(void)state;
	assert_true(measuring_is_known(&measuring));
	for (size_t i = 0; i < sizeof(works) / sizeof(*works); i++)
		for (size_t j = 0; j < sizeof(counts) / sizeof(*counts); j++) {
			double visits = counts[j][0], calls = counts[j][1];
			double inside = cost_of_work(16, 2, works[i]);
			double outside = cost_of_work(8, 4, works[i]);
			double own =
				(visits + calls) * works[i] + visits * inside + calls * outside;
			struct measuring_cost cost =
				measuring_between(&measuring, own, visits, calls);

			near(cost.inside, inside);
			near(cost.outside, outside);
		}
}

/* Less than recording alone takes: nothing is known but that there was no work. */
static void test_hardly_any_time(void **state)
{
	struct recording recording;
	struct measuring measuring = measuring_with(&recording, "16000 8000 2000 4000");
	struct measuring_cost cost = measuring_between(&measuring, 100, 10, 10);

	(void)state;
	near(cost.inside, 16);
	near(cost.outside, 8);
	cost = measuring_between(&measuring, -5, 10, 10);
	near(cost.inside, 16);
	cost = measuring_between(&measuring, 100, 0, 0);
	near(cost.inside + cost.outside, 0);
}

/* Earlier versions: of both parts together, and how long the work is that makes the difference. */
static void test_earlier_versions(void **state)
{
	struct recording recording;
	struct measuring measuring = measuring_with(&recording, "20000 10000 100000");
	struct measuring_cost cost = measuring_between(&measuring, 1e6, 1, 0);

	(void)state;
	near(cost.inside, 6);
	near(cost.outside, 4);
	cost = measuring_between(&measuring, 50 + 9, 1, 0);
	near(cost.inside, 9);
	measuring = measuring_with(&recording, NULL);
	cost = measuring_between(&measuring, 1, 1, 0);
	near(cost.inside, 6);
	near(cost.outside, 4);
}

/* What cannot be is damage; the table's own figure stands. */
static void test_impossible_costs(void **state)
{
	static const char *const texts[] = {"",		  "x",	   "-1 2 3 4", "1 nan 2 3",
					    "1e40 2 3 4", "12000", "1 2",      "0 0 0"};
	struct recording recording;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct measuring measuring = measuring_with(&recording, texts[i]);
		struct measuring_cost cost = measuring_between(&measuring, 1, 1, 0);

		near(cost.inside, 6);
		near(cost.outside, 4);
	}
	functions.inside_ps = 0;
	recording.note_count = 0;
	assert_false(measuring_is_known(&(struct measuring){.recording = &recording}));
}

/* Beside work it is never more than with nothing. */
static void test_never_more_beside_work(void **state)
{
	struct recording recording;
	struct measuring measuring = measuring_with(&recording, "5000 5000 9000 9000");
	struct measuring_cost cost = measuring_between(&measuring, 1000, 1, 0);

	(void)state;
	near(cost.inside, 5);
	near(cost.outside, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_is_found_again),
		cmocka_unit_test(test_hardly_any_time),
		cmocka_unit_test(test_earlier_versions),
		cmocka_unit_test(test_impossible_costs),
		cmocka_unit_test(test_never_more_beside_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
