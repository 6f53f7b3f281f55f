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
	struct textwrite *writes;	 /* of the functions that are chosen, by address */
	size_t count;
	uint64_t functions;  /* that are chosen */
	uint64_t left_alone; /* since something would come back into them: no longer chosen */
};

/* Read the table at address and what it names; functions in which a call ends within bytes
 * that are changed are taken out of the choices. */
enum kymo_status textwrites_open(struct textwrites *writes, struct remote *remote, uint64_t address,
				 struct problem *problem);
void textwrites_close(struct textwrites *writes);

/* A stopped thread is in a trampoline: it leaves it soon when it goes on. */
bool textwrites_are_in_code(const struct textwrites *writes, const struct stop_all *stop);
/* All threads are stopped: have those that are within step out, and take out of the choices
 * what a thread stays in, or what the stack of one names. */
void textwrites_clear(struct textwrites *writes, struct stop_all *stop,
		      const struct targetmaps *maps);
/* The writes are about to be taken back: threads in front of a jump that lies in unused bytes
 * go on where it leads. */
void textwrites_release_jumps(struct textwrites *writes, struct stop_all *stop);

#endif
