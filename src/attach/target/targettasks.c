/* schedstat changes whenever a thread runs: one that slept at the previous reading and has the same
 * numbers still sleeps, in the same place. */
#include "attach/target/targettasks.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "format/descriptor_kind.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_status.h"

bool targettasks_open(struct targettasks *tasks, pid_t pid, bool has_own_pids)
{
	*tasks = (struct targettasks){.pid = pid, .has_own_pids = has_own_pids};
	tasks->folder = (int)proc_open(pid, 0, "task", O_DIRECTORY);
	return tasks->folder >= 0;
}

void targettasks_close(struct targettasks *tasks)
{
	if (tasks->folder >= 0)
		close(tasks->folder);
	free(tasks->tasks);
	*tasks = (struct targettasks){.folder = -1};
}

bool targettasks_changed(const struct targettasks *tasks)
{
	struct stat status;

	return fstat(tasks->folder, &status) < 0 || status.st_nlink != tasks->links;
}

/* The last id of "NSpid:", which is the innermost namespace's. */
static pid_t targettasks_own_id(const struct targettasks *tasks, pid_t id)
{
	char text[PROC_STATUS_BYTES];
	int64_t own = -1;

	if (tasks->has_own_pids && proc_read(tasks->pid, id, "status", text, sizeof(text)) > 0)
		own = proc_status_column(text, "NSpid", PROC_STATUS_LAST, 10);
	return own < 0 ? id : (pid_t)own;
}

static bool targettasks_add(struct targettasks *tasks, pid_t id)
{
	void *grown =
		array_grow(tasks->tasks, &tasks->capacity, tasks->count + 1, sizeof(*tasks->tasks));

	if (!grown)
		return false;
	tasks->tasks = grown;
	tasks->tasks[tasks->count].id = id;
	tasks->tasks[tasks->count++].own_id = targettasks_own_id(tasks, id);
	return true;
}

bool targettasks_list(struct targettasks *tasks)
{
	int copy = openat(tasks->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	const struct dirent *entry;
	struct stat status;

	if (!stream) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	if (fstat(tasks->folder, &status) == 0)
		tasks->links = (uint32_t)status.st_nlink;
	tasks->count = 0;
	while ((entry = readdir(stream))) {
		pid_t id = (pid_t)strtol(entry->d_name, NULL, 10);

		if (id > 0 && !targettasks_add(tasks, id))
			break;
	}
	closedir(stream);
	return tasks->count > 0;
}

pid_t targettasks_find(const struct targettasks *tasks, pid_t own)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->tasks[i].own_id == own)
			return tasks->tasks[i].id;
	return 0;
}

pid_t targettasks_find_id(const struct targettasks *tasks, pid_t id)
{
	for (size_t i = 0; i < tasks->count; i++)
		if (tasks->tasks[i].id == id)
			return id;
	return 0;
}

bool targettask_open(struct targettask *task, pid_t pid, pid_t id)
{
	*task = (struct targettask){.pid = pid, .id = id, .schedule = -1, .syscall = -1};
	task->schedule = (int)proc_open(pid, id, "schedstat", 0);
	task->syscall = (int)proc_open(pid, id, "syscall", 0);
	if (task->schedule >= 0 && task->syscall >= 0)
		return true;
	targettask_close(task);
	return false;
}

void targettask_close(struct targettask *task)
{
	if (task->schedule >= 0)
		close(task->schedule);
	if (task->syscall >= 0)
		close(task->syscall);
	task->schedule = task->syscall = -1;
}

static bool targettasks_is_among(const uint16_t *calls, size_t count, uint32_t call)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i] == call)
			return true;
	return false;
}

/* Calls whose first argument is a descriptor. */
static bool takes_descriptor(uint32_t call)
{
	static const uint16_t calls[] = {
		SYS_read,	SYS_write,   SYS_readv,	    SYS_writev,	     SYS_pread64,
		SYS_pwrite64,	SYS_preadv,  SYS_pwritev,   SYS_recvfrom,    SYS_sendto,
		SYS_recvmsg,	SYS_sendmsg, SYS_recvmmsg,  SYS_sendmmsg,    SYS_accept,
		SYS_accept4,	SYS_connect, SYS_ioctl,	    SYS_fsync,	     SYS_fdatasync,
		SYS_flock,	SYS_fcntl,   SYS_ftruncate, SYS_close,	     SYS_getdents64,
		SYS_sendfile,	SYS_splice,  SYS_fallocate, SYS_epoll_pwait,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
	};

	return targettasks_is_among(calls, sizeof(calls) / sizeof(*calls), call);
}

