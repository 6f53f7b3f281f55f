/* What a function writes to standard output or to standard error. */
#ifndef KYMO_PRINTED_FIXTURE_H
#define KYMO_PRINTED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PRINTED_BYTES 65536

/* Of stream (stdout or stderr) while print runs; the caller frees.  print must not fail a test,
 * or nothing more is seen of that. */
static inline char *printed_on(FILE *stream, void (*print)(void *context), void *context)
{
	int file = memfd_create("printed", MFD_CLOEXEC), number = fileno(stream), kept;
	char *text = calloc(1, PRINTED_BYTES);
	ssize_t size;

	assert_true(file >= 0 && text);
	fflush(stream);
	kept = dup(number);
	dup2(file, number);
	print(context);
	fflush(stream);
	dup2(kept, number);
	close(kept);
	size = pread(file, text, PRINTED_BYTES - 1, 0);
	close(file);
	assert_true(size >= 0 && size < PRINTED_BYTES - 1);
	return text;
}

/* It is text, and text is freed. */
static inline void assert_printed(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

#endif
