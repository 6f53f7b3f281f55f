/* Parts, and the coordination of their writers and the merging process.
 *
 * Locks are those of fcntl(), which also work between machines if the file system supports them; a
 * process that ends loses its lock, however it ends. */
#include "merge/merge_share_out.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/filemode.h"
#include "base/md5.h"
#include "base/outfile.h"
#include "base/owner.h"
#include "merge/inputs/merge_problem.h"
#include "merge/merge.h"
#include "platform/systemclock.h"

#define POLL_FIRST_NS 1000000
#define POLL_MOST_NS  100000000
#define NO_LOCKS      "no locks\n"

static char *out_name_of(const struct merge_worker *worker, uint32_t number, const char *extension)
{
	char *name;

	return asprintf(&name, "%s/part-%u.%s", worker->directory, number, extension) < 0 ? NULL
											  : name;
}

char *merge_worker_part(const struct merge_worker *worker, uint32_t number)
{
	return out_name_of(worker, number, "kymo");
}

static void remove_own(const struct merge_worker *worker, const char *extension)
{
	char *name = out_name_of(worker, worker->number, extension);

	if (name)
		unlink(name);
	free(name);
}

/* Take the lock that shows that this process is alive; without locks the file has a marker. */
static enum kymo_status out_take_lock(struct merge_worker *worker, struct problem *problem)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char *name = out_name_of(worker, worker->number, "alive"), *temporary;
	enum kymo_status status = KYMO_OK;

	if (!name || asprintf(&temporary, "%s.tmp", name) < 0) {
		free(name);
		return merge_no_memory(problem);
	}
	unlink(temporary);
	worker->lock = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    filemode_file());
	if (worker->lock >= 0 && fcntl(worker->lock, F_SETLK, &lock) < 0 &&
	    write(worker->lock, NO_LOCKS, strlen(NO_LOCKS)) < 0)
		close(worker->lock), worker->lock = -1;
	/* Rename it only when locked, so that others never see it unlocked. */
	if (worker->lock < 0 || rename(temporary, name) < 0)
		status = problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s", name,
				     strerror(errno));
	free(temporary);
	free(name);
	return status;
}

enum kymo_status merge_worker_init(struct merge_worker *worker, const char *output,
				   const char *plan, uint32_t number, struct problem *problem)
{
	char digest[MD5_TEXT_SIZE];

	*worker = (struct merge_worker){.number = number, .lock = -1};
	md5_text(plan, strlen(plan), digest);
	if (asprintf(&worker->directory, "%s/.parts-%s", output, digest) < 0) {
		worker->directory = NULL;
		return merge_no_memory(problem);
	}
	if (mkdir(worker->directory, filemode_folder()) < 0 &&
	    (errno != EEXIST || (errno = owner_check_folder(worker->directory)) != 0))
		return problem_set(problem, KYMO_SYSTEM, "cannot make '%s': %s", worker->directory,
				   strerror(errno));
	remove_own(worker, "done");
	remove_own(worker, "kymo");
	return out_take_lock(worker, problem);
}

void merge_worker_release(struct merge_worker *worker)
{
	if (worker->lock >= 0)
		close(worker->lock);
	free(worker->directory);
	*worker = (struct merge_worker){.lock = -1};
}

enum kymo_status merge_worker_report(const struct merge_worker *worker,
				     const struct merge_done *done, struct problem *problem)
{
	char *name = out_name_of(worker, worker->number, "done");
	struct outfile file;
	enum kymo_status status =
		name ? outfile_open_stream(&file, name, problem) : merge_no_memory(problem);

	free(name);
	if (status < 0)
		return status;
	fprintf(file.stream, "%d %d %s\n", done->status, done->has_part,
		done->problem ? done->problem : "");
	for (size_t i = 0; i < done->line_count; i++)
		fprintf(file.stream, "%s\n", done->lines[i]);
	return outfile_commit(&file, problem);
}

static enum kymo_status read_done(FILE *in, struct merge_done *out)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	int number = 0, code = KYMO_ERROR, has_part = 0, at = 0;
	bool is_complete = true;

	*out = (struct merge_done){.status = KYMO_ERROR};
	while (is_complete && (length = getline(&line, &capacity, in)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (number++ > 0) {
			is_complete = lines_add(&out->lines, &out->line_count, "%s", line);
			continue;
		}
		if (sscanf(line, "%d %d %n", &code, &has_part, &at) < 2)
			code = KYMO_ERROR;
		out->status = (enum kymo_status)code;
		out->has_part = has_part != 0;
		if (code < 0)
			out->problem = strdup(line + at);
	}
	free(line);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}

/* It existed and released its lock. */
static bool worker_has_exited(const struct merge_worker *worker, uint32_t number)
{
	char *name = out_name_of(worker, number, "alive"), text[sizeof(NO_LOCKS)] = "";
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int descriptor = name ? open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
	bool is_free = false;

	free(name);
	if (descriptor < 0)
		return false; /* does not exist yet */
	if (pread(descriptor, text, sizeof(text) - 1, 0) == 0)
		is_free = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
	close(descriptor);
	return is_free;
}

static FILE *open_done(const struct merge_worker *worker, uint32_t number)
{
	char *name = out_name_of(worker, number, "done");
	int descriptor = name ? open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	FILE *in = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;

	if (!in && descriptor >= 0)
		close(descriptor);
	free(name);
	return in;
}

enum kymo_status merge_worker_wait(const struct merge_worker *worker, uint32_t number,
				   struct merge_done *out, struct problem *problem)
{
	struct timespec pause = {.tv_nsec = POLL_FIRST_NS};
	enum kymo_status status;
	FILE *in = open_done(worker, number);

	while (!in) {
		bool has_exited = worker_has_exited(worker, number);

		/* It may have reported between the two checks and exited then. */
		in = open_done(worker, number);
		if (in)
			break;
		if (has_exited)
			return problem_set(problem, KYMO_ERROR,
					   "process %u of those that share the work ended without "
					   "its part: see its message",
					   number);
		systemclock_sleep(&pause);
		pause.tv_nsec = pause.tv_nsec * 2 > POLL_MOST_NS ? POLL_MOST_NS : pause.tv_nsec * 2;
	}
	status = read_done(in, out);
	fclose(in);
	return status < 0 ? merge_no_memory(problem) : KYMO_OK;
}

void merge_done_release(struct merge_done *done)
{
	free(done->problem);
	lines_free(done->lines, done->line_count);
	*done = (struct merge_done){0};
}

void merge_worker_remove_all(const struct merge_worker *worker)
{
	DIR *stream = opendir(worker->directory);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strncmp(entry->d_name, "part-", 5) == 0)
			unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(worker->directory);
}
