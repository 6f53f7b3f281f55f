/* Whose a file is, and whether Kymo may read it or write beside it.
 *
 * What others can write is not trusted: a user's own files and root's are, others' are refused
 * unless --force was given.  Context: any. */
#ifndef KYMO_OWNER_H
#define KYMO_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/status.h"

/* Where --force is kept: other users' runs are read, and their folders take outputs.  To be set
 * before the first question. */
bool *owner_force(void);

/* May be read as a recording: its owner is this user or root, or --force was given. */
bool owner_is_trusted(const struct stat *info);
/* Nobody but this user and root could have written it, --force or not. */
bool owner_is_alone(const struct stat *info);
/* "'PATH' belongs to BOB: --force reads it all the same".  KYMO_SYSTEM. */
enum kymo_status owner_refuse(const struct stat *info, const char *path, struct problem *problem);
/* What is open as descriptor, or errno where that is negative, is a regular file that may be read.
 * *info_out is set when it is.  KYMO_SYSTEM or KYMO_FORMAT where it is not. */
enum kymo_status owner_stat_file(int descriptor, const char *path, struct stat *info_out,
				 struct problem *problem);

/* A folder to put files in: this user's, root's, that of the user who called sudo, or one whose
 * owner a user namespace hides; or --force was given. */
bool owner_may_hold(const struct stat *info);
/* Of the folder at path, and a link of another user's does not lead there.  0, EPERM, or another
 * errno value. */
int owner_check_folder(const char *path);

#endif
