/* A recording that is written about another process, as the reader reads it: while it is
 * written, after it was left without an end, and closed. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/sample/writer.h"
#include "model/recording/recording_open.h"
#include "model/samples/samples.h"
#include "platform/ticks.h"

#define THREADS 3
#define SAMPLES 20000u
#define UNIT	1024u

static char folder[] = "/tmp/kymo-attach-writer-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	clock_select("monotonic");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void open_writer(struct writer *writer)
{
	struct settings *settings = settings_new();
	const struct writer_subject subject = {
		.directory = folder,
		.program = "subject",
		.pid = 4711,
		.parent_pid = 1,
		.settings = settings,
		.is_root = true,
	};
	struct problem problem;

	assert_int_equal(writer_open(writer, &subject, &problem), KYMO_OK);
	settings_free(settings);
}

/* A stack of a depth and with frames that depend on i only. */
static size_t stack_of(uint32_t thread, uint32_t i, uint64_t frames[40])
{
	size_t count = 1 + i % 37;

	for (size_t k = 0; k < count; k++)
		frames[k] = kymo_frame(KYMO_FRAME_NATIVE, 1000 * thread + k + (i % 11) * (k > 20));
	return count;
}

static void write_all(struct writer *writer, uint64_t begin)
{
	uint64_t frames[40];

	for (uint32_t thread = 0; thread < THREADS; thread++) {
		char name[16];

		snprintf(name, sizeof(name), "thread %u", thread);
		assert_int_equal(writer_thread(writer, 100 + thread, name, begin), thread);
		writer_begin(writer, thread, begin, 0);
	}
	for (uint32_t i = 1; i <= SAMPLES; i++) {
		uint32_t thread = i % THREADS;
		uint32_t stack = writer_stack(writer, thread, frames, stack_of(thread, i, frames));

		assert_true(stack > 0);
		writer_sample(writer, thread, begin + i * UNIT, stack, i * 2 * UNIT, KYMO_GIL_HELD);
		if (i % 1000 == 0)
			writer_lost(writer, thread, begin + i * UNIT, 2);
	}
}

static void check_stack(const struct samples *samples, uint32_t thread, uint32_t stack, uint32_t i)
{
	uint64_t frames[40], frame;
	size_t count = stack_of(thread, i, frames);

	while (stack) {
		assert_true(samples_frame(samples, thread, stack, &frame, &stack));
		assert_true(count > 0);
		assert_true(frame == frames[--count]);
	}
	assert_int_equal(count, 0);
}

static void check_all(const struct recording *recording, uint64_t begin)
{
	struct samples *samples;
	struct problem problem;
	struct sample sample;

	assert_int_equal(samples_new(recording, &samples, &problem), KYMO_OK);
	assert_int_equal(samples->count, SAMPLES);
	assert_int_equal(samples->lost_count, 2 * (SAMPLES / 1000));
	assert_int_equal(samples->damaged_count, 0);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		struct sample_position position = {0};
		uint32_t i = thread ? thread : THREADS;

		for (; samples_next(samples, thread, &position, &sample); i += THREADS) {
			assert_true(sample.ticks - begin <= i * UNIT &&
				    sample.ticks - begin > (i - 1) * UNIT);
			assert_int_equal(sample.gil, KYMO_GIL_HELD);
			check_stack(samples, thread, sample.stack, i);
		}
		assert_true(i > SAMPLES);
	}
	samples_free(samples);
}

static struct recording *open_recording(const char *path)
{
	struct recording *recording;
	struct problem problem;

	assert_int_equal(recording_open(path, &recording, &problem), KYMO_OK);
	assert_int_equal(recording->problem_count, 0);
	assert_int_equal(recording->header.pid, 4711);
	assert_int_equal(recording->header.flags,
			 KYMO_HEADER_SAMPLES | KYMO_HEADER_OUTSIDE | KYMO_HEADER_ROOT);
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "program"), "subject");
	return recording;
}

static void test_samples(void **state)
{
	struct recording *recording;
	uint64_t begin = ticks_now();
	struct writer writer;
	char path[PATH_MAX];

	(void)state;
	open_writer(&writer);
	snprintf(path, sizeof(path), "%s", writer.file.path);
	write_all(&writer, begin);
	recording = open_recording(path); /* as it would be left by a kill */
	check_all(recording, begin);
	assert_false(recording->is_closed);
	recording_free(recording);
	writer_thread_end(&writer, 1, begin + 5, 77);
	writer_close(&writer, KYMO_STATE_CLOSED);
	recording = open_recording(path);
	check_all(recording, begin);
	assert_true(recording->is_closed);
	assert_string_equal(recording->threads[2].name, "thread 2");
	assert_int_equal(recording->threads[1].cpu_ns, 77);
	assert_int_equal(recording->threads[0].end_ticks, 0);
	recording_free(recording);
	unlink(path);
}

static void test_codes_and_modules(void **state)
{
	struct codetable_entry entry = {
		.name = (char *)(uintptr_t) "f",
		.qualname = (char *)(uintptr_t) "",
		.file = (char *)(uintptr_t) "a.py",
		.first_line = 12,
		.flags = 0x20,
		.lines = (unsigned char *)(uintptr_t) "\0\1\2",
		.lines_size = 3,
	};
	struct recording *recording;
	struct sample_code code;
	struct writer writer;
	char path[PATH_MAX];
	uint32_t id;

	(void)state;
	open_writer(&writer);
	snprintf(path, sizeof(path), "%s", writer.file.path);
	for (uint32_t i = 0; i < 300; i++) {
		assert_true(writer_code(&writer, &entry, 0x030c, &id));
		assert_int_equal(id, i);
	}
	writer_module(&writer, &(struct kymo_module){.start = 4096, .end = 8192}, "/a.so", "/b.so",
		      "ab12");
	writer_close(&writer, KYMO_STATE_ABANDONED);
	recording = open_recording(path);
	assert_true(samples_code(recording, 299, &code));
	assert_string_equal(code.name, "f");
	assert_null(code.qualname);
	assert_int_equal(code.lines_size, 3);
	assert_memory_equal(code.lines, entry.lines, 3);
	assert_int_equal(code.flags, KYMO_CODE_GENERATOR);
	assert_int_equal(recording->module_count, 1);
	assert_string_equal(recording->modules[0].build_id, "ab12");
	assert_string_equal(recording->modules[0].path, "/a.so");
	assert_string_equal(recording->modules[0].name, "/b.so");
	recording_free(recording);
	unlink(path);
}

/* Another recording of the same process does not write over the first. */
static void test_names(void **state)
{
	struct writer first, second;
	char paths[2][PATH_MAX];

	(void)state;
	open_writer(&first);
	open_writer(&second);
	snprintf(paths[0], PATH_MAX, "%s", first.file.path);
	snprintf(paths[1], PATH_MAX, "%s", second.file.path);
	writer_close(&first, KYMO_STATE_CLOSED);
	writer_close(&second, KYMO_STATE_CLOSED);
	assert_string_not_equal(paths[0], paths[1]);
	assert_int_equal(unlink(paths[0]) + unlink(paths[1]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_codes_and_modules),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
