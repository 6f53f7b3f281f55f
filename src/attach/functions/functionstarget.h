/* Instrumenting the functions of one running process, and undoing it.
 *
 * A step that fails leaves the process as it was and gives the reason.  The
 * caller owns the struct.  One thread; uses malloc. */
#ifndef KYMO_FUNCTIONSTARGET_H
#define KYMO_FUNCTIONSTARGET_H

#include "attach/agent/agent.h"
#include "attach/target/target.h"
#include "patch/apply/patchattach.h"

struct functionstarget {
	struct target target;
	struct remote remote;
	char program[4096];  /* path of its file, for reading */
	const char *library; /* path of the collector */
	uint64_t prepare, ready, write, start, undo, finish, table; /* addresses in the process */
	uint64_t functions;					    /* number of instrumented
								     * functions */
	uint64_t excluded_count; /* because they have open calls */
	uint64_t stopped_ns;	 /* for how long the process was stopped, at the last step */
	bool is_instrumented;
};

/* Check whether it is possible at all; nothing in the process is changed.  library: the path for
 * the process; original: the same file, or a copy, for this process; NULL = it is loaded
 * already. */
enum kymo_status functionstarget_open(struct functionstarget *functions, pid_t pid,
				      const char *library, const char *original,
				      struct problem *problem);
void functionstarget_close(struct functionstarget *functions);

/* Call back for each executable file mapping, the program's own first. */
typedef enum kymo_status (*functionstarget_file_fn)(void *context, const char *path,
						    bool is_program, struct problem *problem);
enum kymo_status functionstarget_files(struct functionstarget *functions,
				       functionstarget_file_fn visit, void *context,
				       struct problem *problem);

/* Load the collector, open the recording, write.  settings: NUL-terminated "NAME=VALUE" strings,
 * size bytes including the empty one at the end. */
enum kymo_status functionstarget_instrument(struct functionstarget *functions, const char *settings,
					    size_t size, struct problem *problem);
/* Until the time is up (0 = never), a stop is requested, or the process has ended: false. */
bool functionstarget_wait(const struct functionstarget *functions, double duration_s,
			  const volatile sig_atomic_t *must_stop);
/* Restore the text, close the recording.  Does nothing when the process has ended, or runs another
 * program. */
enum kymo_status functionstarget_undo(struct functionstarget *functions, struct problem *problem);

#endif
