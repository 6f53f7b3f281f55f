/* One folder for all ranks of a job.
 *
 * The ranks start on many nodes at about the same time, and share nothing but the job's name and a
 * file system.  So the first rank is determined by operations that are atomic on such a file
 * system: making a folder, a link or a file.  The run's folder has one with the job's name, in
 * which each rank has a file while it runs; kymo finish removes it. */
#include "config/run/runjob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/filemode.h"
#include "base/owner.h"
#include "config/mpirank.h"
#include "config/outputkey.h"
#include "platform/files/nocancel_io.h"

#define TURNS_MAX    100
#define READY	     "ready"
#define READY_MOST_S 10

static const char *job_lookup(const void *context, const char *name)
{
	return output_environment(context, name);
}

bool runjob_name(const struct output_context *context, char *name, size_t size)
{
	return mpirank_job(job_lookup, context, name, size);
}

static int job_join(char *path, const char *format, const char *first, const char *second)
{
	int length = snprintf(path, PATH_MAX, format, first, second);

	return length > 0 && length < PATH_MAX ? 0 : ENAMETOOLONG;
}

static int job_remove_folder(const char *path)
{
	return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* 0, EEXIST or another errno value. */
static int job_make_file(const char *path)
{
	int fd = plain_open(path, O_WRONLY | O_CREAT | O_EXCL, filemode_file());

	if (fd < 0)
		return errno;
	plain_close(fd);
	return 0;
}

static bool job_is_recording(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot != name && strcmp(dot, ".kymo") == 0;
}

static int make_earlier(const char *folder, char *earlier)
{
	for (int number = 1; number < TURNS_MAX; number++) {
		int length = snprintf(earlier, PATH_MAX, "%s/earlier-%d", folder, number);

		if (length < 0 || length >= PATH_MAX)
			return ENAMETOOLONG;
		if (mkdir(earlier, filemode_folder()) == 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

/* Recordings of an earlier run would be read as ranks of this one. */
static void job_set_aside(const char *folder)
{
	char earlier[PATH_MAX] = "", from[PATH_MAX], to[PATH_MAX];
	DIR *stream = opendir(folder);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		if (!job_is_recording(entry->d_name))
			continue;
		if (!*earlier && make_earlier(folder, earlier) != 0)
			break;
		if (job_join(from, "%s/%s", folder, entry->d_name) == 0 &&
		    job_join(to, "%s/%s", earlier, entry->d_name) == 0)
			(void)!rename(from, to);
	}
	if (stream)
		closedir(stream);
}

/* Made by the first rank, which then moves earlier recordings away; the others wait for that. */
static int job_enter(const char *run, const char *job)
{
	char folder[PATH_MAX], ready[PATH_MAX];
	int result = job_join(folder, "%s/" RUNJOB_FOLDER "%s", run, job);

	if (result == 0)
		result = job_join(ready, "%s/%s", folder, READY);
	if (result != 0)
		return result;
	if (mkdir(folder, filemode_folder()) == 0) {
		job_set_aside(run);
		return job_make_file(ready);
	}
	if (errno != EEXIST)
		return errno;
	for (int i = 0; i < READY_MOST_S * 1000 && access(ready, F_OK) < 0; i++)
		poll(NULL, 0, 1);
	return 0;
}

/* The rank's own file.  ENOENT: the job has ended meanwhile. */
static int job_sign(const char *run, const char *job, const struct output_context *context)
{
	const char *rank = mpirank_text(job_lookup, context);
	const char *size = mpirank_size_text(job_lookup, context);
	char path[PATH_MAX], name[RUNJOB_NAME_MAX];
	int length, result;

	runjob_process(context->pid, name, sizeof(name));
	length = snprintf(path, sizeof(path), "%s/" RUNJOB_FOLDER "%s/%s-of-%s-%s" RUNJOB_OPEN, run,
			  job, rank, size, name);
	if (length < 0 || (size_t)length >= sizeof(path))
		return ENAMETOOLONG;
	result = job_make_file(path);
	return result == EEXIST ? 0 : result;
}

void runjob_process(pid_t pid, char *text, size_t size)
{
	char host[65] = "";

	gethostname(host, sizeof(host) - 1);
	for (char *byte = host; *byte; byte++)
		if (*byte == '/')
			*byte = '_';
	snprintf(text, size, "%s-%d", host, (int)pid);
}

/* The target of the link, if that is a run of the job that still runs. */
static bool job_follow(const char *base, const char *link, const char *job, char *path)
{
	char name[NAME_MAX + 1], folder[PATH_MAX];
	ssize_t length = readlink(link, name, sizeof(name) - 1);

	if (length <= 0)
		return false;
	name[length] = '\0';
	if (!strchr(name, '/') && name[0] != '.' && job_join(path, "%s/%s", base, name) == 0 &&
	    owner_check_folder(path) == 0 &&
	    job_join(folder, "%s/" RUNJOB_FOLDER "%s", path, job) == 0 && access(folder, F_OK) == 0)
		return true;
	(void)!unlink(link); /* of a job that nobody has finished */
	return false;
}

/* Remove the folder of a rank that was not the first. */
static void undo(const char *path, const char *job)
{
	char part[PATH_MAX];

	if (job_join(part, "%s/" RUNJOB_FOLDER "%s/" READY, path, job) == 0)
		(void)!unlink(part);
	if (job_join(part, "%s/" RUNJOB_FOLDER "%s", path, job) == 0)
		job_remove_folder(part);
	job_remove_folder(path);
}

static int share_named(const char *wanted, const char *job, runjob_make_fn make, char *path)
{
	char base[PATH_MAX], link[PATH_MAX];
	int result = job_join(base, "%s%s", wanted, "");

	if (result == 0) {
		char *slash = strrchr(base, '/');

		if (slash)
			*slash = '\0';
		result = job_join(link, "%s/" RUNJOB_FOLDER "%s", slash ? base : ".", job);
		if (!slash)
			strcpy(base, ".");
	}
	for (int i = 0; result == 0 && i < TURNS_MAX; i++) {
		if (job_follow(base, link, job, path))
			return 0;
		result = make(wanted, path, PATH_MAX);
		if (result == 0)
			result = job_enter(path, job);
		if (result == 0 && symlink(path_base_name(path), link) == 0)
			return 0;
		if (result == 0 && errno != EEXIST)
			return 0; /* a file system without links: a run for each rank */
		undo(path, job);
	}
	return result ? result : EEXIST;
}

int runjob_share(const struct output_context *context, const char *wanted, const char *job,
		 runjob_make_fn make, char *path)
{
	bool is_named = settings_bool(context->settings, SET_TIME_OUTPUT);
	int result = ENOENT;

	for (int i = 0; result == ENOENT && i < TURNS_MAX; i++) {
		result = is_named ? share_named(wanted, job, make, path)
				  : make(wanted, path, PATH_MAX);
		if (result == 0 && !is_named)
			result = job_enter(path, job);
		if (result == 0 && settings_bool(context->settings, SET_FINISH))
			result = job_sign(path, job, context);
	}
	return result;
}
