/* Output files that appear complete or not at all, and never through a link.
 *
 * The temporary file is in the same directory, so that the rename cannot cross file systems. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/filemode.h"
#include "base/owner.h"

#define OUTFILE_BUFFER (1u << 16)

static enum kymo_status outfile_cannot_write(struct problem *problem, const char *path, int error)
{
	return problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s", path, strerror(error));
}

/* A new name next to the final one; O_EXCL ensures that no existing file is used, and no link is
 * followed. */
static int open_temporary(struct outfile *file)
{
	int fd;

	for (unsigned int attempt = 0; attempt < 100; attempt++) {
		if (asprintf(&file->temporary, "%s.%ld-%u.tmp", file->name, (long)getpid(),
			     attempt) < 0) {
			file->temporary = NULL;
			errno = ENOMEM;
			return -1;
		}
		fd = openat(file->folder, file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			    filemode_file());
		if (fd >= 0)
			return fd;
		free(file->temporary);
		file->temporary = NULL;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Paths to descriptors that this process has open are the system's own links. */
static bool outfile_is_of_system(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* A pipe or a device is written directly, except one of another user. */
static bool is_written_directly(const char *path, const struct stat *found)
{
	struct stat target;

	if (outfile_is_of_system(path))
		return !S_ISREG(found->st_mode);
	if (!owner_is_trusted(found))
		return false;
	if (!S_ISLNK(found->st_mode))
		return !S_ISREG(found->st_mode);
	return stat(path, &target) == 0 && !S_ISREG(target.st_mode) && !S_ISDIR(target.st_mode) &&
	       owner_is_trusted(&target);
}

/* "-o /dev/stdout >> FILE" appends. */
static int open_directly(const char *path)
{
	return open(path, O_WRONLY | O_CLOEXEC | (outfile_is_of_system(path) ? O_APPEND : 0));
}

/* The directory is the one that was checked, even if it is renamed concurrently. */
static int outfile_open_folder(struct outfile *file)
{
	const char *slash = strrchr(file->path, '/');
	char *folder = slash ? strndup(file->path, (size_t)(slash - file->path) + 1) : NULL;
	struct stat info;

	if (slash && !folder) {
		errno = ENOMEM;
		return -1;
	}
	file->name = path_base_name(file->path);
	file->folder = open(folder ? folder : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (file->folder < 0 || fstat(file->folder, &info) < 0)
		return -1;
	if (owner_may_hold(&info))
		return 0;
	errno = EPERM;
	return -1;
}

/* Readers of the replaced file may read the new one. */
static void keep_mode(int fd, const struct stat *found)
{
	if (S_ISREG(found->st_mode) && found->st_uid == geteuid())
		(void)!fchmod(fd, found->st_mode & 0777);
}

/* An existing link is replaced itself: it may be another user's, with any target. */
static int outfile_open_file(struct outfile *file)
{
	struct stat found;
	bool is_there = lstat(file->path, &found) == 0;
	int fd;

	if (is_there && is_written_directly(file->path, &found))
		return open_directly(file->path);
	if (outfile_open_folder(file) < 0)
		return -1;
	if (is_there && S_ISDIR(found.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	fd = open_temporary(file);
	if (fd >= 0 && is_there)
		keep_mode(fd, &found);
	return fd;
}

static enum kymo_status open_descriptor(struct outfile *file, struct problem *problem)
{
	file->fd = outfile_open_file(file);
	if (file->fd >= 0)
		return KYMO_OK;
	if (errno == EPERM && file->folder >= 0)
		return problem_set(problem, KYMO_SYSTEM,
				   "cannot write '%s': its folder belongs to another user; choose "
				   "another one, or use --force if available",
				   file->path);
	return outfile_cannot_write(problem, file->path, errno);
}

static void outfile_release(struct outfile *file)
{
	if (file->temporary)
		unlinkat(file->folder, file->temporary, 0);
	if (file->path && file->folder >= 0)
		close(file->folder);
	free(file->temporary);
	free(file->path);
	*file = (struct outfile){.folder = -1};
}

enum kymo_status outfile_open(struct outfile *file, const char *path, struct problem *problem)
{
	struct outfile opened = {.folder = -1};
	enum kymo_status status;

	if (strcmp(path, "-") == 0) {
		*file = (struct outfile){.stream = stdout, .folder = -1};
		return KYMO_OK;
	}
	opened.path = strdup(path);
	if (!opened.path)
		return problem_set(problem, KYMO_MEMORY, "cannot write '%s': out of memory", path);
	status = open_descriptor(&opened, problem);
	if (status < 0) {
		outfile_release(&opened);
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

/* The reason of an earlier failed write by stdio, whose errno was not checked: one more byte
 * fails for the same reason.  The file is discarded. */
static void set_errno_by_retry(int fd)
{
	if (write(fd, "", 1) == 1)
		errno = 0;
}

/* True if everything was written; close() reports delayed errors of a network file system. */
static bool close_descriptor(struct outfile *file)
{
	bool has_failed = file->stream && ferror(file->stream);

	if (!file->path)
		return fflush(stdout) == 0 && !has_failed;
	if (has_failed)
		set_errno_by_retry(file->fd);
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
		is_written = renameat(file->folder, file->temporary, file->folder, file->name) == 0;
		if (is_written) {
			free(file->temporary);
			file->temporary = NULL;
		}
	}
	if (!is_written)
		status = outfile_cannot_write(problem, file->path ? file->path : "standard output",
					      errno ? errno : EIO);
	outfile_release(file);
	return status;
}

void outfile_discard(struct outfile *file)
{
	close_descriptor(file);
	outfile_release(file);
}
