/* The descendants of a process.  The caller frees *pids.  One thread. */
#ifndef KYMO_DESCENDANTS_H
#define KYMO_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

struct descendant {
	pid_t pid, parent;
};

/* All processes below root, parents before children; NULL with 0 when there are none. */
struct descendant *descendants(pid_t root, size_t *count_out);

#endif
