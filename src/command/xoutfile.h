/* An output file of a command that reads (see base/outfile.h): complete or not there, also when
 * memory runs out while it is written. */
#ifndef KYMO_XOUTFILE_H
#define KYMO_XOUTFILE_H

#include <stdio.h>

#include "base/status.h"

typedef enum kymo_status xoutfile_fn(void *context, FILE *out, struct problem *problem);

/* Write to path what write() writes; if that fails, an existing file stays.  "-" is standard
 * output, which the caller finishes, as a closed pipe is no failure there. */
enum kymo_status xoutfile_write(const char *path, xoutfile_fn *write, void *context,
				struct problem *problem);

#endif
