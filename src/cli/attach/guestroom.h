/* A folder that a process can use which cannot use ours: one of another user, or with another root
 * folder.  It is made in that process's own /tmp, is its user's alone while it records, holds the
 * collector where the process does not see it, the plans and the recordings, and goes at the end.
 *
 * The folder belongs to somebody else from guestroom_hand_over() on: nothing in it is trusted or
 * followed then.  The caller owns the struct; one thread. */
#ifndef KYMO_GUESTROOM_H
#define KYMO_GUESTROOM_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct guestroom {
	bool is_used; /* else the process can use what this one can */
	int folder;   /* -1 = none */
	uid_t user;
	gid_t group;
	char inside[64];	/* as the process sees it */
	char outside[128];	/* as this one does, as long as that lives */
	char library[PATH_MAX]; /* of the collector, as the process sees it */
	bool is_loaded;		/* it has that library already */
};

/* Look whether process pid, which is to load library, needs one, and make it. */
enum kymo_status guestroom_open(struct guestroom *room, pid_t pid, const char *library,
				struct problem *problem);
/* Where the plans' cache is to be, for this process and for that one; NULL = no room is used. */
const char *guestroom_cache(const struct guestroom *room, bool is_inside, char path[PATH_MAX]);
/* Where the process is to record; directory where no room is used. */
const char *guestroom_run(const struct guestroom *room, const char *directory, char path[PATH_MAX]);
/* All that was put into it is the process's from now on. */
enum kymo_status guestroom_hand_over(struct guestroom *room, struct problem *problem);
/* Bring the recordings to directory ("" = nowhere), and take the room away. */
enum kymo_status guestroom_close(struct guestroom *room, const char *directory,
				 struct problem *problem);

#endif