/* signal(7), "Interruption of system calls and library functions by stop signals"; those of
 * sockets only with a timeout, which is not known. */
bool targettask_is_delicate(const struct targettask *task)
{
	static const uint16_t calls[] = {
		SYS_epoll_pwait, SYS_semop,   SYS_semtimedop, SYS_rt_sigtimedwait, SYS_io_getevents,
		SYS_recvfrom,	 SYS_recvmsg, SYS_recvmmsg,   SYS_sendto,	   SYS_sendmsg,
		SYS_accept,	 SYS_accept4, SYS_connect,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
	};

	return task->last.is_asleep &&
	       targettasks_is_among(calls, sizeof(calls) / sizeof(*calls), task->last.call);
}

/* "running", "-1 sp pc" or "number argument … sp pc". */
static void parse_call(const char *text, struct targettask_reading *reading)
{
	char *at;
	long number;

	reading->is_asleep = text[0] != 'r';
	reading->call = TARGETTASK_NO_CALL;
	reading->argument = reading->sp = reading->pc = 0;
	if (!reading->is_asleep)
		return;
	number = strtol(text, &at, 10);
	if (number >= 0 && number < (long)TARGETTASK_NO_CALL) {
		reading->call = (uint32_t)number;
		reading->argument = strtoull(at, &at, 16);
		for (int i = 1; i < 6; i++)
			strtoull(at, &at, 16);
	}
	reading->sp = strtoull(at, &at, 16);
	reading->pc = strtoull(at, &at, 16);
}

static bool targettasks_read_numbers(struct targettask *task, uint64_t *run_ns, uint64_t *slices)
{
	char text[96], *at;
	ssize_t got = pread(task->schedule, text, sizeof(text) - 1, 0);

	if (got <= 0)
		return false;
	text[got] = '\0';
	*run_ns = strtoull(text, &at, 10);
	strtoull(at, &at, 10);
	*slices = strtoull(at, &at, 10);
	task->has_slices |= *slices != 0;
	return true;
}

enum targettask_news targettask_read(struct targettask *task)
{
	struct targettask_reading reading = {0};
	char text[256];
	ssize_t got;

	if (!targettasks_read_numbers(task, &reading.run_ns, &reading.slices))
		return TARGETTASK_ENDED;
	if (task->is_known && task->has_slices && task->last.is_asleep &&
	    reading.slices == task->last.slices && reading.run_ns == task->last.run_ns)
		return TARGETTASK_SAME;
	got = pread(task->syscall, text, sizeof(text) - 1, 0);
	if (got <= 0)
		return TARGETTASK_ENDED;
	text[got] = '\0';
	parse_call(text, &reading);
	/* It may have fallen asleep in between: the next reading compares with the numbers of
	 * now. */
	if (reading.is_asleep && !targettasks_read_numbers(task, &reading.run_ns, &reading.slices))
		return TARGETTASK_ENDED;
	task->last = reading;
	task->is_known = true;
	return TARGETTASK_CHANGED;
}

void targettask_name(pid_t pid, pid_t id, char *name, size_t size)
{
	proc_read(pid, id, "comm", name, size);
	name[strcspn(name, "\n")] = '\0';
}

static enum kymo_descriptor_kind targettasks_kind_of(pid_t pid, uint64_t descriptor)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)pid, (unsigned)descriptor);
	return stat(path, &status) < 0 ? KYMO_DESCRIPTOR_UNKNOWN : kymo_descriptor_kind(&status);
}

uint64_t targettask_frame(const struct targettask *task)
{
	const struct targettask_reading *last = &task->last;
	uint64_t content = (uint64_t)last->call << 48;

	if (takes_descriptor(last->call))
		content |= (last->argument & UINT32_MAX) |
			   (uint64_t)targettasks_kind_of(task->pid, last->argument) << 32;
	else if (last->call == SYS_futex)
		content |= last->argument & ((UINT64_C(1) << 48) - 1);
	return kymo_frame(KYMO_FRAME_KERNEL, content);
}
