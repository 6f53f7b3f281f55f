/* Opening files by names that others have chosen.  Context: any; errno is set. */
#ifndef KYMO_REGULARFILE_H
#define KYMO_REGULARFILE_H

/* A descriptor to read the file by, or -1: EINVAL where it is none but a pipe, a device, a
 * folder.  Those are not even opened, which could wait, or do something. */
int regularfile_open(const char *path);

#endif
