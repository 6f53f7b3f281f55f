/* The threads of another process as the kernel has them: their ids, names, whether they
 * run, for how long, and in which system call they wait.
 *
 * Files of /proc are kept open: a reading costs a fraction of a microsecond.  The caller
 * owns the structs.  One thread; uses malloc. */
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
	uint32_t links;	   /* of the folder when it was listed */
	struct {
		pid_t id, own_id;
	} * tasks; /* own_id: as the process itself has it */
	size_t count, capacity;
};

bool targettasks_open(struct targettasks *tasks, pid_t pid, bool has_own_pids);
void targettasks_close(struct targettasks *tasks);
/* Threads came or went since the last list, as far as their number tells. */
bool targettasks_changed(const struct targettasks *tasks);
bool targettasks_list(struct targettasks *tasks);
/* Id of a thread that the process itself knows by own_id; 0 = there is none. */
pid_t targettasks_find(const struct targettasks *tasks, pid_t own_id);
/* The id itself while there is such a thread; else 0. */
pid_t targettasks_find_id(const struct targettasks *tasks, pid_t id);

#define TARGETTASK_NO_CALL 0x3fffu

struct targettask_reading {
	uint64_t run_ns;   /* on a processor, so far; while it runs, up to some ms ago */
	uint64_t slices;   /* times it got one */
	bool is_asleep;	   /* it waits: neither running nor ready to */
	uint32_t call;	   /* when asleep: number of its system call */
	uint64_t argument; /* and its first argument, if that is an address or a descriptor */
	uint64_t sp, pc;
};

struct targettask {
	pid_t pid, id;
	int schedule, syscall; /* files */
	bool has_slices;       /* the kernel counts them */
	struct targettask_reading last;
	bool is_known; /* last is there */
};

bool targettask_open(struct targettask *task, pid_t pid, pid_t id);
void targettask_close(struct targettask *task);
enum targettask_news {
	TARGETTASK_GONE,
	TARGETTASK_SAME, /* it has not run since: all of it is as it was */
	TARGETTASK_CHANGED,
};
enum targettask_news targettask_read(struct targettask *task);
/* "" where there is none. */
void targettask_name(pid_t pid, pid_t id, char *name, size_t size);

/* It waits in a call that ends with EINTR when the thread is stopped, even by a tracer. */
bool targettask_is_delicate(const struct targettask *task);

/* The frame that stands for the call it waits in: kymo_frame(KYMO_FRAME_KERNEL, …). */
uint64_t targettask_frame(const struct targettask *task);

#endif
