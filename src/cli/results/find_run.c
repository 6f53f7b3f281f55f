/* The search for the newest recording below the working directory.
 *
 * Bounded in depth and in entries: the working directory may be a home directory. */
#include "cli/results/find_run.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "command/xalloc.h"

#define EXTENSION   ".kymo"
#define ENTRIES_MAX 100000

struct search {
	char path[4096]; /* directory being searched */
	char *newest;	 /* directory of the newest recording so far */
	struct timespec newest_time;
	unsigned int entries;
	bool has_foreign; /* there are some of other users, which are skipped */
};

static bool run_is_recording(const char *name)
{
	size_t length = strlen(name), extension = strlen(EXTENSION);

	return length > extension && strcmp(name + length - extension, EXTENSION) == 0;
}

static bool is_allowed(struct search *search, const struct stat *info)
{
	if (owner_is_trusted(info))
		return true;
	search->has_foreign = true;
	return false;
}

static bool run_is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static void run_offer(struct search *search, const struct stat *info)
{
	if (search->newest && !run_is_later(&info->st_mtim, &search->newest_time))
		return;
	xfree(search->newest);
	search->newest = xstrdup(search->path);
	search->newest_time = info->st_mtim;
}

static void search_directory(struct search *search, size_t length, unsigned int depth);

static void run_visit(struct search *search, DIR *directory, const char *name, size_t length,
		      unsigned int depth)
{
	struct stat info;

	if (name[0] == '.' || search->entries++ > ENTRIES_MAX ||
	    fstatat(dirfd(directory), name, &info, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (!is_allowed(search, &info))
		return;
	if (S_ISDIR(info.st_mode) && depth < FIND_RUN_DEPTH) {
		size_t left = sizeof(search->path) - length;
		int added = snprintf(search->path + length, left, "/%s", name);

		if (added > 0 && (size_t)added < left)
			search_directory(search, length + (size_t)added, depth + 1);
		search->path[length] = '\0';
	} else if (!S_ISDIR(info.st_mode) && run_is_recording(name)) {
		run_offer(search, &info);
	}
}

static void search_directory(struct search *search, size_t length, unsigned int depth)
{
	DIR *directory = opendir(search->path);
	const struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory)))
		run_visit(search, directory, entry->d_name, length, depth);
	closedir(directory);
}

enum kymo_status find_run(char **path_out, struct problem *problem)
{
	struct search search = {.path = "."};

	search_directory(&search, 1, 0);
	if (!search.newest)
		return problem_set(problem, KYMO_USAGE,
				   "no run %sbelow the working directory; name one, "
				   "or record one with 'kymo python'",
				   search.has_foreign ? "of yours " : "");
	*path_out = search.newest;
	return KYMO_OK;
}

enum kymo_status find_run_or_newest(const char *given, char **path_out, struct problem *problem)
{
	if (!given)
		return find_run(path_out, problem);
	*path_out = xstrdup(given);
	return KYMO_OK;
}

enum options_result find_run_take(int argc, char **argv, const char **given,
				  struct problem *problem)
{
	*given = argc > 0 ? argv[0] : NULL;
	if (argc <= 1)
		return OPTIONS_PARSED;
	problem_set(problem, KYMO_USAGE, "one run at a time: '%s' and '%s' were given", argv[0],
		    argv[1]);
	return OPTIONS_FAILED;
}
