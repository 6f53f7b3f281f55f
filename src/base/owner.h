/* The owner of a file, and whether Kymo may read it or write next to it.
 *
 * What others can write is not trusted: a user's own files and root's are, others' are rejected
 * unless --force was given.  Context: any. */
#ifndef KYMO_OWNER_H
#define KYMO_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/status.h"

/* The state of --force: read other users' runs, and write outputs to their directories.  Must be
 * set before the first check. */
bool *owner_force(void);

/* May be read as a recording: its owner is this user or root, or --force was given. */
bool owner_is_trusted(const struct stat *info);
/* Only this user and root can have written it, independent of --force. */
bool owner_is_alone(const struct stat *info);
/* "'PATH' belongs to BOB: --force reads it anyway".  KYMO_SYSTEM. */
enum kymo_status owner_refuse(const struct stat *info, const char *path, struct problem *problem);
/* The open descriptor, or -errno if negative, is a regular file that may be read.  *info_out is
 * set if it is.  KYMO_SYSTEM or KYMO_FORMAT if it is not. */
enum kymo_status owner_stat_file(int descriptor, const char *path, struct stat *info_out,
				 struct problem *problem);

/* Whether to write files into a directory: this user's, root's, that of the user who called
 * sudo, or one whose owner is hidden by a user namespace; or --force was given. */
bool owner_may_hold(const struct stat *info);
/* The same for the directory at path, which must not be reached by another user's link.  0,
 * EPERM, or another errno value. */
int owner_check_folder(const char *path);

#endif
