/* Ranks as the environment said them, and lists of ranks as people type them. */
#include "cli/options/rank_filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

static void test_lists(void **state)
{
	static const struct {
		const char *list;
		long rank;
		bool is_listed;
	} cases[] = {
		{"", 3, true},	     {"3", 3, true},
		{"3", 4, false},     {"0,4-7", 6, true},
		{"0,4-7", 8, false}, {"4-7", -1, true},
		{"x", 3, true},	     {"x,4", 3, false},
		{"7-4", 5, true},    {"-3", 3, true},
		{"3-", 3, true},     {"0x3", 3, true},
		{"2,3-", 3, false},  {"99999999999999999999,3", 3, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (rank_is_listed(cases[i].list, cases[i].rank) != cases[i].is_listed)
			fail_msg("%ld in '%s'", cases[i].rank, cases[i].list);
	}
}

static long rank(const char *const (*notes)[2], size_t count, const char *own)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	struct settings *settings = settings_new();
	struct recording *recording;
	long found;

	for (size_t i = 0; i < count; i++)
		synthetic_note(made, KYMO_NOTE_ENVIRONMENT, notes[i][0], notes[i][1]);
	synthetic_close(made, 10);
	recording = synthetic_open(made);
	assert_non_null(settings);
	assert_int_equal(
		settings_set(settings, "RANK_FILTER_ID", own, SETTING_FROM_ENVIRONMENT, NULL),
		KYMO_OK);
	found = rank_of(recording, settings);
	settings_free(settings);
	recording_free(recording);
	synthetic_free(made);
	return found;
}

static void test_ranks_of_launchers(void **state)
{
	static const char *const open_mpi[][2] = {{"OMPI_COMM_WORLD_RANK", "3"},
						  {"OMPI_COMM_WORLD_SIZE", "4"}};
	static const char *const beyond[][2] = {{"PMI_RANK", "4"}, {"PMI_SIZE", "4"}};
	static const char *const none[][2] = {{"PMI_RANK", "x"}, {"SLURM_PROCID", "2"}};
	static const char *const own[][2] = {{"MY_RANK", "7"}, {"PMI_RANK", "1"}};

	(void)state;
	assert_int_equal(rank(open_mpi, 2, ""), 3);
	assert_int_equal(rank(beyond, 2, ""), -1);
	assert_int_equal(rank(none, 2, ""), 2);
	assert_int_equal(rank(none, 1, ""), -1);
	assert_int_equal(rank(own, 2, "MY_RANK"), 7);
	assert_int_equal(rank(own, 2, "OTHER"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_ranks_of_launchers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
