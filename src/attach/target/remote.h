/* Reading and writing the memory of another process, which runs meanwhile.
 *
 * By process_vm_readv(), or, if that call is forbidden, by /proc/PID/mem: the rights needed are the
 * same.  The caller owns the struct.  One thread. */
#ifndef KYMO_REMOTE_H
#define KYMO_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct remote {
	pid_t pid;
	pid_t task;	 /* a live thread of it: the main thread may end before the others */
	int file;	 /* of the task's mem in /proc, -1 = not opened */
	int error;	 /* errno of the last failure */
	bool is_by_file; /* process_vm_readv() is forbidden */
};

struct remote_range {
	uint64_t address;
	uint32_t size;
	bool is_read; /* result: all of it was read */
	void *to;
};

void remote_init(struct remote *remote, pid_t pid);
void remote_release(struct remote *remote);

/* All size bytes at address, or false; also as pymemory.read and unwind_space.read, with the remote
 * as their context. */
bool remote_read(void *remote, uint64_t address, void *to, size_t size);

/* Read the ranges in order, with as few calls as possible.  Returns how many were read. */
size_t remote_read_ranges(struct remote *remote, struct remote_range *ranges, size_t count);

/* Write all size bytes, or false.  Read-only pages need /proc/PID/mem. */
bool remote_write(struct remote *remote, uint64_t address, const void *from, size_t size);

#endif
