/* kymo ctl RUN snapshot: recordings copied while they are written.
 *
 * A recording is complete up to its end except for records that are being written at that moment,
 * which readers handle as in recordings of killed programs. */
#include "cli/ctl/ctl_snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/filemode.h"
#include "base/writewhole.h"
#include "cli/ctl/ctl_run.h"
#include "platform/ticks.h"

#define SNAPSHOTS  "snapshots" /* as in kymo_snapshot() */
#define NUMBER_MAX 100000u
#define COPY_BYTES ((size_t)1 << 20)

/* Makes the folder of the first unused snapshot number; NULL with errno. */
static char *make_numbered(const char *run_directory)
{
	char *path = NULL;

	if (asprintf(&path, "%s/" SNAPSHOTS, run_directory) < 0)
		return NULL;
	if (mkdir(path, filemode_folder()) < 0 && errno != EEXIST)
		goto fail;
	for (unsigned number = 1; number < NUMBER_MAX; number++) {
		free(path);
		if (asprintf(&path, "%s/" SNAPSHOTS "/%u", run_directory, number) < 0)
			return NULL;
		if (mkdir(path, filemode_folder()) == 0)
			return path;
		if (errno != EEXIST)
			break;
	}
fail:
	free(path);
	return NULL;
}

static char *make_named(const char *directory)
{
	return mkdir(directory, filemode_folder()) == 0 ? strdup(directory) : NULL;
}

/* The copy ends now: open regions have their time up to here. */
static bool snapshot_write_end(int to, struct kymo_header *header)
{
	uint32_t last =
		header->pair_count < KYMO_CLOCK_PAIRS ? header->pair_count : KYMO_CLOCK_PAIRS - 1;

	ctl_clock_select(header->clock_kind);
	header->pairs[last] = clock_read_pair();
	header->pair_count = last + 1;
	return pwrite(to, header, sizeof(*header), 0) == sizeof(*header);
}

/* Read, not mapped: the process may end, and truncate its file. */
static bool snapshot_copy_bytes(int from, int to, bool is_living)
{
	char *buffer = malloc(COPY_BYTES);
	struct kymo_header header;
	uint64_t at = 0;
	bool is_right = buffer && pread(from, &header, sizeof(header), 0) == sizeof(header);

	while (is_right && at < header.end) {
		uint64_t left = header.end - at;
		ssize_t part = pread(from, buffer, left < COPY_BYTES ? (size_t)left : COPY_BYTES,
				     (off_t)at);

		if (part < 0 && errno == EINTR)
			continue;
		if (part <= 0)
			break; /* truncated */
		is_right = write_whole(to, buffer, (size_t)part);
		at += (uint64_t)part;
	}
	free(buffer);
	return is_right && (!is_living || snapshot_write_end(to, &header));
}

/* 0, or -1 with errno. */
static int snapshot_copy_recording(const struct ctl_process *process, const char *directory)
{
	const char *path = process->recording->path;
	int from = open(path, O_RDONLY | O_CLOEXEC), to = -1, error;
	char *copy = NULL;
	bool is_right = false;

	if (from >= 0 && asprintf(&copy, "%s/%s", directory, path_base_name(path)) > 0) {
		to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, filemode_file());
		is_right = to >= 0 && snapshot_copy_bytes(from, to, ctl_is_living(process));
	}
	error = errno;
	if (to >= 0 && close(to) < 0 && is_right) {
		error = errno;
		is_right = false;
	}
	if (from >= 0)
		close(from);
	free(copy);
	errno = error;
	return is_right ? 0 : -1;
}

static void remove_copies(const struct ctl_run *run, const char *directory)
{
	for (size_t i = 0; i < run->count; i++) {
		const char *name = path_base_name(run->processes[i].recording->path);
		char *copy;

		if (asprintf(&copy, "%s/%s", directory, name) < 0)
			continue;
		unlink(copy);
		free(copy);
	}
	rmdir(directory);
}

enum kymo_status ctl_snapshot(const struct ctl_run *run, const char *directory, char **path_out,
			      struct problem *problem)
{
	char *path = directory ? make_named(directory) : make_numbered(run->directory);

	if (!path)
		return problem_set(problem, KYMO_SYSTEM,
				   "cannot make the directory '%s' for the snapshot: %s",
				   directory ? directory : run->directory, strerror(errno));
	for (size_t i = 0; i < run->count; i++) {
		const char *recording = run->processes[i].recording->path;

		if (snapshot_copy_recording(&run->processes[i], path) == 0)
			continue;
		problem_set(problem, KYMO_SYSTEM, "cannot copy '%s' to '%s': %s", recording, path,
			    strerror(errno));
		remove_copies(run, path);
		free(path);
		return KYMO_SYSTEM;
	}
	*path_out = path;
	return KYMO_OK;
}
