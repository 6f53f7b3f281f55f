/* /proc/PID/maps: what is mapped where.  No function of the C library is called, nothing is
 * allocated.  Context: any. */
#ifndef KYMO_PROC_MAPS_H
#define KYMO_PROC_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Behind the path of a file that has no name any more. */
#define PROC_MAPS_DELETED " (deleted)"

struct proc_map { /* one mapping */
	uint64_t start, end, offset, inode;
	uint32_t device_major, device_minor;
	int protection; /* PROT_* */
	bool is_shared;
};

/* Tell every mapping of a process, PROC_SELF for this one, in the order of addresses, until tell
 * returns false.  Paths are put into path, cut where its size bytes are too few, and "" where there
 * is none; size 0: nobody asks for them.  0 or an errno value. */
typedef bool (*proc_maps_fn)(const struct proc_map *map, const char *path, void *context);
int proc_maps_each(int32_t process, char *path, size_t size, proc_maps_fn tell, void *context);

/* The bytes of path in front of " (deleted)" where it ends so, else SIZE_MAX. */
size_t proc_maps_deleted(const char *path);

#endif
