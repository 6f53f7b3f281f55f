/* The recording's file: its name in the run directory, its location while it is written.
 *
 * It gets its name only when its header is complete, so that a process killed before then leaves
 * no unreadable recording; until then its name begins with a dot. */
#include "runtime/store/recordfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/filemode.h"
#include "config/settings.h"
#include "runtime/lifecycle/session.h"
#include "runtime/log.h"
#include "runtime/store/store.h"

#define NAME_ATTEMPTS 1000
#define PART_BYTES    ((size_t)64 << 20)

static char folder[PATH_MAX]; /* where recordings of this process are written */

static bool is_elsewhere(void)
{
	return strcmp(folder, session.directory) != 0;
}

/* RECORD_PATH if it is usable, else the run directory. */
static void choose_folder(void)
{
	const char *local = settings_text(session.settings, SET_RECORD_PATH);

	if (local && local[0]) {
		if (realpath(local, folder) && access(folder, W_OK) == 0)
			return;
		kymo_log(KYMO_LOG_WARNING,
			 "cannot write to RECORD_PATH '%s': %s; the recording goes to '%s'", local,
			 strerror(errno), session.directory);
	}
	snprintf(folder, sizeof(folder), "%s", session.directory);
}

/* prefix.program-pid[-attempt].kymo in directory.  0 or ENAMETOOLONG. */
static int name_file(char *path, size_t size, const char *directory, const char *prefix,
		     unsigned attempt)
{
	char again[16] = "";
	int length;

	if (attempt > 1)
		snprintf(again, sizeof(again), "-%u", attempt);
	length = snprintf(path, size, "%s/%s%s-%d%s.kymo", directory, prefix, session.program,
			  (int)getpid(), again);
	return length > 0 && (size_t)length < size ? 0 : ENAMETOOLONG;
}

int recordfile_create(uint64_t limit_bytes)
{
	int result = EEXIST;

	choose_folder();
	for (unsigned i = 1; i <= NAME_ATTEMPTS && result == EEXIST; i++) {
		result = name_file(session.working, sizeof(session.working), folder, ".", i);
		if (result == 0)
			result = store_open(session.working, limit_bytes);
	}
	return result;
}

/* Rename, but never over another file. */
static int rename_exclusively(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EEXIST || errno == ENOENT)
		return errno;
	if (link(from, to) == 0) {
		unlink(from);
		return 0;
	}
	if (errno == EEXIST || errno == ENOENT)
		return errno;
	if (access(to, F_OK) == 0) /* for file systems that support neither */
		return EEXIST;
	return rename(from, to) < 0 ? errno : 0;
}

/* Name the file and, if it is elsewhere, make a link to it in the run directory, which stays
 * valid if the process is killed. */
static int publish_as(const char *path)
{
	int result;

	if (is_elsewhere() && symlink(path, session.recording) < 0)
		return errno;
	result = rename_exclusively(session.working, path);
	if (result != 0 && is_elsewhere())
		unlink(session.recording);
	return result;
}

int recordfile_publish(void)
{
	char path[PATH_MAX];
	int result = EEXIST;

	for (unsigned i = 1; i <= NAME_ATTEMPTS && result == EEXIST; i++) {
		result = name_file(session.recording, sizeof(session.recording), session.directory,
				   "", i);
		if (result == 0)
			result = name_file(path, sizeof(path), folder, "", i);
		if (result == 0)
			result = publish_as(path);
	}
	if (result == 0) {
		snprintf(session.working, sizeof(session.working), "%s", path);
		mapfile_renamed(&store.file);
	}
	return result;
}

static int recordfile_copy_bytes(int from, int to)
{
	ssize_t copied;

	do {
		copied = sendfile(to, from, NULL, PART_BYTES);
	} while (copied > 0 || (copied < 0 && errno == EINTR));
	return copied < 0 ? errno : 0;
}

static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out, result;

	if (in < 0)
		return errno;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, filemode_file());
	result = out < 0 ? errno : recordfile_copy_bytes(in, out);
	if (out >= 0 && close(out) < 0 && result == 0)
		result = errno;
	if (out >= 0 && result != 0)
		unlink(to);
	close(in);
	return result;
}

/* Between file systems: copy under a hidden name, then replace the link with it. */
static int move_by_copy(void)
{
	char hidden[PATH_MAX];
	int result = name_file(hidden, sizeof(hidden), session.directory, ".", 1);

	if (result == 0)
		result = copy_file(session.working, hidden);
	if (result != 0)
		return result;
	if (rename(hidden, session.recording) < 0) {
		result = errno;
		unlink(hidden);
		return result;
	}
	unlink(session.working);
	return 0;
}

void recordfile_move(void)
{
	int result;

	if (!is_elsewhere())
		return;
	result = rename(session.working, session.recording) < 0 ? errno : 0;
	if (result == EXDEV)
		result = move_by_copy();
	if (result != 0)
		kymo_log(KYMO_LOG_WARNING,
			 "the recording stays at '%s': cannot move it to '%s': %s", session.working,
			 session.recording, strerror(result));
}
