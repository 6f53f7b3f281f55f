/* The writes into the code of a process, and what prevents them: no thread, no signal handler and
 * no open call may return into the middle of changed bytes.
 *
 * Plans and choices are read from the process and checked, since it is not trusted.  Uses malloc
 * but in textwrites_clear() and textwrites_release_jumps(), which run while it is stopped.
 * One thread. */
#ifndef KYMO_TEXTWRITES_H
#define KYMO_TEXTWRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target/remote.h"
#include "attach/target/stop_all.h"
#include "attach/target/targetmaps.h"
#include "base/status.h"
#include "patch/apply/patchattach.h"
#include "patch/plan/plan.h"

struct textwrite {
	uint64_t start, end; /* addresses in the process */
	uint32_t module, function;
};

struct textwrites {
	struct remote *remote;
	struct patchattach_table *table; /* a copy */
	struct textwrite *writes;	 /* of the chosen functions, by address */
	size_t count;
	uint64_t functions;	 /* number of chosen ones */
	uint64_t excluded_count; /* because a thread would return into them: no longer chosen */
};

/* Read the table at address and everything it refers to; functions in which a call ends within
 * changed bytes are removed from the choices. */
enum kymo_status textwrites_open(struct textwrites *writes, struct remote *remote, uint64_t address,
				 struct problem *problem);
void textwrites_close(struct textwrites *writes);

/* A stopped thread is in a trampoline: it leaves it soon when resumed. */
bool textwrites_are_in_code(const struct textwrites *writes, const struct stop_all *stop);
/* All threads are stopped: step those within changed bytes out, and remove from the choices
 * functions that a thread stays in, or that a stack refers to. */
void textwrites_clear(struct textwrites *writes, struct stop_all *stop,
		      const struct targetmaps *maps);
/* The writes are about to be undone: threads at a jump in unused bytes are moved to its target. */
void textwrites_release_jumps(struct textwrites *writes, struct stop_all *stop);

#endif
