/* Adds a recording: its tree, then each thread's shares. */
#ifndef KYMO_MERGE_ADD_H
#define KYMO_MERGE_ADD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct merge_state;
struct recording;

/* Add the calls of a recording, or with is_sampled its samples.  run: the name of its run; run_id:
 * its id, which is the recording's unless that has none. */
enum kymo_status merge_state_add(struct merge_state *state, struct recording *recording,
				 bool is_sampled, const char *run, const uint8_t run_id[16],
				 struct problem *problem);

#endif
