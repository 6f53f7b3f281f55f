/* Everything is written, in as many pieces as the system takes; or the reason is in errno. */
#include "base/writewhole.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES ((size_t)1 << 20) /* more than a pipe holds */

struct reader {
	pthread_t writer;
	int fd;
	char *bytes;
	size_t count;
};

static void ignore_signal(int number)
{
	(void)number;
}

/* Interrupts the writer before each piece that it takes. */
static void *read_all(void *context)
{
	struct reader *reader = context;
	ssize_t got = 1;

	while (reader->count < BYTES && got > 0) {
		pthread_kill(reader->writer, SIGUSR1);
		got = read(reader->fd, reader->bytes + reader->count, 1000);
		reader->count += got > 0 ? (size_t)got : 0;
	}
	return NULL;
}

static void test_pieces_and_interruptions(void **state)
{
	struct sigaction action = {.sa_handler = ignore_signal}; /* without SA_RESTART */
	struct reader reader = {.writer = pthread_self(), .bytes = malloc(BYTES)};
	char *bytes = malloc(BYTES);
	pthread_t thread;
	int ends[2];

	(void)state;
	assert_true(bytes && reader.bytes && pipe(ends) == 0);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (char)(i * 7 + i / 4096);
	sigaction(SIGUSR1, &action, NULL);
	reader.fd = ends[0];
	assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
	assert_true(write_whole(ends[1], bytes, BYTES));
	pthread_join(thread, NULL);
	assert_int_equal(reader.count, BYTES);
	assert_memory_equal(reader.bytes, bytes, BYTES);
	close(ends[0]);
	close(ends[1]);
	free(reader.bytes);
	free(bytes);
}

static void test_nothing(void **state)
{
	(void)state;
	assert_true(write_whole(-1, NULL, 0));
}

static void test_reason(void **state)
{
	int fd = open("/dev/full", O_WRONLY);

	(void)state;
	assert_false(write_whole(-1, "x", 1));
	assert_int_equal(errno, EBADF);
	if (fd < 0)
		skip();
	assert_false(write_whole(fd, "x", 1));
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_and_interruptions),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
