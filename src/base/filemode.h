/* Modes of files and directories that Kymo writes: for its user only, whatever the umask, unless
 * the setting OUTPUT_ACCESS shares them; the umask still removes bits.
 *
 * Set once, before anything is written.  Context: init for filemode_choose(), else any. */
#ifndef KYMO_FILEMODE_H
#define KYMO_FILEMODE_H

#include <sys/types.h>

/* Who may read: "user", "group" or "all"; any other word means "user". */
void filemode_choose(const char *word);

mode_t filemode_file(void);   /* 0600, 0640, 0644 */
mode_t filemode_folder(void); /* 0700, 0750, 0755 */

#endif
