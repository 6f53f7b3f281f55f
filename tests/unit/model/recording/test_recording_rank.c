/* Which rank a recording is of. */
#include "model/recording/recording_rank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

struct rank_case {
	enum kymo_note_kind kind;
	const char *notes[4]; /* keys and values */
	int32_t rank;
	uint32_t count;
};

static void assert_case(const struct rank_case *expected)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	struct recording *recording;

	for (size_t i = 0; i < 4 && expected->notes[i]; i += 2)
		synthetic_note(made, expected->kind, expected->notes[i], expected->notes[i + 1]);
	synthetic_close(made, 10);
	recording = synthetic_open(made);
	assert_int_equal(recording_rank(recording), expected->rank);
	assert_int_equal(recording_rank_count(recording), expected->count);
	recording_free(recording);
	synthetic_free(made);
}

static void test_ranks(void **state)
{
	static const struct rank_case cases[] = {
		{KYMO_NOTE_INFO, {NULL}, -1, 0},
		{KYMO_NOTE_INFO, {"rank", "3"}, 3, 0},
		{KYMO_NOTE_INFO, {"rank", "3", "ranks", "4"}, 3, 4},
		{KYMO_NOTE_INFO, {"rank", "4", "ranks", "4"}, -1, 4},
		{KYMO_NOTE_INFO, {"rank", "99999999999999999999"}, -1, 0},
		{KYMO_NOTE_INFO, {"rank", "4294967297"}, -1, 0},
		{KYMO_NOTE_INFO, {"rank", "3x"}, -1, 0},
		{KYMO_NOTE_INFO, {"rank", ""}, -1, 0},
		{KYMO_NOTE_INFO, {"rank", "-1"}, -1, 0},
		{KYMO_NOTE_ENVIRONMENT, {"PMI_RANK", "1", "PMI_SIZE", "2"}, 1, 2},
		{KYMO_NOTE_ENVIRONMENT, {"OMPI_COMM_WORLD_RANK", "0", "PMIX_RANK", "5"}, 0, 0},
		{KYMO_NOTE_ENVIRONMENT, {"PMIX_RANK", "5"}, 5, 0},
		/* A batch script is no rank, a task of a step is. */
		{KYMO_NOTE_ENVIRONMENT, {"SLURM_PROCID", "0"}, -1, 0},
		{KYMO_NOTE_ENVIRONMENT, {"SLURM_PROCID", "2", "SLURM_STEP_NUM_TASKS", "8"}, 2, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_case(&cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
