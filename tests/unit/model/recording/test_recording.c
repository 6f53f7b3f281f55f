/* Opening recordings: what is read, and what is left out of damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/recording/recording.h"
#include "synthetic.h"

/* A copy that a test may damage. */
struct copy {
	unsigned char *bytes;
	size_t size;
};

static struct copy copy_of(struct synthetic *synthetic)
{
	struct copy copy;
	const void *bytes = synthetic_bytes(synthetic, &copy.size);

	copy.bytes = malloc(copy.size);
	assert_non_null(copy.bytes);
	memcpy(copy.bytes, bytes, copy.size);
	return copy;
}

static struct kymo_header *header_of(struct copy *copy)
{
	return (struct kymo_header *)(void *)copy->bytes;
}

static struct recording *open_copy(const struct copy *copy)
{
	struct recording *recording = NULL;
	struct problem problem = {""};

	if (recording_open_bytes(copy->bytes, copy->size, &recording, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return recording;
}

static void assert_refused(const void *bytes, size_t size, const char *reason)
{
	struct recording *recording = NULL;
	struct problem problem = {""};

	assert_int_equal(recording_open_bytes(bytes, size, &recording, &problem), KYMO_FORMAT);
	assert_null(recording);
	if (!strstr(problem.text, reason))
		fail_msg("'%s' does not say '%s'", problem.text, reason);
}

static bool complains(const struct recording *recording, const char *text)
{
	for (size_t i = 0; i < recording->problem_count; i++) {
		if (strstr(recording->problems[i], text))
			return true;
	}
	return false;
}

/* One region of every property, two threads, notes, a series. */
static struct synthetic *sample(void)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	uint32_t run = synthetic_region(synthetic, KYMO_REGION_PYTHON, "run");
	struct kymo_region *region = synthetic_region_at(synthetic, run);
	uint32_t main_thread, worker, series;

	region->qualname = synthetic_string(synthetic, "Job.run");
	region->module = synthetic_string(synthetic, "jobs");
	region->file = synthetic_string(synthetic, "/src/jobs.py");
	region->arguments = synthetic_string(synthetic, "(n=5)");
	region->line = 12;
	region->argument_count = 1;
	region->local_count = 2;
	region->stack_size = 3;
	main_thread = synthetic_thread(synthetic, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_enter(synthetic, main_thread, run, 100);
	worker = synthetic_thread(synthetic, main_thread, NULL, 200);
	synthetic_thread_end(synthetic, worker, 300);
	synthetic_leave(synthetic, main_thread, run, 400);
	synthetic_note(synthetic, KYMO_NOTE_INFO, "argument", "/src/example.py");
	synthetic_note(synthetic, KYMO_NOTE_INFO, "argument", "20");
	synthetic_note(synthetic, KYMO_NOTE_SETTING, "PROFILE", "ON");
	series = synthetic_series(synthetic, "rss", "bytes", main_thread);
	synthetic_point(synthetic, series, 150, 1024);
	synthetic_point(synthetic, series, 250, 2048);
	return synthetic;
}

static void test_reads_all_tables(void **state)
{
	struct synthetic *synthetic = sample();
	struct recording *recording;
	const struct region *region;

	(void)state;
	synthetic_close(synthetic, 1000);
	recording = synthetic_open(synthetic);
	assert_int_equal(recording->problem_count, 0);
	assert_true(recording->is_closed);
	assert_int_equal(recording->end_ticks, SYNTHETIC_START_TICKS + 1000);
	assert_int_equal(recording->region_count, 2);
	region = &recording->regions[1];
	assert_int_equal(region->kind, KYMO_REGION_PYTHON);
	assert_string_equal(region->name, "run");
	assert_string_equal(region->qualname, "Job.run");
	assert_string_equal(region->module, "jobs");
	assert_string_equal(region->file, "/src/jobs.py");
	assert_string_equal(region->arguments, "(n=5)");
	assert_int_equal(region->line, 12);
	assert_int_equal(region->argument_count, 1);
	assert_int_equal(region->local_count, 2);
	assert_int_equal(region->stack_size, 3);
	assert_int_equal(recording->thread_count, 2);
	assert_string_equal(recording->threads[0].name, "MainThread");
	assert_null(recording->threads[1].name);
	assert_int_equal(recording->threads[1].parent, 0);
	assert_int_equal(recording->threads[1].end_ticks, SYNTHETIC_START_TICKS + 300);
	recording_free(recording);
	synthetic_free(synthetic);
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

static void test_reads_modules(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	struct recording *recording;

	(void)state;
	synthetic_module(synthetic, "/bin/p", "0a1b", 0x1000, 0x3000, 0x1000);
	synthetic_module(synthetic, NULL, NULL, 0x4000, 0x5000, 0);	   /* has no path */
	synthetic_module(synthetic, "/lib/l.so", NULL, 0x9000, 0x8000, 0); /* nor is this one */
	synthetic_module(synthetic, "/lib/l.so", NULL, 0x8000, 0x9000, 0x8000);
	recording = synthetic_open(synthetic);
	assert_int_equal(recording->module_count, 2);
	assert_string_equal(recording->modules[0].path, "/bin/p");
	assert_string_equal(recording->modules[0].build_id, "0a1b");
	assert_int_equal(recording->modules[0].bias, 0x1000);
	assert_string_equal(recording->modules[1].path, "/lib/l.so");
	assert_null(recording->modules[1].build_id);
	assert_int_equal(recording->modules[1].end, 0x9000);
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
	header_of(&copy)->version = 2;
	assert_refused(copy.bytes, copy.size, "format version 2");
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

static void test_passes_over_a_damaged_chunk(void **state)
{
	struct synthetic *synthetic = sample();
	uint64_t hole = synthetic_chunk(synthetic, KYMO_CHUNK_NODES, 0, 64, 8192, 64);
	struct recording *recording;
	struct copy copy;

	(void)state;
	synthetic_chunk_payload(synthetic, 4000);
	synthetic_chunk(synthetic, 99, KYMO_NO_THREAD, 0, 64, 64); /* of an unknown type */
	synthetic_note(synthetic, KYMO_NOTE_INFO, "after", "damage");
	copy = copy_of(synthetic);
	memset(copy.bytes + hole, 0xaa, sizeof(struct kymo_chunk));
	recording = open_copy(&copy);
	assert_true(complains(recording, "no chunk at byte"));
	assert_int_equal(recording->problem_count, 1);
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "after"), "damage");
	recording_free(recording);
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_impossible_sizes(void **state)
{
	struct synthetic *synthetic = sample();
	uint64_t at = synthetic_chunk(synthetic, KYMO_CHUNK_REGIONS, KYMO_NO_THREAD, 64, 64, 64);
	struct copy copy = copy_of(synthetic);
	struct kymo_chunk *chunk = (struct kymo_chunk *)(void *)(copy.bytes + at);
	struct recording *recording;

	(void)state;
	chunk->used = UINT64_MAX;
	chunk->base = 2;
	recording = open_copy(&copy);
	assert_true(complains(recording, "bytes used of"));
	assert_int_equal(recording->region_count, 2 + 4032 / 64);
	recording_free(recording);

	chunk->used = 64;
	chunk->base = UINT32_MAX; /* would be a table of many gigabytes */
	recording = open_copy(&copy);
	assert_true(complains(recording, "first id"));
	assert_int_equal(recording->region_count, 2);
	recording_free(recording);

	chunk->record_size = 0;
	recording = open_copy(&copy);
	assert_true(complains(recording, "records of 0 bytes"));
	recording_free(recording);

	chunk->size = UINT64_MAX & ~UINT64_C(4095);
	recording = open_copy(&copy);
	assert_true(complains(recording, "no chunk at byte"));
	recording_free(recording);

	header_of(&copy)->metric_count = UINT32_MAX;
	header_of(&copy)->pair_count = UINT32_MAX;
	header_of(&copy)->end = 1;
	recording = open_copy(&copy);
	assert_true(complains(recording, "metrics"));
	assert_true(complains(recording, "calibrations"));
	assert_true(complains(recording, "end is not possible"));
	assert_int_equal(recording->header.metric_count, 0);
	recording_free(recording);
	free(copy.bytes);
	synthetic_free(synthetic);
}

/* References to anything but the beginning of a string. */
static void test_bad_strings_become_unknown(void **state)
{
	struct synthetic *synthetic = sample();
	struct kymo_region *region = synthetic_region_at(synthetic, 1);
	uint64_t good = region->name;
	const uint64_t bad[] = {1, good + 4, 8, UINT64_MAX, UINT64_MAX - 7, good + 4096};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct recording *recording;

		region->name = bad[i];
		recording = synthetic_open(synthetic);
		assert_true(complains(recording, "1 references to no string"));
		assert_string_equal(recording->regions[1].name, "(unknown)");
		assert_string_equal(recording->regions[1].qualname, "Job.run");
		recording_free(recording);
	}
	synthetic_free(synthetic);
}

static void test_string_must_end_in_its_chunk(void **state)
{
	struct synthetic *synthetic = sample();
	struct copy copy = copy_of(synthetic);
	uint64_t name = synthetic_region_at(synthetic, 1)->name;
	struct kymo_string *string = (struct kymo_string *)(void *)(copy.bytes + name);
	struct recording *recording;

	(void)state;
	string->length = UINT32_MAX;
	recording = open_copy(&copy);
	assert_string_equal(recording->regions[1].name, "(unknown)");
	recording_free(recording);
	string->length = 2; /* "run" goes on */
	recording = open_copy(&copy);
	assert_string_equal(recording->regions[1].name, "(unknown)");
	recording_free(recording);
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_thread_must_know_its_number(void **state)
{
	struct synthetic *synthetic = sample();
	struct recording *recording;

	(void)state;
	synthetic_thread_at(synthetic, 1)->number = 7;
	synthetic_thread_at(synthetic, 0)->parent = 1; /* younger than itself */
	recording = synthetic_open(synthetic);
	assert_true(complains(recording, "thread 1 calls itself 7"));
	assert_false(recording->threads[1].is_present);
	assert_true(recording->threads[0].is_present);
	assert_int_equal(recording->threads[0].parent, KYMO_NO_THREAD);
	recording_free(recording);
	synthetic_free(synthetic);
}

static void test_bad_notes_end_their_chunk(void **state)
{
	struct synthetic *synthetic = sample();
	uint64_t at = synthetic_chunk(synthetic, KYMO_CHUNK_NOTES, KYMO_NO_THREAD, 0, 64, 64);
	struct copy copy = copy_of(synthetic);
	struct kymo_note *note =
		(struct kymo_note *)(void *)(copy.bytes + at + sizeof(struct kymo_chunk));
	const struct kymo_note bad[] = {
		{.size = 0},
		{.size = 17},
		{.size = 72},
		{.size = 16},
		{.size = 24, .key_length = 7},
		{.size = 24, .key_length = UINT16_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct recording *recording;

		memcpy(note, &bad[i], sizeof(bad[i]));
		memset(note->text, 'x', 8);
		recording = open_copy(&copy);
		assert_true(complains(recording, "no note at byte"));
		assert_int_equal(recording->note_count, 3);
		recording_free(recording);
	}
	free(copy.bytes);
	synthetic_free(synthetic);
}

static void test_complaints_are_bounded(void **state)
{
	struct synthetic *synthetic = sample();
	struct recording *recording;

	(void)state;
	for (int i = 0; i < 1000; i++)
		synthetic_chunk(synthetic, KYMO_CHUNK_POINTS, KYMO_NO_THREAD, 3, 64, 64);
	recording = synthetic_open(synthetic);
	assert_true(recording->problem_count > 10 && recording->problem_count < 100);
	assert_true(complains(recording, "further problems"));
	recording_free(recording);
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
		cmocka_unit_test(test_reads_all_tables),
		cmocka_unit_test(test_reads_notes_and_program),
		cmocka_unit_test(test_reads_points),
		cmocka_unit_test(test_reads_modules),
		cmocka_unit_test(test_killed_process_ends_at_its_latest_time),
		cmocka_unit_test(test_counts_event_words),
		cmocka_unit_test(test_refuses_what_is_no_recording),
		cmocka_unit_test(test_open_says_which_file),
		cmocka_unit_test(test_opens_a_file),
		cmocka_unit_test(test_truncated_anywhere),
		cmocka_unit_test(test_passes_over_a_damaged_chunk),
		cmocka_unit_test(test_impossible_sizes),
		cmocka_unit_test(test_bad_strings_become_unknown),
		cmocka_unit_test(test_string_must_end_in_its_chunk),
		cmocka_unit_test(test_thread_must_know_its_number),
		cmocka_unit_test(test_bad_notes_end_their_chunk),
		cmocka_unit_test(test_complaints_are_bounded),
		cmocka_unit_test(test_random_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
