/* What recording costs, as collectors calibrate and measure it. */
#ifndef KYMO_COSTS_H
#define KYMO_COSTS_H

#include <stdint.h>

#include "runtime/exported.h"

/* Picoseconds for each recorded byte, for the pages of the recording that the kernel allocates
 * on first write; 0 = unknown.  Context: thread. */
KYMO_EXPORT uint64_t kymo_page_byte_ps(void);

/* What recording one visit of a region takes, calibrated; 0 = unknown. */
struct kymo_visit_cost {
	uint64_t all_ps;
	/* Of all_ps: the part between the visit's two clock readings, which is in its own time;
	 * the rest is in its caller's. */
	uint64_t inside_ps;
};

struct kymo_visit_costs {
	struct kymo_visit_cost call, resume, c_call; /* resume: a generator is resumed */
};

KYMO_EXPORT void kymo_cost_set(const struct kymo_visit_costs *costs);
/* CPU time used by Kymo itself, for the report; nanoseconds.
 * kymo_cost_early(): used before the runtime was opened.  Context: init.
 * kymo_cost_beside(): used by a thread of Kymo since its last call.  Context: any.
 * kymo_cost_ending(): the program has ended, all that the calling thread does until the recording
 * is closed is Kymo's.  Context: thread. */
KYMO_EXPORT void kymo_cost_early(uint64_t cpu_ns);
KYMO_EXPORT void kymo_cost_beside(uint64_t cpu_ns);
KYMO_EXPORT void kymo_cost_ending(void);
/* A step of the coarse clock took so long that calls in it have no times of their own;
 * nanoseconds.  Context: any. */
KYMO_EXPORT void kymo_coarse_late(uint64_t step_ns);
/* Frame evaluation skipped a frame for lack of stack. */
KYMO_EXPORT void kymo_stack_aside_count(void);

#endif
