/* What the collector of native functions exports for `kymo attach`: instrumenting a running
 * program, and undoing it.
 *
 * A thread that was created in the program for this loads the library and calls the functions below
 * in their order, with all signals blocked.  Slow work is done while the program runs; only text is
 * written while all of its other threads are stopped, at arbitrary instructions: then nothing may
 * wait, lock, allocate, or call the C library.
 *
 * A process can be attached to any number of times.  Trampolines stay mapped: threads may be in
 * them, or return to them, until it ends. */
#ifndef KYMO_PATCHATTACH_H
#define KYMO_PATCHATTACH_H

#include <stddef.h>
#include <stdint.h>

#define PATCHATTACH_LIBRARY "libkymo-functions.so"
#define PATCHATTACH_PREPARE "kymo_functions_prepare"
#define PATCHATTACH_READY   "kymo_functions_ready"
#define PATCHATTACH_WRITE   "kymo_functions_write"
#define PATCHATTACH_START   "kymo_functions_start"
#define PATCHATTACH_UNDO    "kymo_functions_undo"
#define PATCHATTACH_FINISH  "kymo_functions_finish"
#define PATCHATTACH_TABLE   "kymo_functions_modules"

/* Open a recording, take the plans and choices of the modules from the cache, map code near them,
 * fill the table.  No text is changed.  settings: "NAME=VALUE" as in an environment, each
 * NUL-terminated, then an empty one.  0, or a line in reason. Context: thread. */
typedef int (*patchattach_prepare_fn)(const char *settings, char *reason, size_t size);
/* Page in what the next call, of write or of undo, needs; other threads run.  Nothing is changed.
 * has_text: pages of the program's own text were made private.  Context: thread. */
typedef long (*patchattach_ready_fn)(long has_text);
/* Make the writes that the choices take, with all other threads stopped.  Returns how many
 * functions are instrumented now. */
typedef long (*patchattach_write_fn)(void);
/* Record from here on; other threads run.  0, or a line in reason.  Context: thread. */
typedef int (*patchattach_start_fn)(char *reason, size_t size);
/* Undo all writes, with all other threads stopped.  Threads that are in trampolines, or return to
 * them later, record nothing any more.  Returns how many functions could not be restored. */
typedef long (*patchattach_undo_fn)(void);
/* Close the recording.  0, or a line in reason.  Context: thread. */
typedef int (*patchattach_finish_fn)(char *reason, size_t size);

/* Read from outside, which also writes the choices. */
#define PATCHATTACH_VERSION	1u
#define PATCHATTACH_MODULES_MAX 512u

struct patchattach_module {
	uint64_t plan, plan_size; /* its bytes in the process */
	uint64_t bias;		  /* process address = file's address + bias */
	uint64_t code, code_end;  /* the trampolines, tables and switch */
	int64_t moved;		  /* distance of these from their addresses in the plan */
	uint64_t choice;	  /* a byte per function, enum choice_of: those to write.
				   * Writable */
	uint64_t is_written;	  /* a byte per function */
};

struct patchattach_table {
	uint32_t version;
	uint32_t count;	     /* modules that have code */
	uint32_t is_written; /* between write and undo */
	/* Set from outside: the process that attached, and its start time (/proc/PID/stat). */
	uint32_t owner;
	uint64_t owner_start;
	struct patchattach_module modules[PATCHATTACH_MODULES_MAX];
};

#endif
