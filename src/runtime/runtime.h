/* The runtime: the part of Kymo in the recorded process, which writes its recording.
 *
 * This header and those it includes are for collectors that call the runtime off the hot path;
 * the enter and leave of a region are inlined from hot.h.  The runtime owns everything it
 * returns.  Any function may be called from any thread after kymo_runtime_open(), in the context
 * that is stated with it.  None exits, aborts, prints to stdout or changes errno. */
#ifndef KYMO_RUNTIME_H
#define KYMO_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/costs.h"
#include "runtime/exported.h"
#include "runtime/region.h"
#include "runtime/threading.h"

/* Raised when a structure or function shared with separately built collectors changes. */
#define KYMO_RUNTIME_ABI 3

enum kymo_runtime_state {
	KYMO_RUNTIME_NEW,      /* nothing was opened yet */
	KYMO_RUNTIME_ACTIVE,   /* recording */
	KYMO_RUNTIME_CLOSED,   /* the recording is complete */
	KYMO_RUNTIME_DISABLED, /* could not record; the reason was printed once on stderr */
};

struct kymo_runtime_options {
	size_t size; /* of this structure */
	/* "NAME=VALUE" with names as KYMO_NAME without the prefix, terminated by NULL; these
	 * count as the command line, above environment and files.  May be NULL. */
	const char *const *settings;
	/* The program's own command line, terminated by NULL.  May be NULL: /proc is read. */
	const char *const *argv;
	/* The caller ends the recording itself, with kymo_runtime_end() of lifecycle.h, after
	 * all of the program has run: kymo_runtime_close() then only stores the exit status.
	 * Programs that are started join the run through the environment. */
	bool is_resident;
	/* Used as the environment, terminated by NULL, in memory that stays valid and writable;
	 * NULL = the program's own. */
	char *const *environment;
	/* usage_own_ns() of this thread when Kymo's start began; 0 = now. */
	uint64_t began_ns;
};

KYMO_EXPORT int kymo_runtime_abi(void);

/* Read the settings, make the run directory or join the run named by KYMO_RUN_DIR, make the
 * recording.  0; KYMO_USAGE (base/status.h) if a setting is wrong, KYMO_ERROR if nothing can be
 * recorded, both with one line in reason (always terminated).  A second call in a recorded
 * process takes over the settings and returns 0; what is recorded was determined by the first.
 * Context: init. */
KYMO_EXPORT int kymo_runtime_open(const struct kymo_runtime_options *options, char *reason,
				  size_t reason_size);

/* Close every open region and the recording; if this process made the run directory and the
 * settings request it, write the run's output files and summary (a child process `kymo finish`,
 * waited for).  exit_status -1 = unknown.  Context: init. */
KYMO_EXPORT void kymo_runtime_close(int exit_status);

KYMO_EXPORT enum kymo_runtime_state kymo_runtime_state(void);

/* Call listener when the runtime has opened; at once if it is open.  Context: init. */
typedef void (*kymo_open_fn)(void);
KYMO_EXPORT void kymo_runtime_on_open(kymo_open_fn listener);

/* The collector is about to begin: the time since opening is the cost of the start-up. */
KYMO_EXPORT void kymo_runtime_ready(void);

/* Directory of the run and path of this process's recording; "" before opening. */
KYMO_EXPORT const char *kymo_runtime_directory(void);
KYMO_EXPORT const char *kymo_runtime_recording(void);

/* Value of a setting by its name without prefix ("MAX_DEPTH"); NULL if unknown.  Valid until the
 * runtime is closed.  Context: init. */
KYMO_EXPORT const char *kymo_runtime_setting(const char *name);
/* Whether this category is recorded, by ENABLE_CATEGORIES and DISABLE_CATEGORIES. */
KYMO_EXPORT bool kymo_runtime_records(const char *category);

#define KYMO_MODE_PROFILE   1u
#define KYMO_MODE_TRACE	    2u
#define KYMO_MODE_METRICS   4u /* metrics besides the wall clock on every node */
/* Beside PROFILE alone: visits are counted and not timed, see runtime/threads/positions.h. */
#define KYMO_MODE_POSITIONS 8u

/* What is collected: bits KYMO_MODE_*, fixed by the settings at opening. */
KYMO_EXPORT unsigned kymo_runtime_mode(void);

/* Whether times are read from the processor's counter.  Context: any. */
KYMO_EXPORT bool kymo_clock_is_ticks(void);

#endif
