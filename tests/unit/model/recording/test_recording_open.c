/* Opening recordings, whole and damaged. */
#include "model/recording/recording.h"

#include "model/recording/recording_open.h"
#include "recording_fixture.h"

static void assert_refused(const void *bytes, size_t size, const char *reason)
{
	struct recording *recording = NULL;
	struct problem problem = {""};

	assert_int_equal(recording_open_bytes(bytes, size, &recording, &problem), KYMO_FORMAT);
	assert_null(recording);
	if (!strstr(problem.text, reason))
		fail_msg("'%s' does not say '%s'", problem.text, reason);
}

static void test_reads_notes_and_program(void **state)
{
	struct synthetic *synthetic = sample();
	struct recording *recording = synthetic_open(synthetic);

	(void)state;
	assert_int_equal(recording->note_count, 3);
	assert_string_equal(recording_program(recording), "example.py");
	assert_string_equal(recording_note(recording, KYMO_NOTE_SETTING, "PROFILE"), "ON");
	assert_null(recording_note(recording, KYMO_NOTE_INFO, "PROFILE"));
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "argument"), "20");
	recording_free(recording);
	synthetic_free(synthetic);
}

static void test_reads_points(void **state)
{
	struct synthetic *synthetic = sample();
	struct recording *recording;
	struct kymo_point point;
	uint64_t index = 0;

	(void)state;
	/* A second chunk of points, behind an empty one. */
	synthetic_chunk(synthetic, KYMO_CHUNK_POINTS, KYMO_NO_THREAD, sizeof(point), 64, 0);
	recording = synthetic_open(synthetic);
	assert_int_equal(recording->series_count, 1);
	assert_string_equal(recording->series[0].name, "rss");
	assert_string_equal(recording->series[0].unit, "bytes");
	assert_int_equal(recording->series[0].thread, 0);
	assert_true(recording_point(recording, &index, &point));
	assert_true(point.value == 1024 && point.ticks == SYNTHETIC_START_TICKS + 150);
	assert_true(recording_point(recording, &index, &point));
	assert_true(point.value == 2048);
	assert_false(recording_point(recording, &index, &point));
	assert_false(recording_point(recording, &index, &point));
	recording_free(recording);
	synthetic_free(synthetic);
}

static void test_killed_process_ends_at_its_latest_time(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	uint32_t region = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
	uint32_t thread = synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	struct recording *recording;
	struct copy copy;

	(void)state;
	synthetic_enter(synthetic, thread, region, 500);
	copy = copy_of(synthetic);
	/* What was reserved and never used. */
	copy.bytes = realloc(copy.bytes, copy.size + 65536);
	memset(copy.bytes + copy.size, 0, 65536);
	copy.size += 65536;
	recording = open_copy(&copy);
	assert_false(recording->is_closed);
	assert_int_equal(recording->problem_count, 0);
	assert_int_equal(recording->end_ticks, SYNTHETIC_START_TICKS + 500);
	recording_free(recording);
	synthetic_event(synthetic, thread, KYMO_EVENT_LEAVE, region, 700, 0);
	recording = synthetic_open(synthetic);
	assert_int_equal(recording->end_ticks, SYNTHETIC_START_TICKS + 700);
	recording_free(recording);
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_counts_event_words(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_TRACE);
	uint32_t region = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
	uint32_t thread = synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	struct recording *recording;

	(void)state;
	recording = synthetic_open(synthetic);
	assert_int_equal(recording_event_words(recording), 0);
	recording_free(recording);
	synthetic_event(synthetic, thread, KYMO_EVENT_RESUME, region, 1, 0);
	synthetic_event(synthetic, thread, KYMO_EVENT_LEAVE, region, 2, 0);
	synthetic_extended(synthetic, thread, KYMO_EXTENDED_UNWIND_ALL, 3, 0);
	recording = synthetic_open(synthetic);
	assert_int_equal(recording_event_words(recording), 4);
	recording_free(recording);
	synthetic_free(synthetic);
}

