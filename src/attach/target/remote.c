/* One call for many ranges: the overhead of a call is that of three ranges. */
#include "attach/target/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"

#define RANGES_MAX 256 /* of one call; the kernel's limit is 1024 */

void remote_init(struct remote *remote, pid_t pid)
{
	*remote = (struct remote){.pid = pid, .task = pid, .file = -1};
}

void remote_release(struct remote *remote)
{
	if (remote->file >= 0)
		close(remote->file);
	remote->file = -1;
}

/* The first that is alive and is not the one that was used last. */
static bool remote_take_task(int32_t task, void *context)
{
	struct remote *remote = context;

	if (task == remote->task || proc_stat_has_ended(remote->pid, task))
		return true;
	remote_release(remote);
	remote->task = task;
	return false;
}

/* A thread that has ended has no memory, though the process still has: use another one. */
static bool take_other_task(struct remote *remote)
{
	const pid_t before = remote->task;

	proc_threads(remote->pid, remote_take_task, remote);
	return remote->task != before;
}

static int open_memory(const struct remote *remote, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/mem", (int)remote->pid, (int)remote->task);
	return open(path, flags | O_CLOEXEC);
}

static bool read_by_file(struct remote *remote, uint64_t address, void *to, size_t size)
{
	ssize_t got;

	if (remote->file < 0)
		remote->file = open_memory(remote, O_RDONLY);
	if (remote->file < 0) {
		remote->error = errno;
		return false;
	}
	do {
		got = pread(remote->file, to, size, (off_t)address);
	} while (got < 0 && errno == EINTR);
	if (got != (ssize_t)size)
		remote->error = got < 0 ? errno : EFAULT;
	return got == (ssize_t)size;
}

static bool read_once(struct remote *remote, uint64_t address, void *to, size_t size)
{
	struct iovec into = {to, size}, from = {(void *)(uintptr_t)address, size};
	ssize_t got;

	if (!remote->is_by_file) {
		got = process_vm_readv(remote->task, &into, 1, &from, 1, 0);
		if (got == (ssize_t)size)
			return true;
		remote->error = got < 0 ? errno : EFAULT;
		if (remote->error != ENOSYS && remote->error != EPERM)
			return false;
		/* seccomp filters of containers return this, too. */
		if (!read_by_file(remote, address, to, size))
			return false;
		remote->is_by_file = true;
		return true;
	}
	return read_by_file(remote, address, to, size);
}

bool remote_read(void *context, uint64_t address, void *to, size_t size)
{
	struct remote *remote = context;

	if (read_once(remote, address, to, size))
		return true;
	return (remote->error == ESRCH || remote->is_by_file) &&
	       proc_stat_has_ended(remote->pid, remote->task) && take_other_task(remote) &&
	       read_once(remote, address, to, size);
}

/* The number of ranges that bytes cover completely. */
static size_t complete_ranges(struct remote_range *ranges, size_t count, size_t bytes)
{
	size_t done = 0;

	while (done < count && bytes >= ranges[done].size) {
		bytes -= ranges[done].size;
		ranges[done++].is_read = true;
	}
	return done;
}

/* Up to RANGES_MAX; returns how many are done, the last one of which may be unreadable. */
static size_t read_some(struct remote *remote, struct remote_range *ranges, size_t count)
{
	struct iovec into[RANGES_MAX], from[RANGES_MAX];
	size_t done;
	ssize_t got;

	if (count > RANGES_MAX)
		count = RANGES_MAX;
	if (remote->is_by_file || count <= 1) {
		ranges->is_read = remote_read(remote, ranges->address, ranges->to, ranges->size);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		into[i] = (struct iovec){ranges[i].to, ranges[i].size};
		from[i] = (struct iovec){(void *)(uintptr_t)ranges[i].address, ranges[i].size};
		ranges[i].is_read = false;
	}
	got = process_vm_readv(remote->task, into, count, from, count, 0);
	if (got < 0)
		remote->error = errno;
	done = complete_ranges(ranges, count, got > 0 ? (size_t)got : 0);
	if (done == count)
		return done;
	/* A separate read of the range at which it stopped gives the reason. */
	ranges[done].is_read =
		remote_read(remote, ranges[done].address, ranges[done].to, ranges[done].size);
	return done + 1;
}

size_t remote_read_ranges(struct remote *remote, struct remote_range *ranges, size_t count)
{
	size_t read = 0;

	for (size_t at = 0; at < count;)
		at += read_some(remote, ranges + at, count - at);
	for (size_t i = 0; i < count; i++)
		read += ranges[i].is_read;
	return read;
}

bool remote_write(struct remote *remote, uint64_t address, const void *from, size_t size)
{
	struct iovec here = {(void *)(uintptr_t)from, size},
		     to = {(void *)(uintptr_t)address, size};
	ssize_t done = process_vm_writev(remote->task, &here, 1, &to, 1, 0);
	int file;

	if (done == (ssize_t)size)
		return true;
	file = open_memory(remote, O_WRONLY);
	if (file < 0) {
		remote->error = errno;
		return false;
	}
	done = pwrite(file, from, size, (off_t)address);
	if (done != (ssize_t)size)
		remote->error = done < 0 ? errno : EFAULT;
	close(file);
	return done == (ssize_t)size;
}
