/* The time in the recordings of processes that live. */
#include "cli/heartbeat/pulses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/folder_fixture.h"
#include "format/format.h"
#include "platform/ticks.h"

/* The recording of this process, mapped as its runtime has it. */
static struct kymo_header *put_own(const char *path)
{
	struct kymo_header header = {.version = KYMO_FORMAT_VERSION,
				     .state = KYMO_STATE_OPEN,
				     .clock_kind = KYMO_CLOCK_MONOTONIC,
				     .pid = (uint32_t)getpid()};
	void *mapped;
	int file;

	memcpy(header.magic, KYMO_FORMAT_MAGIC, sizeof(header.magic));
	folder_put(path, &header, sizeof(header));
	file = open(path, O_RDWR | O_CLOEXEC);
	assert_true(file >= 0);
	mapped = mmap(NULL, sizeof(header), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert_true(mapped != MAP_FAILED);
	close(file);
	return mapped;
}

static void unmap(struct kymo_header *header)
{
	munmap(header, sizeof(*header));
}

static void test_the_moment_is_written_while_it_is_open(void **state)
{
	struct kymo_header *header = put_own("one.kymo");
	struct pulses pulses = {0};
	struct kymo_clock_pair first;

	(void)state;
	pulses_find(&pulses, folder);
	assert_int_equal(pulses.count, 1);
	assert_int_equal(pulses.items[0].pid, getpid());
	assert_int_equal(header->heartbeat.monotonic_ns, 0);
	pulses_beat(&pulses);
	first = header->heartbeat;
	assert_true(first.monotonic_ns > 0 && first.realtime_ns > 0);
	pulses_beat(&pulses);
	assert_true(header->heartbeat.monotonic_ns > first.monotonic_ns);
	/* One that was closed is let go. */
	header->state = KYMO_STATE_CLOSED;
	first = header->heartbeat;
	pulses_beat(&pulses);
	assert_int_equal(pulses.count, 0);
	assert_memory_equal(&header->heartbeat, &first, sizeof(first));
	pulses_release(&pulses);
	unmap(header);
}

/* A file is looked at once. */
static void test_what_is_found_once(void **state)
{
	struct kymo_header *header = put_own("one.kymo"), *other;
	struct pulses pulses = {0};

	(void)state;
	pulses_find(&pulses, folder);
	pulses_find(&pulses, folder);
	assert_int_equal(pulses.count, 1);
	other = put_own("two.kymo");
	pulses_find(&pulses, folder);
	assert_int_equal(pulses.count, 2);
	pulses_release(&pulses);
	unmap(header);
	unmap(other);
}

/* A process id in a header is not enough: the process has to map the file. */
static void test_what_belongs_to_nobody_here(void **state)
{
	struct pulses pulses = {0};

	(void)state;
	unmap(put_own("unmapped.kymo"));
	folder_put_text("text.kymo", "no recording");
	assert_int_equal(mkdir("folder.kymo", 0700), 0);
	assert_int_equal(mkfifo("pipe.kymo", 0600), 0);
	pulses_find(&pulses, folder);
	assert_int_equal(pulses.count, 0);
	pulses_find(&pulses, "nowhere");
	assert_int_equal(pulses.count, 0);
	pulses_release(&pulses);
}

/* One that lies elsewhere is mapped by the name that the link leads to. */
static void test_links(void **state)
{
	struct kymo_header *header = put_own("elsewhere");
	struct pulses pulses = {0};

	(void)state;
	assert_int_equal(symlink("./elsewhere", "one.kymo"), 0);
	pulses_find(&pulses, folder);
	assert_int_equal(pulses.count, 1);
	pulses_release(&pulses);
	unmap(header);
}

static void test_what_was_seen_is_told(void **state)
{
	struct kymo_header *header = put_own("one.kymo");
	const struct kymo_survey seen = {.all_ns = 7, .file_count = 1, .files = {{1, 2}}};
	struct pulses pulses = {0};

	(void)state;
	pulses_find(&pulses, folder);
	pulses_write_survey(&pulses, (uint32_t)getpid() + 1, &seen);
	assert_int_equal(header->survey.all_ns, 0);
	pulses_write_survey(&pulses, (uint32_t)getpid(), &seen);
	assert_memory_equal(&header->survey, &seen, sizeof(seen));
	pulses_release(&pulses);
	unmap(header);
}

static void test_those_that_have_ended_are_let_go(void **state)
{
	struct kymo_header *header = put_own("one.kymo");
	struct pulses pulses = {0};
	struct pollfd *polled;

	(void)state;
	pulses_find(&pulses, folder);
	polled = pulses_poll(&pulses, 77);
	assert_non_null(polled);
	assert_int_equal(polled[0].fd, pulses.items[0].process);
	assert_int_equal(polled[1].fd, 77);
	pulses_end(&pulses, polled); /* none has */
	assert_int_equal(pulses.count, 1);
	assert_int_equal(header->heartbeat.monotonic_ns, 0);
	polled[0].revents = POLLIN;
	pulses_end(&pulses, polled);
	assert_int_equal(pulses.count, 0);
	assert_true(header->heartbeat.monotonic_ns > 0); /* that of its end */
	free(polled);
	pulses_release(&pulses);
	unmap(header);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_the_moment_is_written_while_it_is_open),
		IN_FOLDER(test_what_is_found_once),
		IN_FOLDER(test_what_belongs_to_nobody_here),
		IN_FOLDER(test_links),
		IN_FOLDER(test_what_was_seen_is_told),
		IN_FOLDER(test_those_that_have_ended_are_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
