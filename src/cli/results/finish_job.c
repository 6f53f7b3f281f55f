/* Counting the running ranks of a job: files in a folder, which are renamed when the ranks end.
 *
 * A rank that ends first renames its own file and then counts: of two that end at the same time at
 * least one sees that no rank runs any more, and an exclusively created file decides if both do. */
#include "cli/results/finish_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/filemode.h"
#include "config/run/runjob.h"
#include "platform/systemclock.h"

#define BEGIN_MOST_S 3 /* from the first rank's start to the last's */
#define LOOK_MS	     20
#define END_MAX	     (RUNJOB_NAME_MAX + 8)

struct ranks {
	size_t open;
	size_t done;
	size_t size; /* of the job */
};

static void job_path_in(const char *folder, const char *name, char *path)
{
	if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
		*path = '\0';
}

static bool job_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), last = strlen(end);

	return length > last && strcmp(text + length - last, end) == 0;
}

static void mark_done(const char *folder, const char *name)
{
	char from[PATH_MAX], to[PATH_MAX], done[NAME_MAX + 8];

	snprintf(done, sizeof(done), "%.*s" RUNJOB_DONE, (int)(strlen(name) - strlen(RUNJOB_OPEN)),
		 name);
	job_path_in(folder, name, from);
	job_path_in(folder, done, to);
	(void)!rename(from, to); /* another process has renamed it */
}

/* Whether the process has a file there, of a running or ended rank.  Marks the rank as ended. */
static bool end_own(const char *folder, const char *process)
{
	char open_end[END_MAX], done_end[END_MAX];
	DIR *stream = opendir(folder);
	const struct dirent *entry;
	bool is_found = false;

	snprintf(open_end, sizeof(open_end), "-%s" RUNJOB_OPEN, process);
	snprintf(done_end, sizeof(done_end), "-%s" RUNJOB_DONE, process);
	while (stream && !is_found && (entry = readdir(stream))) {
		is_found = job_ends_with(entry->d_name, done_end);
		if (job_ends_with(entry->d_name, open_end)) {
			mark_done(folder, entry->d_name);
			is_found = true;
		}
	}
	if (stream)
		closedir(stream);
	return is_found;
}

static bool find_job(struct finish_job *job, const char *run, const char *process)
{
	DIR *stream = opendir(run);
	const struct dirent *entry;
	bool is_found = false;

	while (stream && !is_found && (entry = readdir(stream))) {
		if (strncmp(entry->d_name, RUNJOB_FOLDER, strlen(RUNJOB_FOLDER)) != 0)
			continue;
		job_path_in(run, entry->d_name, job->folder);
		if (snprintf(job->link, PATH_MAX, "%s/../%s", run, entry->d_name) >= PATH_MAX)
			*job->link = '\0';
		is_found = end_own(job->folder, process);
	}
	if (stream)
		closedir(stream);
	return is_found;
}

/* "RANK-of-SIZE-HOST-PID.open": whether it was on this node, and its process no longer exists. */
static bool job_has_exited(const char *name)
{
	const char *last = strrchr(name, '-');
	pid_t pid = last ? (pid_t)strtol(last + 1, NULL, 10) : 0;
	char process[RUNJOB_NAME_MAX], end[END_MAX];

	if (pid <= 0)
		return false;
	runjob_process(pid, process, sizeof(process));
	snprintf(end, sizeof(end), "-%s" RUNJOB_OPEN, process);
	return job_ends_with(name, end) && kill(pid, 0) < 0 && errno == ESRCH;
}

static void count_rank(const char *folder, const char *name, struct ranks *ranks)
{
	const char *size = strstr(name, "-of-");
	bool is_done = job_ends_with(name, RUNJOB_DONE);

	if (!size || !(is_done || job_ends_with(name, RUNJOB_OPEN)))
		return;
	ranks->size = strtoul(size + strlen("-of-"), NULL, 10);
	if (!is_done && job_has_exited(name)) {
		mark_done(folder, name);
		is_done = true;
	}
	*(is_done ? &ranks->done : &ranks->open) += 1;
}

static struct ranks job_count_ranks(const char *folder)
{
	struct ranks ranks = {0, 0, 0};
	DIR *stream = opendir(folder);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		count_rank(folder, entry->d_name, &ranks);
	if (stream)
		closedir(stream);
	return ranks;
}

/* Ranks that have not started yet: programs without MPI calls may end before other ranks of their
 * job start, and some may never be recorded. */
static bool job_may_still_begin(const char *folder)
{
	struct stat first;
	struct timespec now;
	char ready[PATH_MAX];

	job_path_in(folder, "ready", ready);
	systemclock_read(CLOCK_REALTIME, &now);
	return stat(ready, &first) == 0 && labs(now.tv_sec - first.st_mtim.tv_sec) < BEGIN_MOST_S;
}

/* Succeeds once for each number of ended ranks. */
static bool job_claim(const char *folder, size_t done)
{
	char name[64], path[PATH_MAX];
	int fd;

	snprintf(name, sizeof(name), "last-of-%zu", done);
	job_path_in(folder, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, filemode_file());
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

enum finish_turn finish_job_end(struct finish_job *job, const char *run, pid_t process)
{
	char name[RUNJOB_NAME_MAX];
	struct ranks ranks;

	runjob_process(process, name, sizeof(name));
	if (process <= 0 || !find_job(job, run, name)) {
		*job->folder = *job->link = '\0';
		return FINISH_ALONE;
	}
	ranks = job_count_ranks(job->folder);
	while (ranks.open == 0 && ranks.done < ranks.size && job_may_still_begin(job->folder)) {
		poll(NULL, 0, LOOK_MS);
		ranks = job_count_ranks(job->folder);
	}
	return ranks.open == 0 && job_claim(job->folder, ranks.done) ? FINISH_LAST : FINISH_OTHERS;
}

static void remove_files(const char *folder)
{
	DIR *stream = opendir(folder);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(folder);
}

static bool leads_to_run(const struct finish_job *job)
{
	char link[PATH_MAX];
	struct stat led, own;

	if (!*job->link || snprintf(link, sizeof(link), "%s/.", job->link) >= (int)sizeof(link) ||
	    stat(link, &led) < 0 ||
	    snprintf(link, sizeof(link), "%s/..", job->folder) >= (int)sizeof(link) ||
	    stat(link, &own) < 0)
		return false;
	return led.st_dev == own.st_dev && led.st_ino == own.st_ino;
}

/* Renamed first: a rank that starts now does not find it, and begins a run. */
void finish_job_close(const struct finish_job *job)
{
	char gone[PATH_MAX];

	if (!*job->folder)
		return;
	if (leads_to_run(job))
		(void)!unlink(job->link);
	if (snprintf(gone, sizeof(gone), "%s.gone-%d", job->folder, (int)getpid()) < PATH_MAX &&
	    rename(job->folder, gone) == 0)
		remove_files(gone);
}
