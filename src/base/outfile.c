/* Output files that appear whole or not at all.
 *
 * The temporary lies in the same directory, so that the rename cannot cross file systems. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OUTFILE_BUFFER (1u << 16)

static enum kymo_status cannot_write(struct problem *problem, const char *path, int error)
{
	return problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s", path, strerror(error));
}

/* A new name beside path; O_EXCL makes sure that nobody else's file is taken. */
static int open_temporary(const char *path, char **name_out)
{
	int fd;

	for (unsigned int attempt = 0; attempt < 100; attempt++) {
		if (asprintf(name_out, "%s.%ld-%u.tmp", path, (long)getpid(), attempt) < 0) {
			*name_out = NULL;
			errno = ENOMEM;
			return -1;
		}
		fd = open(*name_out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		free(*name_out);
		*name_out = NULL;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* The file a link leads to is replaced, not the link. */
static char *final_name(const char *path)
{
	char *resolved = realpath(path, NULL);

	return resolved ? resolved : strdup(path);
}

static bool is_written_directly(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static enum kymo_status open_descriptor(struct outfile *file, const char *path,
					struct problem *problem)
{
	file->fd = is_written_directly(file->path) ? open(file->path, O_WRONLY | O_CLOEXEC)
						   : open_temporary(file->path, &file->temporary);
	return file->fd < 0 ? cannot_write(problem, path, errno) : KYMO_OK;
}

static void release(struct outfile *file)
{
	if (file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->path);
	*file = (struct outfile){0};
}

enum kymo_status outfile_open(struct outfile *file, const char *path, struct problem *problem)
{
	struct outfile opened = {0};
	enum kymo_status status;

	if (strcmp(path, "-") == 0) {
		*file = (struct outfile){.stream = stdout};
		return KYMO_OK;
	}
	opened.path = final_name(path);
	if (!opened.path)
		return problem_set(problem, KYMO_MEMORY, "cannot write '%s': out of memory", path);
	status = open_descriptor(&opened, path, problem);
	if (status < 0) {
		release(&opened);
		return status;
	}
	*file = opened;
	return KYMO_OK;
}

enum kymo_status outfile_open_stream(struct outfile *file, const char *path,
				     struct problem *problem)
{
	enum kymo_status status = outfile_open(file, path, problem);

	if (status < 0 || file->stream)
		return status;
	file->stream = fdopen(file->fd, "w");
	if (!file->stream) {
		outfile_discard(file);
		return problem_set(problem, KYMO_MEMORY, "cannot write '%s': out of memory", path);
	}
	setvbuf(file->stream, NULL, _IOFBF, OUTFILE_BUFFER);
	return status;
}

/* Why a write failed that stdio tried earlier, when errno was not looked at: one byte more
 * fails likewise.  The file is not kept. */
static void ask_again(int fd)
{
	if (write(fd, "", 1) == 1)
		errno = 0;
}

/* True when everything reached the file; close() reports what a network file system
 * found out late. */
static bool close_descriptor(struct outfile *file)
{
	bool has_failed = file->stream && ferror(file->stream);

	if (!file->path)
		return fflush(stdout) == 0 && !has_failed;
	if (has_failed)
		ask_again(file->fd);
	if (file->stream)
		return fclose(file->stream) == 0 && !has_failed;
	return close(file->fd) == 0;
}

enum kymo_status outfile_commit(struct outfile *file, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	bool is_written;

	errno = 0;
	is_written = close_descriptor(file);
	if (is_written && file->temporary) {
		is_written = rename(file->temporary, file->path) == 0;
		if (is_written) {
			free(file->temporary);
			file->temporary = NULL;
		}
	}
	if (!is_written)
		status = cannot_write(problem, file->path ? file->path : "standard output",
				      errno ? errno : EIO);
	release(file);
	return status;
}

void outfile_discard(struct outfile *file)
{
	close_descriptor(file);
	release(file);
}
