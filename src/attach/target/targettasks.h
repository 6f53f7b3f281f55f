/* The threads of another process in the kernel: their ids, names, states, CPU times, and the system
 * calls in which they wait.
 *
 * Files of /proc are kept open: a reading costs a fraction of a microsecond.  The caller owns the
 * structs.  One thread; uses malloc. */
#ifndef KYMO_TARGETTASKS_H
#define KYMO_TARGETTASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct targettasks {
	pid_t pid;
	int folder;	   /* of /proc/PID/task */
	bool has_own_pids; /* ids in the process's own namespace differ */
	uint32_t links;	   /* st_nlink of the folder at the last listing */
	struct {
		pid_t id, own_id;
	} * tasks; /* own_id: in the process's own namespace */
	size_t count, capacity;
};

bool targettasks_open(struct targettasks *tasks, pid_t pid, bool has_own_pids);
void targettasks_close(struct targettasks *tasks);
/* Threads began or ended since the last listing, as far as their number shows. */
bool targettasks_changed(const struct targettasks *tasks);
bool targettasks_list(struct targettasks *tasks);
/* Id of the thread whose id in the process's namespace is own_id; 0 = there is none. */
pid_t targettasks_find(const struct targettasks *tasks, pid_t own_id);
/* The id itself while there is such a thread; else 0. */
pid_t targettasks_find_id(const struct targettasks *tasks, pid_t id);

#define TARGETTASK_NO_CALL 0x3fffu

struct targettask_reading {
	uint64_t run_ns;   /* CPU time so far; while it runs, up to some ms old */
	uint64_t slices;   /* number of time slices */
	bool is_asleep;	   /* it waits: neither running nor runnable */
	uint32_t call;	   /* when asleep: number of its system call */
	uint64_t argument; /* and its first argument, if that is an address or a descriptor */
	uint64_t sp, pc;
};

struct targettask {
	pid_t pid, id;
	int schedule, syscall; /* files */
	bool has_slices;       /* the kernel counts them */
	struct targettask_reading last;
	bool is_known; /* last is valid */
};

bool targettask_open(struct targettask *task, pid_t pid, pid_t id);
void targettask_close(struct targettask *task);
enum targettask_news {
	TARGETTASK_ENDED,
	TARGETTASK_SAME, /* it has not run since: everything is unchanged */
	TARGETTASK_CHANGED,
};
enum targettask_news targettask_read(struct targettask *task);
/* "" if there is none. */
void targettask_name(pid_t pid, pid_t id, char *name, size_t size);

/* It waits in a call that returns EINTR when the thread is stopped, even by a tracer. */
bool targettask_is_delicate(const struct targettask *task);

/* The frame that represents the call it waits in: kymo_frame(KYMO_FRAME_KERNEL, …). */
uint64_t targettask_frame(const struct targettask *task);

#endif
