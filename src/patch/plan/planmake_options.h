/* What a plan is made for, and how.  Plain data. */
#ifndef KYMO_PLANMAKE_OPTIONS_H
#define KYMO_PLANMAKE_OPTIONS_H

#include "patch/plan/plan.h"

struct planmake_options {
	struct plan_kind kind;
	bool no_calls; /* use no call-through: functions it would take get PLAN_WAY_ENTRIES */
	/* Where the code shall lie in the file's address space, a page's address; 0 = where a
	 * program is likely to have room: half a GiB below a library or position independent
	 * program (addresses count modulo 2^64), above others out of the heap's way. */
	uint64_t code_address;
};

#endif
