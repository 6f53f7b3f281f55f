/* An output file that is either complete or absent: written next to its final name and renamed
 * when complete.  "-" is standard output; an existing pipe or device is written directly.  A
 * link is replaced by the file, never followed; a directory of another user is rejected; a file
 * that is replaced keeps its mode, a new one has filemode_file().  One writer; uses malloc.
 * Context: init. */
#ifndef KYMO_OUTFILE_H
#define KYMO_OUTFILE_H

#include <stdio.h>

#include "base/status.h"

struct outfile {
	int fd;		  /* write here, or to the stream */
	FILE *stream;	  /* buffered; NULL = not requested, unless it is standard output */
	char *path;	  /* final name; NULL = standard output */
	const char *name; /* its last part */
	int folder;	  /* its directory; -1 = written directly */
	char *temporary;  /* name while it is written; NULL = written directly */
};

/* Fails, with file unchanged, if path is a directory or cannot be created. */
enum kymo_status outfile_open(struct outfile *file, const char *path, struct problem *problem);
/* The same with a stream, which is closed with the file. */
enum kymo_status outfile_open_stream(struct outfile *file, const char *path,
				     struct problem *problem);

/* Complete it: everything written is in place, or nothing is.  Releases file in either case. */
enum kymo_status outfile_commit(struct outfile *file, struct problem *problem);

/* Discard it: what was at path is unchanged.  Releases file. */
void outfile_discard(struct outfile *file);

#endif
