/* Program headers and sections of a rewritten file. */
#ifndef KYMO_REWRITETABLES_H
#define KYMO_REWRITETABLES_H

#include "patch/rewrite/rewrite_work.h"

/* Make space for one more program header, by moving what follows them. */
enum kymo_status rewritetables_reserve(struct rewrite_work *work, struct problem *problem);
/* Write the segment's program header and sections, once its size is known. */
enum kymo_status rewritetables_finish(struct rewrite_work *work, struct problem *problem);

#endif
