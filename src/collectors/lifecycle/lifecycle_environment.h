/* What a new program needs in its environment to join the run: kept from what this process was
 * given, and put into what it gives to others.  errno is kept. */
#ifndef KYMO_LIFECYCLE_ENVIRONMENT_H
#define KYMO_LIFECYCLE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define LIFECYCLE_PATH_MAX 1024u /* programs with longer paths are not looked at */

#define LIFECYCLE_HANDING_TEXT 3072u
#define LIFECYCLE_HANDING_MORE 72u /* entries that may be added */

struct lifecycle_handing { /* an environment made on the caller's stack */
	char text[LIFECYCLE_HANDING_TEXT];
	size_t used;
};

/* Before a shell that the C library starts by itself: note, once, that it will not join the run,
 * where the program has taken away what it needs for it.  Where our files are out of reach our
 * libraries are taken out of the environment.  Context: thread. */
void lifecycle_environment_check(void);
/* Whether a program that is started now can be recorded: not so in another root, or with other
 * rights, where the loader would complain of our libraries, or they of the run's folder.
 * Context: any. */
bool lifecycle_environment_is_in_reach(void);
/* Keep what this process was given, and take away again what was put into its environment
 * on the way here.  Context: init. */
void lifecycle_environment_keep(void);
/* Number of entries, for room on the caller's stack; 0 = too many, to be left alone. */
size_t lifecycle_environment_count(char *const environment[]);
/* The environment to give to a program: environment itself, or one made in room, of
 * lifecycle_environment_count() + LIFECYCLE_HANDING_MORE entries, and handing.  Context: any. */
char *const *lifecycle_environment_hand_down(struct lifecycle_handing *handing, char **room,
					     char *const environment[], bool is_loadable);

#endif
