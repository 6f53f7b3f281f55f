/* Adds a recording that is merged already: its nodes as the file has them, since the reader's
 * doubles would round exact sums. */
#ifndef KYMO_MERGE_ADD_MERGED_H
#define KYMO_MERGE_ADD_MERGED_H

#include "base/status.h"

struct merge_state;
struct recording;

/* A merged recording, as its file has it. */
enum kymo_status merge_state_add_merged(struct merge_state *state,
					const struct recording *recording, struct problem *problem);

#endif
