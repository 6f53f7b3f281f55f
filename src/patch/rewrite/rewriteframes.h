/* Unwind tables of a rewritten file. */
#ifndef KYMO_REWRITEFRAMES_H
#define KYMO_REWRITEFRAMES_H

#include "patch/rewrite/rewrite_work.h"

/* Merge the file's unwind tables and those of the code, in the segment. */
enum kymo_status rewriteframes_merge(struct rewrite_work *work, struct problem *problem);

#endif
