/* Reading and writing the memory of another process, which runs on meanwhile.
 *
 * By process_vm_readv(), or, where that is not allowed as a call, by /proc/PID/mem: the
 * rights needed are the same.  The caller owns the struct.  One thread. */
#ifndef KYMO_REMOTE_H
#define KYMO_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote {
	pid_t pid;
	pid_t task;	 /* a thread of it that lives: the first one may end before the others */
	int file;	 /* of the task's mem in /proc, -1 = not opened */
	int error;	 /* errno of the last failure */
	bool is_by_file; /* process_vm_readv() is refused as a call */
};

struct remote_range {
	uint64_t address;
	uint32_t size;
	bool is_read; /* set: all of it was read */
	void *to;
};

void remote_init(struct remote *remote, pid_t pid);
void remote_release(struct remote *remote);

/* All size bytes at address, or false; also as pymemory.read and unwind_space.read, with the
 * remote as their context. */
bool remote_read(void *remote, uint64_t address, void *to, size_t size);

/* Read the ranges one after the other, with as few calls as can be.  Returns how many could
 * be read. */
size_t remote_read_ranges(struct remote *remote, struct remote_range *ranges, size_t count);

/* Put all size bytes there, or false.  Pages that may not be written need /proc/PID/mem. */
bool remote_write(struct remote *remote, uint64_t address, const void *from, size_t size);

#endif
