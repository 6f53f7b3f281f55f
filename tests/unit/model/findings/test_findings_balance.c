/* Ranks, threads and repeats that differ. */
#include "model/findings/findings.h"

#include "findings_fixture.h"
#include "model/recording/recording_open.h"
#include "writer/recording_writer_events.h"
#include "writer/recording_writer_parts.h"

/* Ranks that are in "work" for so long and in "other" for the rest; count of work_ns. */
static struct fixture ranks_of(const uint64_t *work_ns, size_t count, const char *told)
{
	struct fixture fixture = {.count = count};

	for (size_t i = 0; i < count; i++) {
		struct synthetic *made = MAKE("work", "other");
		char rank[16];

		snprintf(rank, sizeof(rank), "%zu", i);
		synthetic_header(made)->pid = 100 + (uint32_t)i;
		synthetic_note(made, KYMO_NOTE_INFO, "rank", rank);
		synthetic_note(made, KYMO_NOTE_INFO, "ranks", told);
		synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
		if (work_ns[i] > 0)
			visit(made, 0, 1, 0, work_ns[i]);
		visit(made, 0, 2, work_ns[i], 1000);
		synthetic_close(made, 1000);
		fixture.made[i] = made;
	}
	open_all(&fixture);
	return fixture;
}

static void test_idle_ranks(void **state)
{
	struct fixture fixture = ranks_of((const uint64_t[]){500, 0, 500, 0}, 4, "4");

	(void)state;
	assert_found(&fixture, "idle ranks", "2 of 4 ranks do no work in `work`.");
	fixture = ranks_of((const uint64_t[]){500, 500, 500, 0}, 4, "4");
	assert_found(&fixture, "idle ranks", "1 of 4 ranks does no work in `work`.");
	fixture = ranks_of((const uint64_t[]){500, 100, 500, 100}, 4, "4"); /* all have some */
	assert_found(&fixture, "idle ranks", NULL);
	fixture = ranks_of((const uint64_t[]){50, 0, 50, 50}, 4, "4"); /* it is little */
	assert_found(&fixture, "idle ranks", NULL);
}

static void test_uneven_ranks(void **state)
{
	struct fixture fixture = ranks_of((const uint64_t[]){100, 100, 100, 500}, 4, "4");

	(void)state;
	assert_found(&fixture, "uneven",
		     "Ranks are uneven in `work`: rank 3 takes 500 ns, the mean is 200 ns; if the "
		     "others wait for it, they lose 1.20 us.");
	fixture = ranks_of((const uint64_t[]){450, 500, 480, 500}, 4, "4");
	assert_found(&fixture, "uneven", NULL);
}

static void test_missing_ranks(void **state)
{
	struct fixture fixture = ranks_of((const uint64_t[]){500, 500}, 2, "8");

	(void)state;
	assert_found(&fixture, "missing ranks", "Of 8 ranks 6 left no recording here.");
	fixture = ranks_of((const uint64_t[]){500, 500}, 2, "2");
	assert_found(&fixture, "missing ranks", NULL);
}

/* A thread that has another task is none that is behind. */
static void test_threads_with_other_tasks(void **state)
{
	for (uint64_t last_ns = 500; last_ns <= 900; last_ns += 400) {
		struct synthetic *made = MAKE("work", "other");
		struct fixture fixture;

		(void)state;
		for (uint32_t i = 0; i < 4; i++) {
			synthetic_thread(made, i ? 0 : KYMO_NO_THREAD, NULL, 0);
			visit(made, i, i ? 1 : 2, 0, i == 3 ? last_ns : 500);
		}
		fixture = close_one(made, 1000);
		assert_found(&fixture, "uneven",
			     last_ns > 500 ? "Threads are uneven in `work`: thread 3 takes 900 ns, "
					     "the mean is 633 ns; if the others wait for it, they "
					     "lose 800 ns."
					   : NULL);
	}
}

/* A merged recording of runs that took so long. */
static struct fixture repeats_of(const uint64_t *run_ns, size_t count)
{
	char path[] = "/tmp/kymo-findings-XXXXXX", name[16];
	struct recording_writer_header made = {
		.program = "worker", .duration_ns = 1000, .flags = KYMO_HEADER_MERGED};
	const struct region work = {.kind = KYMO_REGION_PYTHON, .name = "work"};
	struct fixture fixture = {.count = 1};
	struct recording_writer *maker;
	struct problem problem;
	int file = mkstemp(path);

	assert_true(file >= 0);
	close(file);
	assert_int_equal(recording_writer_new(path, &made, &maker, &problem), KYMO_OK);
	assert_int_equal(recording_writer_region(maker, &work), 1);
	recording_writer_thread(maker, NULL, 1, 0, 1000, 0);
	for (size_t i = 0; i < count; i++) {
		struct recording_share share = {
			.region = 1, .count = 1, .self_ns = run_ns[i], .total_ns = run_ns[i]};
		struct recording_part part = {.run = name, .pid = 1, .rank = -1};

		snprintf(name, sizeof(name), "run%zu", i);
		share.part = recording_writer_part(maker, &part);
		recording_writer_share(maker, &share);
	}
	recording_writer_node(maker, &(struct recording_writer_node){
					     .region = 1,
					     .parent = recording_writer_root(
						     maker, &(struct recording_writer_node){0}),
					     .count = count,
					     .sum_ns = 500});
	assert_int_equal(recording_writer_commit(maker, &problem), KYMO_OK);
	assert_int_equal(recording_open(path, &fixture.recordings[0], &problem), KYMO_OK);
	unlink(path);
	open_all(&fixture);
	return fixture;
}

static void test_repeats(void **state)
{
	struct fixture fixture = repeats_of((const uint64_t[]){100, 200, 300}, 3);

	(void)state;
	assert_found(&fixture, "repeats",
		     "The 3 runs differ: 200 ns on average, with a standard deviation of 100 ns "
		     "(50 %).");
	fixture = repeats_of((const uint64_t[]){100, 200, 900}, 3); /* they wait for nobody */
	assert_found(&fixture, "uneven", NULL);
	fixture = repeats_of((const uint64_t[]){199, 200, 201}, 3);
	assert_found(&fixture, "repeats", NULL);
	fixture = repeats_of((const uint64_t[]){200}, 1);
	assert_found(&fixture, "repeats", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_ranks),
		cmocka_unit_test(test_uneven_ranks),
		cmocka_unit_test(test_missing_ranks),
		cmocka_unit_test(test_threads_with_other_tasks),
		cmocka_unit_test(test_repeats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
