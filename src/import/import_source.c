/* Files to import, mapped.  Files that cannot be mapped, or are compressed, are copied into a
 * temporary file first, which is unlinked at once. */
#include "base/owner.h"
#include "import/import_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/gzip_reader.h"
#include "platform/files/filehole.h"

#define COPY_BLOCK 65536

static void set_title(struct import_source *source, const char *path)
{
	size_t length = strlen(path);
	size_t cut = length < IMPORT_TITLE_SIZE ? 0 : length - (IMPORT_TITLE_SIZE - 4);

	snprintf(source->title, sizeof(source->title), "%s%s", cut ? "..." : "", path + cut);
}

struct import_source import_source_bytes(const char *title, const void *data, size_t size)
{
	struct import_source source = {.data = data, .size = size};

	set_title(&source, title);
	return source;
}

struct temporary {
	int fd;
	int error;	    /* of the first failed write */
	uint64_t available; /* bytes that may still be written */
	bool is_full;
};

static bool temporary_open(struct temporary *temporary)
{
	const char *folder = getenv("TMPDIR");
	char path[4096];

	if (!folder || !*folder)
		folder = "/tmp";
	*temporary = (struct temporary){
		.fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600),
		.available = UINT64_MAX,
	};
	if (temporary->fd >= 0)
		return true;
	if (snprintf(path, sizeof(path), "%s/kymo-import-XXXXXX", folder) >= (int)sizeof(path))
		return false;
	temporary->fd = mkostemp(path, O_CLOEXEC);
	if (temporary->fd >= 0)
		unlink(path);
	return temporary->fd >= 0;
}

static bool temporary_write(void *context, const void *data, size_t size)
{
	struct temporary *temporary = context;
	const char *bytes = data;

	temporary->is_full = size > temporary->available;
	if (temporary->is_full)
		return false;
	temporary->available -= size;
	while (size > 0) {
		ssize_t written = write(temporary->fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			temporary->error = written < 0 ? errno : EIO;
			return false;
		}
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

static enum kymo_status fail_copy(const struct import_source *source, int error,
				  struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM,
			   "no space to decompress '%s': %s; TMPDIR names the folder",
			   source->title, strerror(error));
}

static enum kymo_status source_map(struct import_source *source, int fd, struct problem *problem)
{
	struct stat status;
	void *data;

	if (fstat(fd, &status) < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", source->title,
				   strerror(errno));
	source->size = (size_t)status.st_size;
	source->data = "";
	if (source->size == 0)
		return KYMO_OK;
	data = mmap(NULL, source->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", source->title,
				   strerror(errno));
	madvise(data, source->size, MADV_SEQUENTIAL);
	source->data = data;
	source->is_mapped = true;
	filehole_watch(data, source->size, source->title);
	return KYMO_OK;
}

void import_source_close(struct import_source *source)
{
	if (source->is_mapped) {
		filehole_unwatch(source->data);
		munmap((void *)source->data, source->size);
	}
	*source = (struct import_source){0};
}

static enum kymo_status map_pipe(struct import_source *source, int fd, struct problem *problem)
{
	struct temporary temporary;
	char block[COPY_BLOCK];
	ssize_t got;
	enum kymo_status status = KYMO_OK;

	if (!temporary_open(&temporary))
		return fail_copy(source, errno, problem);
	while ((got = read(fd, block, sizeof(block))) != 0 && !temporary.error) {
		if (got > 0)
			temporary_write(&temporary, block, (size_t)got);
		else if (errno != EINTR)
			break;
	}
	if (got < 0)
		status = problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", source->title,
				     strerror(errno));
	else if (temporary.error)
		status = fail_copy(source, temporary.error, problem);
	else
		status = source_map(source, temporary.fd, problem);
	close(temporary.fd);
	return status;
}

static uint64_t unpacked_limit(const struct import_source *source, uint64_t limit)
{
	uint64_t own = (uint64_t)source->size * IMPORT_UNPACK_RATIO;

	if (limit != IMPORT_UNPACK_OWN)
		return limit;
	return own > IMPORT_UNPACK_LEAST ? own : IMPORT_UNPACK_LEAST;
}

static enum kymo_status source_unpack(struct import_source *source, uint64_t limit,
				      struct problem *problem)
{
	struct import_source unpacked = *source;
	struct temporary temporary;
	enum kymo_status status;

	unpacked.was_compressed = true;
	unpacked.is_mapped = false;
	if (!temporary_open(&temporary))
		return fail_copy(source, errno, problem);
	temporary.available = unpacked_limit(source, limit);
	status = gzip_unpack(source->data, source->size, source->title, temporary_write, &temporary,
			     problem);
	if (status == KYMO_OK && temporary.error)
		status = fail_copy(source, temporary.error, problem);
	if (status == KYMO_OK && temporary.is_full)
		status = problem_set(problem, KYMO_FORMAT,
				     "'%s' has more than %" PRIu64 " MB when it is unpacked, %s; "
				     "--unpack-limit allows more",
				     source->title, unpacked_limit(source, limit) >> 20,
				     limit == IMPORT_UNPACK_OWN ? "far more than profiles have"
								: "as was the limit");
	if (status == KYMO_OK)
		status = source_map(&unpacked, temporary.fd, problem);
	close(temporary.fd);
	if (status < 0)
		return status;
	import_source_close(source);
	*source = unpacked;
	return KYMO_OK;
}

static enum kymo_status open_fd(struct import_source *source, int fd, uint64_t limit,
				struct problem *problem)
{
	struct stat status;
	enum kymo_status result;

	if (fstat(fd, &status) < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", source->title,
				   strerror(errno));
	if (S_ISREG(status.st_mode) && fd != STDIN_FILENO && !owner_is_trusted(&status))
		return owner_refuse(&status, source->title, problem);
	if (S_ISDIR(status.st_mode))
		return problem_set(problem, KYMO_SYSTEM,
				   "'%s' is a directory; import takes files of other tools",
				   source->title);
	if (S_ISREG(status.st_mode)) {
		source->modified_ns = (uint64_t)status.st_mtim.tv_sec * UINT64_C(1000000000) +
				      (uint64_t)status.st_mtim.tv_nsec;
		result = source_map(source, fd, problem);
	} else {
		result = map_pipe(source, fd, problem);
	}
	if (result == KYMO_OK && gzip_is_packed(source->data, source->size))
		result = source_unpack(source, limit, problem);
	return result;
}

enum kymo_status import_source_open(struct import_source *out, const char *path, uint64_t limit,
				    struct problem *problem)
{
	struct import_source source = {0};
	bool is_standard = strcmp(path, "-") == 0;
	int fd = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	enum kymo_status status;

	set_title(&source, is_standard ? "standard input" : path);
	if (fd < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", source.title,
				   strerror(errno));
	status = open_fd(&source, fd, limit, problem);
	if (!is_standard)
		close(fd);
	if (status < 0) {
		import_source_close(&source);
		return status;
	}
	*out = source;
	return KYMO_OK;
}

enum kymo_status source_fail(const struct import_source *source, const char *noun,
			     struct problem *problem, const char *format, ...)
{
	char why[240];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof(why), format, arguments);
	va_end(arguments);
	return problem_set(problem, KYMO_FORMAT, "'%s' is no %s that can be read: %s",
			   source->title, noun, why);
}
