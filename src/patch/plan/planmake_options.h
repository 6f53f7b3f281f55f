/* Options of making a plan.  Plain data. */
#ifndef KYMO_PLANMAKE_OPTIONS_H
#define KYMO_PLANMAKE_OPTIONS_H

#include "patch/plan/plan.h"

struct planmake_options {
	struct plan_kind kind;
	bool no_calls; /* do not use call-through: functions that would need it get
			* PLAN_WAY_ENTRIES */
	/* Address of the code in the file's address space, page-aligned; 0 = where a program is
	 * likely to have free space: half a GiB below a library or position-independent program
	 * (addresses count modulo 2^64), above others beyond the heap. */
	uint64_t code_address;
};

#endif
