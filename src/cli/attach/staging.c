/* Uses descriptors and follows no links once others may write there. */
#include "cli/attach/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "attach/target/remote.h"
#include "attach/target/targetmaps.h"
#include "base/writewhole.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_status.h"

#define DEPTH_MAX  16
#define COPY_BYTES 65536
#define LIBRARIES  2
#define EFFECTIVE  1 /* column of ids in a status file */

static const char *const folders[] = {"/tmp", "/var/tmp", "/dev/shm"};
static const char run_name[] = "run", cache_name[] = "cache", recording_end[] = ".kymo";

/* The process's effective user and group. */
static bool read_owner(pid_t pid, uid_t *user_out, gid_t *group_out)
{
	char text[PROC_STATUS_BYTES];
	int64_t user = -1, group = -1;

	if (proc_read(pid, 0, "status", text, sizeof(text)) > 0) {
		user = proc_status_column(text, "Uid", EFFECTIVE, 10);
		group = proc_status_column(text, "Gid", EFFECTIVE, 10);
	}
	*user_out = user < 0 ? 0 : (uid_t)user;
	*group_out = group < 0 ? 0 : (gid_t)group;
	return user >= 0 && group >= 0;
}

static bool staging_is_same(const char *one, const char *other)
{
	struct stat here, there;

	return stat(one, &here) == 0 && stat(other, &there) == 0 && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* With the rights of the process's user, who may not search a parent folder. */
static bool may_read(const struct staging *staging, const char *path)
{
	uid_t user = (uid_t)setfsuid(staging->user);
	gid_t group = (gid_t)setfsgid(staging->group);
	int file = open(path, O_RDONLY | O_CLOEXEC);

	setfsgid(group);
	setfsuid(user);
	if (file >= 0)
		close(file);
	return file >= 0;
}

/* The collector of an earlier attach, whose file may be deleted: dlopen() by its name finds the
 * loaded one. */
static bool find_loaded(struct staging *staging, pid_t pid, const char *library)
{
	const char *name = strrchr(library, '/');
	struct targetmaps maps;
	struct remote remote;

	remote_init(&remote, pid);
	if (name && targetmaps_read(&maps, &remote) == 0) {
		for (size_t i = 0; i < maps.module_count && !staging->is_loaded; i++) {
			const char *path = maps.modules[i].path, *last = strrchr(path, '/');

			if (!last || strcmp(last, name) != 0)
				continue;
			snprintf(staging->library, sizeof(staging->library), "%s", path);
			staging->is_loaded = true;
		}
		targetmaps_release(&maps);
	}
	remote_release(&remote);
	return staging->is_loaded;
}

static int staging_make_folder(struct staging *staging, pid_t pid)
{
	struct statvfs about;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char root[64];

		snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
		snprintf(staging->outside, sizeof(staging->outside), "%s%s/kymo-XXXXXX", root,
			 folders[i]);
		if (!mkdtemp(staging->outside))
			continue;
		snprintf(staging->inside, sizeof(staging->inside), "%.60s",
			 staging->outside + strlen(root));
		staging->folder =
			open(staging->outside, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		/* Libraries need a file system without noexec. */
		if (staging->folder >= 0 && fstatvfs(staging->folder, &about) == 0 &&
		    !(about.f_flag & ST_NOEXEC))
			return 0;
		if (staging->folder >= 0)
			close(staging->folder);
		staging->folder = -1;
		rmdir(staging->outside);
	}
	return -1;
}

/* Copy from the current position to the end, and the modification time, which identifies copies. */
static bool staging_copy(int from, int to)
{
	char *bytes = malloc(COPY_BYTES);
	struct stat facts;
	ssize_t got = -1;

	while (bytes && (got = read(from, bytes, COPY_BYTES)) != 0)
		if (got < 0 ? errno != EINTR : !write_whole(to, bytes, (size_t)got))
			break;
	free(bytes);
	return got == 0 && fstat(from, &facts) == 0 &&
	       futimens(to, (struct timespec[]){facts.st_atim, facts.st_mtim}) == 0;
}

static bool copy_library(const struct staging *staging, const char *path, const char *name)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	int to = openat(staging->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	bool is_copied = from >= 0 && to >= 0 && staging_copy(from, to);

	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return is_copied;
}

/* The collector, and the runtime that it needs beside it. */
static bool copy_libraries(struct staging *staging, const char *library)
{
	const char *name = strrchr(library, '/') + 1;
	const char *const names[LIBRARIES] = {name, "libkymo.so"};
	char path[PATH_MAX];

	for (size_t i = 0; i < LIBRARIES; i++) {
		snprintf(path, sizeof(path), "%.*s%s", (int)(name - library), library, names[i]);
		if (!copy_library(staging, path, names[i]))
			return false;
	}
	snprintf(staging->library, sizeof(staging->library), "%s/%s", staging->inside, name);
	return true;
}

static enum kymo_status furnish(struct staging *staging, pid_t pid, const char *library,
				bool needs_library, struct problem *problem)
{
	struct problem ignored;

	if (staging_make_folder(staging, pid) < 0)
		return problem_set(problem, KYMO_SYSTEM,
				   "process %d and this one have no folder in common, and none can "
				   "be made in its /tmp: %s",
				   (int)pid, strerror(errno));
	staging->is_used = true;
	if (mkdirat(staging->folder, run_name, 0700) == 0 &&
	    mkdirat(staging->folder, cache_name, 0700) == 0 &&
	    (!needs_library || copy_libraries(staging, library)))
		return KYMO_OK;
	problem_set(problem, KYMO_SYSTEM, "cannot prepare '%s' for process %d: %s", staging->inside,
		    (int)pid, strerror(errno));
	staging_close(staging, "", &ignored);
	return KYMO_SYSTEM;
}

enum kymo_status staging_open(struct staging *staging, pid_t pid, const char *library,
			      struct problem *problem)
{
	char root[64], path[PATH_MAX + 64];
	bool sees_library, is_at_home;

	*staging = (struct staging){.folder = -1};
	snprintf(staging->library, sizeof(staging->library), "%s", library);
	snprintf(root, sizeof(root), "/proc/%d/root", (int)pid);
	snprintf(path, sizeof(path), "%s%s", root, library);
	if (!read_owner(pid, &staging->user, &staging->group))
		return KYMO_OK; /* reported when the process is opened */
	is_at_home = staging->user == geteuid() && staging_is_same(root, "/") &&
		     staging_is_same(path, library);
	if (is_at_home || access(root, X_OK) < 0)
		return KYMO_OK;
	sees_library = staging_is_same(path, library) && may_read(staging, path);
	snprintf(path, sizeof(path), "%s/proc/version", root);
	if (access(path, F_OK) < 0)
		return problem_set(problem, KYMO_SYSTEM,
				   "process %d has no /proc, by which its functions are found: "
				   "mount it in its root folder",
				   (int)pid);
	if (find_loaded(staging, pid, library))
		sees_library = true;
	return furnish(staging, pid, library, !sees_library, problem);
}

const char *staging_cache(const struct staging *staging, bool is_inside, char path[PATH_MAX])
{
	if (!staging->is_used)
		return NULL;
	snprintf(path, PATH_MAX, "%s/%s", is_inside ? staging->inside : staging->outside,
		 cache_name);
	return path;
}

const char *staging_run(const struct staging *staging, const char *directory, char path[PATH_MAX])
{
	if (!staging->is_used)
		return directory;
	snprintf(path, PATH_MAX, "%s/%s", staging->inside, run_name);
	return path;
}

typedef bool (*entry_fn)(struct staging *staging, int folder, const char *name, bool is_folder);

/* Calls act for each entry, entries of a folder before the folder itself; false: act failed, or it
 * is nested too deeply. */
static bool staging_walk(struct staging *staging, int folder, unsigned depth, entry_fn act)
{
	int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = own >= 0 ? fdopendir(own) : NULL;
	struct dirent *entry;
	bool is_done = stream && depth < DEPTH_MAX;

	while (is_done && (entry = readdir(stream))) {
		int inner;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		inner = openat(folder, entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (inner >= 0) {
			is_done = staging_walk(staging, inner, depth + 1, act);
			close(inner);
		}
		is_done = is_done && act(staging, folder, entry->d_name, inner >= 0);
	}
	if (stream)
		closedir(stream);
	else if (own >= 0)
		close(own);
	return is_done;
}

static bool staging_give(struct staging *staging, int folder, const char *name, bool is_folder)
{
	(void)is_folder;
	return fchownat(folder, name, staging->user, staging->group, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool staging_remove_entry(struct staging *staging, int folder, const char *name,
				 bool is_folder)
{
	(void)staging;
	unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0);
	return true;
}

enum kymo_status staging_hand_over(struct staging *staging, struct problem *problem)
{
	if (!staging->is_used || (staging_walk(staging, staging->folder, 0, staging_give) &&
				  fchown(staging->folder, staging->user, staging->group) == 0))
		return KYMO_OK;
	return problem_set(problem, KYMO_SYSTEM, "cannot give '%s' to user %u: %s",
			   staging->outside, (unsigned)staging->user, strerror(errno));
}

/* Copies regular files only; anything else that the process has put there is ignored. */
static bool staging_copy_recording(const struct staging *staging, int from_folder, const char *name,
				   const char *directory)
{
	char path[2 * PATH_MAX];
	int to, from = openat(from_folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat facts;
	bool is_copied;

	if (from < 0 || fstat(from, &facts) < 0 || !S_ISREG(facts.st_mode)) {
		if (from >= 0)
			close(from);
		return true;
	}
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	is_copied = to >= 0 && staging_copy(from, to);
	/* Readers trust what nobody else could have written (base/owner.h). */
	if (is_copied && staging->user != geteuid())
		is_copied = fchmod(to, 0620) == 0;
	close(from);
	if (to >= 0)
		close(to);
	return is_copied;
}

static bool staging_copy_recordings(const struct staging *staging, const char *directory)
{
	int folder =
		openat(staging->folder, run_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;
	struct dirent *entry;
	bool is_done = stream != NULL;

	while (stream && (entry = readdir(stream))) {
		size_t length = strlen(entry->d_name), end = sizeof(recording_end) - 1;

		if (length > end && strcmp(entry->d_name + length - end, recording_end) == 0)
			is_done &=
				staging_copy_recording(staging, folder, entry->d_name, directory);
	}
	if (stream)
		closedir(stream);
	else if (folder >= 0)
		close(folder);
	return is_done;
}

/* The path is in the process's root, which this process may no longer reach once that has ended. */
static void staging_remove_folder(const struct staging *staging)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	if (rmdir(staging->outside) == 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", staging->folder);
	length = readlink(link, path, sizeof(path) - 1);
	if (length > 0 && staging_is_same(link, (path[length] = '\0', path)))
		rmdir(path);
}

enum kymo_status staging_close(struct staging *staging, const char *directory,
			       struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	if (!staging->is_used)
		return KYMO_OK;
	if (directory[0] && !staging_copy_recordings(staging, directory))
		status = problem_set(problem, KYMO_SYSTEM,
				     "cannot copy the recordings from '%s' to '%s': %s",
				     staging->inside, directory, strerror(errno));
	if (status == KYMO_OK) {
		staging_walk(staging, staging->folder, 0, staging_remove_entry);
		staging_remove_folder(staging);
	}
	close(staging->folder);
	staging->folder = -1;
	staging->is_used = false;
	return status;
}
