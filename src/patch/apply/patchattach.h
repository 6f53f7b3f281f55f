/* What the collector of native functions exports for `kymo attach`: instrumenting a running
 * program, and undoing it.
 *
 * A thread that was made in the program for this loads the library and calls the functions
 * below in their order, with all signals blocked.  What takes time is done while the program
 * runs; only writing text is done while all of its other threads are stopped, anywhere: then
 * nothing may wait, lock, allocate, or call the C library.
 *
 * The same may be done again in the same process any number of times.  Trampolines that were
 * mapped once stay: threads may be in them, or return to them, for as long as it lives. */
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

/* Open a recording, take the plans and choices of the modules from the cache, map code
 * beside them, fill the table.  No text is changed.  settings: "NAME=VALUE" as in an
 * environment, each with its NUL; an empty one ends them.  0, or a line in reason.
 * Context: thread. */
typedef int (*patchattach_prepare_fn)(const char *settings, char *reason, size_t size);
/* Bring into memory what the next call, of write or of undo, needs: others run.  Nothing is
 * changed.  has_text: pages of the program's own text were made private.  Context: thread. */
typedef long (*patchattach_ready_fn)(long has_text);
/* Make the writes that the choices take, with all other threads stopped.  How many functions
 * are instrumented now. */
typedef long (*patchattach_write_fn)(void);
/* Record from here on; others run.  0, or a line in reason.  Context: thread. */
typedef int (*patchattach_start_fn)(char *reason, size_t size);
/* Take all of them back, with all other threads stopped.  What is under way in trampolines, or
 * comes back to them later, finds that nothing is recorded any more.  How many functions are
 * not as they were. */
typedef long (*patchattach_undo_fn)(void);
/* Close the recording.  0, or a line in reason.  Context: thread. */
typedef int (*patchattach_finish_fn)(char *reason, size_t size);

/* Read, and the choices written, from outside. */
#define PATCHATTACH_VERSION	1u
#define PATCHATTACH_MODULES_MAX 512u

struct patchattach_module {
	uint64_t plan, plan_size; /* its bytes in the process */
	uint64_t bias;		  /* process address = file's address + bias */
	uint64_t code, code_end;  /* the trampolines, tables and switch */
	int64_t moved;		  /* they lie this far from where the plan has them */
	uint64_t choice;	  /* a byte a function, enum choice_of: those to write.  Writable */
	uint64_t is_written;	  /* a byte a function */
};

struct patchattach_table {
	uint32_t version;
	uint32_t count;	     /* modules that have code */
	uint32_t is_written; /* between write and undo */
	/* Set from outside: the process that attached, and when that began (/proc/PID/stat). */
	uint32_t owner;
	uint64_t owner_start;
	struct patchattach_module modules[PATCHATTACH_MODULES_MAX];
};

#endif
