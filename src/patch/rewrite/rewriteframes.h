/* Unwind tables of a rewritten file. */
#ifndef KYMO_REWRITEFRAMES_H
#define KYMO_REWRITEFRAMES_H

#include "patch/rewrite/rewrite_work.h"

/* The file's unwind tables and those of the code as one, in the segment. */
enum kymo_status rewriteframes_merge(struct rewrite_work *work, struct problem *problem);

#endif
