/* A folder for one test: set_up makes it the working directory, tear_down removes it. */
#ifndef KYMO_FOLDER_FIXTURE_H
#define KYMO_FOLDER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64]; /* of the running test, absolute */

static inline int folder_set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/kymo-cli-XXXXXX");
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static inline int folder_remove_one(const char *path, const struct stat *info, int kind,
				    struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline int folder_tear_down(void **state)
{
	(void)state;
	return chdir("/") == 0 ? nftw(folder, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

/* A file with these bytes; path is relative to the folder. */
static inline void folder_put(const char *path, const void *bytes, size_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(file >= 0);
	assert_int_equal(write(file, bytes, size), size);
	close(file);
}

static inline void folder_put_text(const char *path, const char *text)
{
	folder_put(path, text, strlen(text));
}

/* The text of a file; the caller frees. */
static inline char *folder_get(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *text = calloc(1, 65536);

	assert_true(file >= 0 && text);
	assert_true(read(file, text, 65535) >= 0);
	close(file);
	return text;
}

#endif