static void test_refuses_what_is_no_recording(void **state)
{
	static const uint64_t zeros[KYMO_HEADER_SIZE / 8];
	struct synthetic *synthetic = sample();
	struct copy copy = copy_of(synthetic);

	(void)state;
	assert_refused(zeros, 0, "not a recording");
	assert_refused(zeros, sizeof(zeros), "not a recording");
	assert_refused(copy.bytes, 8, "cut off in its header");
	assert_refused(copy.bytes, KYMO_HEADER_SIZE - 1, "cut off in its header");
	header_of(&copy)->version = KYMO_FORMAT_VERSION_POSITIONS + 1;
	assert_refused(copy.bytes, copy.size, "format version 3");
	header_of(&copy)->version = KYMO_FORMAT_VERSION;
	header_of(&copy)->header_size = 8;
	assert_refused(copy.bytes, copy.size, "damaged");
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_open_says_which_file(void **state)
{
	char path[] = "/tmp/kymo-test-XXXXXX";
	struct recording *recording = NULL;
	struct problem problem;

	(void)state;
	assert_int_equal(recording_open("/nonexistent/x.kymo", &recording, &problem), KYMO_SYSTEM);
	assert_non_null(strstr(problem.text, "'/nonexistent/x.kymo'"));
	assert_int_equal(recording_open("/", &recording, &problem), KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "not a file"));
	close(mkstemp(path));
	assert_int_equal(recording_open(path, &recording, &problem), KYMO_FORMAT);
	assert_non_null(strstr(problem.text, "is empty"));
	assert_int_equal(recording_open(path, &recording, NULL), KYMO_FORMAT);
	unlink(path);
}

static void test_opens_a_file(void **state)
{
	char path[] = "/tmp/kymo-test-XXXXXX";
	struct synthetic *synthetic = sample();
	struct recording *recording = NULL;
	struct problem problem;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(synthetic_write(synthetic, path), 0);
	assert_int_equal(recording_open(path, &recording, &problem), KYMO_OK);
	assert_string_equal(recording->path, path);
	assert_string_equal(recording->regions[1].name, "run");
	recording_free(recording);
	unlink(path);
	synthetic_free(synthetic);
}

/* However short the file is cut, what is whole before the cut is read. */
static void test_truncated_anywhere(void **state)
{
	struct synthetic *synthetic = sample();
	struct copy copy = copy_of(synthetic);

	(void)state;
	for (size_t size = KYMO_HEADER_SIZE; size < copy.size; size += 8) {
		struct copy cut = {malloc(size), size};
		struct recording *recording;

		memcpy(cut.bytes, copy.bytes, size);
		recording = open_copy(&cut);
		assert_true(complains(recording, "cut off"));
		assert_true(recording->region_count >= 1);
		recording_free(recording);
		free(cut.bytes);
	}
	free(copy.bytes);
	synthetic_free(synthetic);
}

/* Any byte may be anything: nothing is read outside the file, nothing hangs. */
static void test_random_damage(void **state)
{
	struct synthetic *synthetic = sample();
	struct copy copy = copy_of(synthetic);
	unsigned short seed[3] = {1, 2, 3};

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct copy damaged = {malloc(copy.size), copy.size};
		struct recording *recording = NULL;

		memcpy(damaged.bytes, copy.bytes, copy.size);
		for (int i = 0; i < 20; i++)
			damaged.bytes[(size_t)nrand48(seed) % copy.size] =
				(unsigned char)nrand48(seed);
		if (recording_open_bytes(damaged.bytes, damaged.size, &recording, NULL) == KYMO_OK)
			recording_free(recording);
		free(damaged.bytes);
	}
	free(copy.bytes);
	synthetic_free(synthetic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_notes_and_program),
		cmocka_unit_test(test_reads_points),
		cmocka_unit_test(test_killed_process_ends_at_its_latest_time),
		cmocka_unit_test(test_counts_event_words),
		cmocka_unit_test(test_refuses_what_is_no_recording),
		cmocka_unit_test(test_open_says_which_file),
		cmocka_unit_test(test_opens_a_file),
		cmocka_unit_test(test_truncated_anywhere),
		cmocka_unit_test(test_random_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
