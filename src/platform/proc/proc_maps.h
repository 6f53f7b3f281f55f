/* /proc/PID/maps: the mappings of a process.  Calls no function of the C library, allocates
 * nothing.  Context: any. */
#ifndef KYMO_PROC_MAPS_H
#define KYMO_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Follows the path of a file that was deleted. */
#define PROC_MAPS_DELETED " (deleted)"

struct proc_map { /* one mapping */
	uint64_t start, end, offset, inode;
	uint32_t device_major, device_minor;
	int protection; /* PROT_* */
	bool is_shared;
};

/* Report every mapping of a process, PROC_SELF for this one, in the order of addresses, until
 * report returns false.  Paths are stored in path, truncated to its size, and "" if there is none;
 * size 0: not needed.  0 or an errno value. */
typedef bool (*proc_maps_fn)(const struct proc_map *map, const char *path, void *context);
int proc_maps_each(int32_t process, char *path, size_t size, proc_maps_fn report, void *context);

/* The length of path before " (deleted)" if it ends so, else SIZE_MAX. */
size_t proc_maps_deleted(const char *path);

#endif
