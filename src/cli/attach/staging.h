/* A temporary folder for a process that cannot use ours: of another user, or with another root
 * folder.  It is made in that process's own /tmp, is private to its user while it records, holds
 * the plans, the recordings and, if the process cannot see it, the collector, and is removed at the
 * end.
 *
 * After staging_hand_over() the folder belongs to the other user: nothing in it is trusted, and no
 * links are followed.  The caller owns the struct; one thread. */
#ifndef KYMO_STAGING_H
#define KYMO_STAGING_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct staging {
	bool is_used; /* otherwise the process can use the same paths as this one */
	int folder;   /* -1 = none */
	uid_t user;
	gid_t group;
	char inside[64];	/* as the process sees it */
	char outside[128];	/* as this process sees it, while that process lives */
	char library[PATH_MAX]; /* of the collector, as that process sees it */
	bool is_loaded;		/* the process has loaded that library already */
};

/* Determine whether process pid, which is to load library, needs a staging folder, and make it. */
enum kymo_status staging_open(struct staging *staging, pid_t pid, const char *library,
			      struct problem *problem);
/* The directory of the plans' cache, as seen by this process or by that one; NULL = no staging
 * folder is used. */
const char *staging_cache(const struct staging *staging, bool is_inside, char path[PATH_MAX]);
/* The directory in which the process records; directory if no staging folder is used. */
const char *staging_run(const struct staging *staging, const char *directory, char path[PATH_MAX]);
/* Give everything in the folder to the process's user. */
enum kymo_status staging_hand_over(struct staging *staging, struct problem *problem);
/* Copy the recordings to directory ("" = nowhere), and remove the folder. */
enum kymo_status staging_close(struct staging *staging, const char *directory,
			       struct problem *problem);

#endif
