/* Written by write(2): stdio belongs to the program.  A pipe without readers raises SIGPIPE, a
 * file that may not grow SIGXFSZ, which must not end the program. */
#include "runtime/standarderror.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "platform/blockedsignal.h"
#include "platform/files/nocancel_io.h"

/* Written once, by standarderror_init(). */
static bool is_known;
static struct stat stderr_status;
static char stderr_path[PATH_MAX]; /* "" = it cannot be reopened */
static pid_t session_id;
static int kept = -1; /* a duplicate of stderr; the program may have closed it */

#define KEPT_FIRST 64 /* above the numbers that programs assign themselves */

void standarderror_init(void)
{
	ssize_t length;

	if (fstat(STDERR_FILENO, &stderr_status) < 0)
		stderr_status.st_ino = 0;
	session_id = getsid(0);
	is_known = true;
	/* Reopening a file has its own offset, which would overwrite, unless the file is
	 * appended to. */
	if (!S_ISCHR(stderr_status.st_mode) &&
	    !(S_ISREG(stderr_status.st_mode) && (fcntl(STDERR_FILENO, F_GETFL) & O_APPEND)))
		return;
	length = readlink("/proc/self/fd/2", stderr_path, sizeof(stderr_path));
	stderr_path[length > 0 && length < PATH_MAX ? length : 0] = '\0';
}

static int is_what_it_was(const struct stat *now)
{
	return now->st_ino == stderr_status.st_ino && now->st_dev == stderr_status.st_dev;
}

static int is_same_stderr(void)
{
	struct stat now;

	return fstat(STDERR_FILENO, &now) == 0 && is_what_it_was(&now);
}

/* False if the program has reused the number. */
static bool standarderror_is_kept(void)
{
	struct stat now;

	return kept >= 0 && fstat(kept, &now) == 0 && is_what_it_was(&now);
}

void standarderror_keep(void)
{
	bool is_stream = S_ISREG(stderr_status.st_mode) || S_ISFIFO(stderr_status.st_mode) ||
			 S_ISSOCK(stderr_status.st_mode);

	if (is_stream && !stderr_path[0] && kept < 0)
		kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, KEPT_FIRST);
}

void standarderror_forked(void)
{
	KEEP_ERRNO();

	if (standarderror_is_kept())
		plain_close(kept);
	kept = -1;
}

/* -1 = impossible. */
static int standarderror_reopen(void)
{
	struct stat now;

	if (!stderr_path[0] || getsid(0) != session_id || stat(stderr_path, &now) < 0 ||
	    !is_what_it_was(&now))
		return -1;
	return plain_open(stderr_path, O_WRONLY | O_APPEND | O_NOCTTY, 0);
}

void standarderror_restore(void)
{
	int fd;

	if (is_same_stderr()) {
		fcntl(STDERR_FILENO, F_SETFD, 0);
		return;
	}
	fd = standarderror_is_kept() ? kept : standarderror_reopen();
	if (fd < 0)
		fd = plain_open("/dev/null", O_WRONLY, 0);
	/* If stderr was closed, the new descriptor may have its number. */
	if (fd < 0 || fd == STDERR_FILENO)
		return;
	dup2(fd, STDERR_FILENO);
	plain_close(fd);
}

void standarderror_write(const char *bytes, size_t length)
{
	struct blocked_signal broken, exceeded;
	bool is_written;

	if (is_known && !is_same_stderr())
		return;
	signal_block(&broken, SIGPIPE);
	signal_block(&exceeded, SIGXFSZ);
	is_written = plain_write(STDERR_FILENO, bytes, length) >= 0;
	signal_unblock(&exceeded, !is_written && errno == EFBIG);
	signal_unblock(&broken, !is_written && errno == EPIPE);
}
