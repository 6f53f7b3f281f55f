/* An output file of a command that reads, see base/outfile.h: it is whole or not there, also where
 * memory lacks while it is written. */
#ifndef KYMO_XOUTFILE_H
#define KYMO_XOUTFILE_H

#include <stdio.h>

#include "base/status.h"

typedef enum kymo_status xoutfile_fn(void *context, FILE *out, struct problem *problem);

/* Put what write() writes to path; what was there stays where that fails.  "-" is standard output,
 * which the caller finishes, for whom a closed pipe is no failure. */
enum kymo_status xoutfile_write(const char *path, xoutfile_fn *write, void *context,
				struct problem *problem);

#endif
