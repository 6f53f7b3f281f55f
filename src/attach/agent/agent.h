/* The agent: a thread injected into another process, which calls functions there for kymo.  It is
 * an ordinary thread of the C library, with all signals blocked.
 *
 * A thread of the process is borrowed for some microseconds, to make system calls only.  The agent
 * does everything that takes locks, while all other threads run: it waits for locks like any
 * thread, so nothing can deadlock.  If kymo dies, the agent ends by itself.  One thread; uses
 * malloc; the caller owns the struct. */
#ifndef KYMO_AGENT_H
#define KYMO_AGENT_H

#include <signal.h>

#include "attach/target/remote.h"
#include "attach/target/target.h"
#include "base/status.h"

#define AGENT_SCRATCH 16384u /* size of the scratch buffer */

struct agent_functions {	      /* addresses of functions in the process */
	uint64_t open, symbol, error; /* dlopen(), dlsym(), dlerror() */
};

struct agent {
	struct remote *remote;
	const struct target *target;
	struct agent_functions functions;
	uint64_t base, size;  /* its memory */
	uint64_t words;	      /* struct agent_words */
	uint64_t scratch;     /* AGENT_SCRATCH bytes, for the caller's use between calls */
	pid_t id;	      /* thread id in kymo's pid namespace */
	uint64_t borrowed_ns; /* for how long a thread of the program was borrowed */
	bool is_there;
};

/* Check whether an agent can be created.  Nothing in the process is changed. */
enum kymo_status agent_check(const struct target *target, struct remote *remote,
			     struct problem *problem);
/* Create it.  Refused if the process has no C library that kymo can call. */
enum kymo_status agent_begin(struct agent *agent, const struct target *target,
			     struct remote *remote, struct problem *problem);
/* Call function(arguments…) there and wait for it, patience_ns at most. */
enum kymo_status agent_call(struct agent *agent, uint64_t function, const uint64_t arguments[4],
			    uint64_t patience_ns, int64_t *result_out, struct problem *problem);
/* It unmaps its memory and ends, after the current call. */
void agent_end(struct agent *agent);

/* Load a library into the process, path as the process sees it; handle_out is for
 * agent_symbol(). */
enum kymo_status agent_load(struct agent *agent, const char *path, uint64_t *handle_out,
			    struct problem *problem);
enum kymo_status agent_symbol(struct agent *agent, uint64_t handle, const char *name,
			      uint64_t *address_out, struct problem *problem);

#endif
