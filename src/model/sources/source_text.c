/* Reads sources. */
#include "model/sources/source_text.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/sources/source_keep.h"
#include "model/sources/source_path.h"
#include "platform/files/regularfile.h"

const char *source_state_word(enum source_state state)
{
	static const char *const words[] = {
		[SOURCE_KEPT] = "kept",	      [SOURCE_HERE] = "here",
		[SOURCE_CHANGED] = "changed", [SOURCE_MISSING] = "missing",
		[SOURCE_UNNAMED] = "unnamed", [SOURCE_FOREIGN] = "foreign",
		[SOURCE_LARGE] = "large",     [SOURCE_WITHHELD] = "withheld",
		[SOURCE_PRIVATE] = "private",
	};

	return words[state];
}

/* A program without a suffix has a #! line. */
static bool is_source(const char *path, const char *text, size_t size)
{
	if (memchr(text, '\0', size))
		return false;
	return source_has_suffix(path) || (size >= 2 && text[0] == '#' && text[1] == '!');
}

enum kymo_status source_read_fd(int fd, const char *path, struct source_text *out,
				struct stat *about_out)
{
	char *text;

	out->state = SOURCE_FOREIGN;
	if (fstat(fd, about_out) < 0 || !S_ISREG(about_out->st_mode))
		return KYMO_OK;
	if ((uint64_t)about_out->st_size > SOURCE_BYTES_MAX) {
		out->state = SOURCE_LARGE;
		return KYMO_OK;
	}
	out->size = (size_t)about_out->st_size;
	text = malloc(out->size + 1);
	if (!text)
		return KYMO_MEMORY;
	if (!regularfile_read(fd, text, out->size)) {
		out->state = SOURCE_MISSING;
		free(text);
		return KYMO_OK;
	}
	text[out->size] = '\0';
	if (!is_source(path, text, out->size)) {
		free(text);
		return KYMO_OK;
	}
	out->text = text;
	out->state = SOURCE_HERE;
	return KYMO_OK;
}

int source_open(const char *path, int flags)
{
	/* O_NONBLOCK: a pipe must not block. */
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static uint64_t text_start_of(const struct loaded_run *loaded)
{
	uint64_t start = UINT64_MAX;

	for (size_t i = 0; i < loaded->tree_count; i++) {
		uint64_t each = loaded->trees[i]->recording->header.start_realtime_ns;

		start = each < start ? each : start;
	}
	return start;
}

/* The copy stored with one recording; it has the modification time of its original. */
static enum kymo_status read_kept(const struct loaded_run *loaded, size_t tree, const char *path,
				  struct source_text *out)
{
	char *recording_path = strdup(loaded->trees[tree]->recording->path);
	char name[SOURCE_NAME_SIZE], *copy = NULL;
	enum kymo_status status = KYMO_OK;
	struct stat about;
	int fd;

	source_kept_name(path, name);
	if (!recording_path ||
	    asprintf(&copy, "%s/" SOURCES_FOLDER "/%s", dirname(recording_path), name) < 0) {
		free(recording_path);
		return KYMO_MEMORY;
	}
	fd = source_open(copy, O_NOFOLLOW);
	if (fd >= 0) {
		status = source_read_fd(fd, path, out, &about);
		close(fd);
		if (out->text) {
			out->state = SOURCE_KEPT;
			out->is_younger = nanoseconds(&about.st_mtim) > text_start_of(loaded);
		}
	}
	free(copy);
	free(recording_path);
	return status;
}

static bool is_beside_same(const struct loaded_run *loaded, size_t tree)
{
	const char *path = loaded->trees[tree]->recording->path;
	const char *before = tree > 0 ? loaded->trees[tree - 1]->recording->path : NULL;
	size_t length = (size_t)(strrchr(path, '/') ? strrchr(path, '/') - path + 1 : 0);

	return before && strncmp(path, before, length) == 0 && !strchr(before + length, '/');
}

static enum kymo_status read_here(const struct loaded_run *loaded, const char *path, bool is_own,
				  struct source_text *out)
{
	int fd = source_open(path, 0);
	enum kymo_status status;
	struct stat about;

	out->state = SOURCE_MISSING;
	if (fd < 0)
		return KYMO_OK;
	status = source_read_fd(fd, path, out, &about);
	close(fd);
	if (out->text && !is_own && !(about.st_mode & S_IROTH)) {
		source_text_release(out);
		out->state = SOURCE_PRIVATE;
	} else if (out->text && nanoseconds(&about.st_mtim) > text_start_of(loaded)) {
		source_text_release(out);
		out->state = SOURCE_CHANGED;
	}
	return status;
}

enum kymo_status source_text_read(const struct loaded_run *loaded, const struct source_file *file,
				  bool is_requested, struct source_text *out)
{
	char *path = source_file_path(file);
	bool is_own = loaded->run->is_own;
	enum kymo_status status = KYMO_OK;

	*out = (struct source_text){.state = SOURCE_UNNAMED};
	if (path && !is_own && !is_requested)
		out->state = SOURCE_WITHHELD;
	if (!path || out->state == SOURCE_WITHHELD) {
		free(path);
		return KYMO_OK;
	}
	for (size_t i = 0; status == KYMO_OK && !out->text && i < loaded->tree_count; i++) {
		if (!is_beside_same(loaded, i))
			status = read_kept(loaded, i, path, out);
	}
	if (status == KYMO_OK && !out->text)
		status = read_here(loaded, path, is_own, out);
	free(path);
	return status;
}

void source_text_release(struct source_text *text)
{
	free(text->text);
	*text = (struct source_text){.state = text->state};
}
