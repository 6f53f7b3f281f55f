/* What a new program needs in its environment to join the run: kept from this process's initial
 * environment, and added to what it passes to others.  errno is kept. */
#ifndef KYMO_LIFECYCLE_ENVIRONMENT_H
#define KYMO_LIFECYCLE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#define LIFECYCLE_PATH_MAX 1024u /* programs with longer paths are not checked */

#define LIFECYCLE_PASSING_TEXT 3072u
#define LIFECYCLE_PASSING_MORE 72u /* entries that may be added */

struct lifecycle_passing { /* an environment made on the caller's stack */
	char text[LIFECYCLE_PASSING_TEXT];
	size_t used;
};

/* Called before the C library starts a shell: note, once, that it will not join the run, if the
 * program has removed the variables for that.  If Kymo's files are not reachable, its libraries
 * are removed from the environment.  Context: thread. */
void lifecycle_environment_check(void);
/* Whether a program that is started now can be recorded: not in another root, or with other
 * rights, where the loader would complain about Kymo's libraries, or these about the run
 * directory.  Context: any. */
bool lifecycle_environment_is_in_reach(void);
/* Keep this process's initial environment, and remove from it what was added for this process.
 * Context: init. */
void lifecycle_environment_keep(void);
/* Number of entries, for an array on the caller's stack; 0 = too many, leave it unchanged. */
size_t lifecycle_environment_count(char *const environment[]);
/* The environment to pass to a program: environment itself, or one made in array, of
 * lifecycle_environment_count() + LIFECYCLE_PASSING_MORE entries, and passing.  Context: any. */
char *const *lifecycle_environment_pass(struct lifecycle_passing *passing, char **array,
					char *const environment[], bool is_loadable);

#endif
