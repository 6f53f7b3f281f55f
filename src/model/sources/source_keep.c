/* Keeps sources with a run: copies in a folder of their own, and an index of them. */
#include "model/sources/source_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/md5.h"
#include "base/writewhole.h"
#include "model/sources/source_path.h"
#include "model/sources/source_text.h"
#include "text/json_writer.h"

#define INDEX_NAME "index.json"

bool source_has_suffix(const char *path)
{
	static const char *const suffixes[] = {
		"py",  "pyx", "pxd", "pyi", "pyw", "c",	  "h",	   "cc",   "cpp", "cxx",
		"c++", "hh",  "hpp", "hxx", "h++", "inc", "inl",   "ipp",  "tcc", "f",
		"for", "f77", "f90", "f95", "f03", "f08", "s",	   "asm",  "cu",  "cuh",
		"cl",  "hip", "m",   "mm",  "rs",  "go",  "d",	   "zig",  "jl",  "r",
		"lua", "rb",  "pl",  "js",  "ts",  "sh",  "swift", "ispc",
	};
	const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (strcasecmp(dot + 1, suffixes[i]) == 0)
			return true;
	return false;
}

void source_kept_name(const char *path, char name[SOURCE_NAME_SIZE])
{
	const char *base = path_base_name(path);
	char digest[MD5_TEXT_SIZE];
	int length;

	md5_text(path, strlen(path), digest);
	length = snprintf(name, SOURCE_NAME_SIZE, "%s-%.64s", digest, base);
	for (int i = 0; i < length && i < SOURCE_NAME_SIZE - 1; i++) {
		char letter = name[i];
		bool is_plain = (letter >= '0' && letter <= '9') ||
				(letter >= 'a' && letter <= 'z') ||
				(letter >= 'A' && letter <= 'Z') || strchr("._-+", letter);

		if (!is_plain)
			name[i] = '_';
	}
}

struct keeper {
	int folder; /* descriptor of the folder */
	struct json_writer json;
	uint64_t bytes;
	size_t count;
};

/* Atomically: the complete file, or none. */
static bool write_copy(const struct keeper *keeper, const char *name,
		       const struct source_text *text, const struct stat *about)
{
	const struct timespec times[2] = {about->st_mtim, about->st_mtim};
	char temporary[SOURCE_NAME_SIZE + 32];
	bool is_well;
	int fd;

	snprintf(temporary, sizeof(temporary), ".%d-%s", (int)getpid(), name);
	unlinkat(keeper->folder, temporary, 0);
	fd = openat(keeper->folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return false;
	is_well = write_whole(fd, text->text, text->size) && futimens(fd, times) == 0;
	is_well = close(fd) == 0 && is_well;
	if (is_well)
		is_well = renameat(keeper->folder, temporary, keeper->folder, name) == 0;
	if (!is_well)
		unlinkat(keeper->folder, temporary, 0);
	return is_well;
}

static bool keep_is_kept(const struct keeper *keeper, const char *name, const struct stat *about)
{
	struct stat kept;

	return fstatat(keeper->folder, name, &kept, AT_SYMLINK_NOFOLLOW) == 0 &&
	       S_ISREG(kept.st_mode) && kept.st_size == about->st_size &&
	       kept.st_mtim.tv_sec == about->st_mtim.tv_sec &&
	       kept.st_mtim.tv_nsec == about->st_mtim.tv_nsec;
}

static void keep_write_entry(struct keeper *keeper, const char *path, const char *name,
			     const struct source_text *text, const struct stat *about)
{
	struct json_writer *json = &keeper->json;
	char *resolved = realpath(path, NULL), digest[MD5_TEXT_SIZE];

	md5_text(text->text, text->size, digest);
	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "path", path);
	json_pair_text(json, "resolved", resolved ? resolved : path);
	json_pair_text(json, "kept", name);
	json_pair_count(json, "size", text->size);
	json_pair_count(json, "mtime_ns",
			(uint64_t)about->st_mtim.tv_sec * 1000000000u +
				(uint64_t)about->st_mtim.tv_nsec);
	json_pair_text(json, "md5", digest);
	json_end_object(json);
	free(resolved);
}

static enum kymo_status keep_file(struct keeper *keeper, const struct source_file *file,
				  struct problem *problem)
{
	char *path = source_file_path(file), name[SOURCE_NAME_SIZE];
	struct source_text text = {0};
	enum kymo_status status = KYMO_OK;
	struct stat about;
	int fd = path ? source_open(path, 0) : -1;

	if (fd >= 0) {
		status = source_read_fd(fd, path, &text, &about);
		close(fd);
	}
	if (text.text && keeper->bytes + text.size <= SOURCES_KEPT_MAX) {
		source_kept_name(path, name);
		if (!keep_is_kept(keeper, name, &about) &&
		    !write_copy(keeper, name, &text, &about)) {
			status = problem_set(problem, KYMO_SYSTEM, "cannot keep a copy of '%s': %s",
					     path, strerror(errno));
		} else {
			keeper->bytes += text.size;
			keeper->count++;
			keep_write_entry(keeper, path, name, &text, &about);
		}
	}
	source_text_release(&text);
	free(path);
	return status;
}

static enum kymo_status keep_files(struct keeper *keeper, const struct source_files *files,
				   struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	json_begin_object(&keeper->json);
	json_key(&keeper->json, "kymo");
	json_begin_object(&keeper->json);
	json_key(&keeper->json, "sources");
	json_begin_array(&keeper->json);
	for (size_t i = 0; status == KYMO_OK && i < files->count; i++)
		status = keep_file(keeper, &files->files[i], problem);
	json_end_array(&keeper->json);
	json_end_object(&keeper->json);
	json_end_object(&keeper->json);
	putc('\n', keeper->json.out);
	return status;
}

static int keep_open_folder(const char *directory, struct problem *problem)
{
	char *path = NULL;
	int folder;

	if (asprintf(&path, "%s/" SOURCES_FOLDER, directory) < 0) {
		problem_set(problem, KYMO_MEMORY, "out of memory");
		return -1;
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		problem_set(problem, KYMO_SYSTEM, "cannot make '%s': %s", path, strerror(errno));
	folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		problem_set(problem, KYMO_SYSTEM, "cannot keep sources in '%s': %s", path,
			    strerror(errno));
	free(path);
	return folder;
}

/* The index, in memory until it is complete. */
static enum kymo_status write_index(const struct keeper *keeper, const char *text, size_t size,
				    struct problem *problem)
{
	const struct source_text index = {.text = (char *)text, .size = size};
	const struct stat now = {.st_mtim = {0, UTIME_NOW}};

	return write_copy(keeper, INDEX_NAME, &index, &now)
		       ? KYMO_OK
		       : problem_set(problem, KYMO_SYSTEM,
				     "cannot write the list of kept sources: %s", strerror(errno));
}

enum kymo_status sources_keep(const struct source_files *files, const char *directory,
			      size_t *count_out, struct problem *problem)
{
	char *text = NULL;
	size_t size = 0;
	struct keeper keeper = {.folder = keep_open_folder(directory, problem)};
	enum kymo_status status;

	if (keeper.folder < 0)
		return KYMO_SYSTEM;
	keeper.json.out = open_memstream(&text, &size);
	if (!keeper.json.out) {
		close(keeper.folder);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	status = keep_files(&keeper, files, problem);
	if (fclose(keeper.json.out) != 0 && status == KYMO_OK)
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	if (status == KYMO_OK)
		status = write_index(&keeper, text, size, problem);
	free(text);
	close(keeper.folder);
	*count_out = keeper.count;
	return status;
}
