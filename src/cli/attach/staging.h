/* A temporary folder for a process that cannot use ours: of another user, or with another root
 * folder.  It is made in that process's own /tmp, is private to its user while it records, holds
 * the plans, the recordings and, if the process cannot see it, the collector, and is removed at the
 * end.
 *
 * From staging_hand_over() on the folder belongs to the other user: nothing in it is trusted, and
 * no links are followed.  The caller owns the struct; one thread. */
#ifndef KYMO_STAGING_H
#define KYMO_STAGING_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct staging {
	bool is_used; /* else the process can use what this one can */
	int folder;   /* -1 = none */
	uid_t user;
	gid_t group;
	char inside[64];	/* as the process sees it */
	char outside[128];	/* as this one does, as long as that lives */
	char library[PATH_MAX]; /* of the collector, as the process sees it */
	bool is_loaded;		/* it has that library already */
};

/* Look whether process pid, which is to load library, needs a staging folder, and make it. */
enum kymo_status staging_open(struct staging *staging, pid_t pid, const char *library,
			      struct problem *problem);
/* Where the plans' cache is to be, for this process and for that one; NULL = no staging folder is
 * used. */
const char *staging_cache(const struct staging *staging, bool is_inside, char path[PATH_MAX]);
/* Where the process is to record; directory where none is used. */
const char *staging_run(const struct staging *staging, const char *directory, char path[PATH_MAX]);
/* All that was put into it is the process's from now on. */
enum kymo_status staging_hand_over(struct staging *staging, struct problem *problem);
/* Bring the recordings to directory ("" = nowhere), and remove the folder. */
enum kymo_status staging_close(struct staging *staging, const char *directory,
			       struct problem *problem);

#endif
