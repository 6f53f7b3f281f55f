/* The Python interpreter in another process: found, and its layout known, or refused.
 *
 * Uses malloc.  One thread. */
#ifndef KYMO_PYTHONTARGET_H
#define KYMO_PYTHONTARGET_H

#include "attach/target/targetmaps.h"
#include "base/status.h"
#include "pystack/merge/pymerge.h"
#include "pystack/pystack.h"

enum pythontarget_state {
	PYTHONTARGET_READY,
	PYTHONTARGET_EARLY,	/* there is one, but it is not initialised yet */
	PYTHONTARGET_FINALISED, /* it is finalised, the process has not ended */
	PYTHONTARGET_NONE,	/* no Python in this process */
	PYTHONTARGET_UNKNOWN,	/* with an unsupported layout */
};

struct pythontarget {
	struct pyruntime runtime;
	struct pymerge_evaluation evaluation;
	uint16_t version;      /* major << 8 | minor */
	uint64_t module_start; /* of the file that contains it */
};

/* Search for it.  reason has the line for NONE and UNKNOWN. */
enum pythontarget_state pythontarget_find(struct targetmaps *maps, struct remote *remote,
					  struct pythontarget *out, struct problem *reason);

/* Its current state. */
enum pythontarget_state pythontarget_poll(const struct pythontarget *python, struct remote *remote);

#endif
