/* Strings, regions, threads, modules and notes of a recording. */
#include "model/recording/recording.h"

#include "model/recording/recording_open.h"
#include "recording_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_all_tables),
		cmocka_unit_test(test_reads_modules),
		cmocka_unit_test(test_bad_strings_become_unknown),
		cmocka_unit_test(test_string_must_end_in_its_chunk),
		cmocka_unit_test(test_thread_must_know_its_number),
		cmocka_unit_test(test_bad_notes_end_their_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
