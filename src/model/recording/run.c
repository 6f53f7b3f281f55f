/* A run from its directory. A directory may contain recordings of several runs, unless the outputs
 * of each are put into a time-stamped directory of its own: the newest is used, with all that ran
 * at the same time, since the ranks of an MPI job may not know each other. */
#include "model/recording/run.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/owner.h"
#include "model/code/symbols.h"
#include "model/recording/recording_open.h"
#include "model/recording/run_doubles.h"

#define EXTENSION ".kymo"

struct names {
	char **items;
	size_t count;
};

static bool is_recording_name(const char *name)
{
	size_t length = strlen(name);

	return length > strlen(EXTENSION) && name[0] != '.' &&
	       strcmp(name + length - strlen(EXTENSION), EXTENSION) == 0;
}

static bool recording_run_is_directory(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_any_name(const char *name)
{
	return name[0] != '.';
}

/* The owner of a folder controls what is in it: it may contain links to files of this user, too. */
static enum kymo_status check_owner(int folder, const char *path, struct problem *problem)
{
	struct stat info;

	if (fstat(folder, &info) < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot read directory '%s': %s", path,
				   strerror(errno));
	return owner_is_trusted(&info) ? KYMO_OK : owner_refuse(&info, path, problem);
}

/* Paths of the files in directory with accepted names.  KYMO_SYSTEM if it cannot be read; problem
 * has the line. */
static enum kymo_status list_directory(const char *directory, bool (*accepts)(const char *name),
				       struct names *names, struct problem *problem)
{
	DIR *stream = opendir(directory);
	enum kymo_status status = KYMO_OK;
	const struct dirent *entry;

	if (!stream)
		return problem_set(problem, KYMO_SYSTEM, "cannot read directory '%s': %s",
				   directory, strerror(errno));
	status = check_owner(dirfd(stream), directory, problem);
	while (status == KYMO_OK && (entry = readdir(stream))) {
		if (accepts(entry->d_name) &&
		    !lines_add(&names->items, &names->count, "%s/%s", directory, entry->d_name))
			status = problem_set(problem, KYMO_MEMORY, "no memory to list '%s'",
					     directory);
	}
	closedir(stream);
	return status;
}

static void names_release(struct names *names)
{
	lines_free(names->items, names->count);
	*names = (struct names){0};
}

static enum kymo_status run_add(struct run *run, const char *path)
{
	struct recording **grown =
		reallocarray(run->recordings, run->recording_count + 1, sizeof(struct recording *));
	struct problem problem;

	if (!grown)
		return KYMO_MEMORY;
	run->recordings = grown;
	if (recording_open(path, &grown[run->recording_count], &problem) == KYMO_OK)
		run->recording_count++;
	else if (!lines_add(&run->problems, &run->problem_count, "%s", problem.text))
		return KYMO_MEMORY;
	return KYMO_OK;
}

/* Open every recording directly in directory. */
static enum kymo_status run_add_directory(struct run *run, const char *directory,
					  struct problem *problem)
{
	struct names names = {0};
	enum kymo_status status = list_directory(directory, is_recording_name, &names, problem);

	for (size_t i = 0; i < names.count && status == KYMO_OK; i++) {
		status = run_add(run, names.items[i]);
		if (status != KYMO_OK)
			problem_set(problem, status, "no memory to read '%s'", directory);
	}
	names_release(&names);
	return status;
}

static struct timespec modified(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 ? info.st_mtim : (struct timespec){0};
}

/* Newest first; at the same age, the later name first, which may be a time. */
static int newest_first(const void *left, const void *right)
{
	const char *a = *(char *const *)left, *b = *(char *const *)right;
	struct timespec age_a = modified(a), age_b = modified(b);

	if (age_a.tv_sec != age_b.tv_sec)
		return age_a.tv_sec > age_b.tv_sec ? -1 : 1;
	if (age_a.tv_nsec != age_b.tv_nsec)
		return age_a.tv_nsec > age_b.tv_nsec ? -1 : 1;
	return strcmp(b, a);
}

static enum kymo_status list_newest_first(const char *directory, struct names *names,
					  struct problem *problem)
{
	enum kymo_status status = list_directory(directory, is_any_name, names, problem);

	if (names->count > 1)
		qsort(names->items, names->count, sizeof(*names->items), newest_first);
	return status;
}

/* Search one level down: the newest directory that has a readable recording. */
static enum kymo_status run_add_newest_below(struct run *run, const char *path,
					     struct problem *problem)
{
	struct names names = {0};
	enum kymo_status status = list_newest_first(path, &names, problem);

	for (size_t i = 0; i < names.count && status == KYMO_OK && !run->recording_count; i++) {
		if (!recording_run_is_directory(names.items[i]))
			continue;
		status = run_add_directory(run, names.items[i], problem);
		if (status == KYMO_SYSTEM) {
			lines_add(&run->problems, &run->problem_count, "%s", problem->text);
			status = KYMO_OK;
		}
	}
	names_release(&names);
	return status;
}

/* Likewise for names only: readability is not checked. */
static enum kymo_status list_newest_below(const char *path, struct names *found,
					  struct problem *problem)
{
	struct names names = {0};
	enum kymo_status status = list_newest_first(path, &names, problem);

	for (size_t i = 0; i < names.count && status == KYMO_OK && !found->count; i++) {
		if (recording_run_is_directory(names.items[i]) &&
		    list_directory(names.items[i], is_recording_name, found, problem) ==
			    KYMO_MEMORY)
			status = KYMO_MEMORY;
	}
	names_release(&names);
	return status;
}

enum kymo_status run_list(const char *path, char ***paths_out, size_t *count_out,
			  struct problem *problem)
{
	struct names names = {0};
	enum kymo_status status = KYMO_OK;

	if (!recording_run_is_directory(path)) {
		if (!lines_add(&names.items, &names.count, "%s", path))
			status = problem_set(problem, KYMO_MEMORY, "out of memory");
	} else {
		status = list_directory(path, is_recording_name, &names, problem);
		if (status == KYMO_OK && !names.count)
			status = list_newest_below(path, &names, problem);
		if (status == KYMO_OK && !names.count)
			status = problem_set(problem, KYMO_ERROR,
					     "no recordings (*" EXTENSION ") in '%s'", path);
	}
	if (status < 0) {
		names_release(&names);
		return status;
	}
	*paths_out = names.items;
	*count_out = names.count;
	return KYMO_OK;
}

static uint64_t run_start_of(const struct recording *recording)
{
	return recording->header.start_realtime_ns;
}

static uint64_t run_end_of(const struct recording *recording)
{
	return recording_realtime_ns(recording, recording->end_ticks);
}

static int run_latest_first(const void *left, const void *right)
{
	uint64_t a = run_start_of(*(struct recording *const *)left);
	uint64_t b = run_start_of(*(struct recording *const *)right);

	return a > b ? -1 : a < b;
}

/* When the newest run began: its root process, or the first of its ranks, which may have ended
 * before the last one began: a folder contains the ranks of one job.  0 if that is not known. */
static uint64_t run_newest_start(const struct run *run)
{
	uint64_t start = 0;
	bool is_job = false;

	for (size_t i = 0; i < run->recording_count; i++) {
		const struct recording *recording = run->recordings[i];
		uint32_t flags = recording->header.flags;

		if (!(flags & KYMO_HEADER_ROOT))
			continue;
		if (start == 0)
			is_job = flags & KYMO_HEADER_RANK;
		if (start == 0 || (is_job && (flags & KYMO_HEADER_RANK)))
			start = run_start_of(recording);
	}
	return start;
}

/* Drop the recordings of earlier runs: those that ended before the newest run, and all that ran at
 * the same time, began.  A second run into a folder replaces the first: all of it is kept, and the
 * recordings of the first can be read by their names. */
static void run_keep_newest(struct run *run)
{
	uint64_t start;
	size_t kept = 0;

	qsort(run->recordings, run->recording_count, sizeof(struct recording *), run_latest_first);
	start = run_newest_start(run);
	for (size_t i = 0; i < run->recording_count; i++) {
		struct recording *recording = run->recordings[i];

		if (run_start_of(recording) < start && run_end_of(recording) < start) {
			recording_free(recording);
			continue;
		}
		if (run_start_of(recording) < start)
			start = run_start_of(recording);
		run->recordings[kept++] = recording;
	}
	run->recording_count = kept;
}

static int root_first(const void *left, const void *right)
{
	const struct kymo_header *a = &(*(struct recording *const *)left)->header;
	const struct kymo_header *b = &(*(struct recording *const *)right)->header;
	bool is_root_a = (a->flags & KYMO_HEADER_ROOT) != 0;
	bool is_root_b = (b->flags & KYMO_HEADER_ROOT) != 0;

	if (is_root_a != is_root_b)
		return is_root_a ? -1 : 1;
	if (a->start_realtime_ns != b->start_realtime_ns)
		return a->start_realtime_ns < b->start_realtime_ns ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static enum kymo_status run_fill(struct run *run, const char *path, struct problem *problem)
{
	enum kymo_status status;

	if (!recording_run_is_directory(path)) {
		run->recordings = calloc(1, sizeof(struct recording *));
		status = run->recordings ? recording_open(path, run->recordings, problem)
					 : problem_set(problem, KYMO_MEMORY, "out of memory");
		run->recording_count = status == KYMO_OK;
		return status;
	}
	status = run_add_directory(run, path, problem);
	if (status == KYMO_OK && !run->recording_count)
		status = run_add_newest_below(run, path, problem);
	if (status != KYMO_OK)
		return status;
	if (!run->recording_count && run->problem_count)
		return problem_set(problem, KYMO_FORMAT, "no readable recording in '%s': %s", path,
				   run->problems[0]);
	if (!run->recording_count)
		return problem_set(problem, KYMO_ERROR,
				   "no recordings (*" EXTENSION ") in '%s': make one with "
				   "'kymo python -- program.py'",
				   path);
	run_keep_newest(run);
	qsort(run->recordings, run->recording_count, sizeof(struct recording *), root_first);
	return run_leave_out_doubles(run, problem);
}

/* Objects that threads waited for get their names, or are grouped by kind. */
static void run_name_objects(struct run *run)
{
	struct symbols *symbols = symbols_new();

	for (size_t i = 0; symbols && i < run->recording_count; i++)
		if (run->recordings[i]->module_count)
			symbols_name_objects(symbols, run->recordings[i]);
	symbols_free(symbols);
	for (size_t i = 0; i < run->recording_count; i++)
		recording_group_objects(run->recordings[i]);
}

/* Of a link, the folder that contains the link counts. */
static bool is_in_own_folder(const char *path)
{
	char *folder = strdup(path);
	struct stat info;
	bool is_own = folder && stat(dirname(folder), &info) == 0 && owner_is_alone(&info);

	free(folder);
	return is_own;
}

static bool run_is_own(const struct run *run)
{
	for (size_t i = 0; i < run->recording_count; i++)
		if (!recording_is_own(run->recordings[i]) ||
		    !is_in_own_folder(run->recordings[i]->path))
			return false;
	return true;
}

enum kymo_status run_open(const char *path, struct run **out, struct problem *problem)
{
	struct problem unread;
	struct run *run = calloc(1, sizeof(*run));
	enum kymo_status status;

	if (!problem)
		problem = &unread;
	if (!run || !(run->path = strdup(path))) {
		free(run);
		return problem_set(problem, KYMO_MEMORY, "no memory to read '%s'", path);
	}
	status = run_fill(run, path, problem);
	if (status != KYMO_OK) {
		run_free(run);
		return status;
	}
	run_name_objects(run);
	run->is_own = run_is_own(run);
	*out = run;
	return KYMO_OK;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->recording_count; i++)
		recording_free(run->recordings[i]);
	free(run->recordings);
	lines_free(run->problems, run->problem_count);
	free(run->path);
	free(run);
}
