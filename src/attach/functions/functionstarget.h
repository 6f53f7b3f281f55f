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
	uint64_t functions;					    /* that are instrumented */
	uint64_t left_alone; /* since something is under way in them */
	uint64_t stopped_ns; /* the process was stopped, at the last step */
	bool is_instrumented;
};

/* Look whether it can be done at all; nothing in the process is changed.  library: as the process
 * is to load it; original: the same file, or a copy, for this process; NULL = it was loaded. */
enum kymo_status functionstarget_open(struct functionstarget *functions, pid_t pid,
				      const char *library, const char *original,
				      struct problem *problem);
void functionstarget_close(struct functionstarget *functions);

/* Tell the files that are mapped to run, the program's own first. */
typedef enum kymo_status (*functionstarget_file_fn)(void *context, const char *path,
						    bool is_program, struct problem *problem);
enum kymo_status functionstarget_files(struct functionstarget *functions,
				       functionstarget_file_fn tell, void *context,
				       struct problem *problem);

/* Load the collector, have it open the recording, write.  settings: "NAME=VALUE" with NUL
 * each, size bytes in all with the empty one at the end. */
enum kymo_status functionstarget_instrument(struct functionstarget *functions, const char *settings,
					    size_t size, struct problem *problem);
/* Until the time is up (0 = never), somebody says stop, or the process has ended: false. */
bool functionstarget_wait(const struct functionstarget *functions, double duration_s,
			  const volatile sig_atomic_t *must_stop);
/* Text as it was, recording closed.  Nothing when the process has ended, or runs another
 * program. */
enum kymo_status functionstarget_take_back(struct functionstarget *functions,
					   struct problem *problem);

#endif
