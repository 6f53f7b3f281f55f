/* The state of the Python collector in a process, and the small interface of an
 * instrumenter.  Everything here is touched with the GIL held. */
#ifndef KYMO_PYTHON_COLLECTOR_H
#define KYMO_PYTHON_COLLECTOR_H

#include "compat.h"

#include <stdbool.h>

#include "runtime/hot.h"

struct instrumenter {
	const char *name;
	/* NULL when it can be used here, else why not.  Constant text. */
	const char *(*unavailable)(void);
	bool sees_c;	     /* it receives calls of C functions */
	bool sees_arguments; /* a frame object is available at enter */
	bool sees_offset;    /* the bytecode offset is available at enter */
	/* NULL, or which calls it does not receive here.  Constant text.  May be absent. */
	const char *(*misses)(void);
	/* 0, or -1 with a Python exception. */
	int (*start)(void);
	void (*stop)(void);
	/* Decisions were renewed while running: 0, or -1 with a Python exception.  NULL when none
	 * of them is stored outside of the code objects. */
	int (*renew)(void);
	/* A thread begins while running; NULL when threads need nothing. */
	void (*thread_start)(void);
};

extern const struct instrumenter frame_instrumenter;
extern const struct instrumenter dispatch_instrumenter;
extern const struct instrumenter monitoring_instrumenter;
extern const struct instrumenter cprofile_instrumenter;
extern const struct instrumenter ctrace_instrumenter;
extern const struct instrumenter profile_instrumenter;
extern const struct instrumenter trace_instrumenter;
extern const struct instrumenter dummy_instrumenter;

struct collector {
	unsigned mode;	 /* KYMO_MODE_*; 0 before opening */
	bool is_open;	 /* open() was called: the runtime may have been open before */
	int running;	 /* nested starts */
	int traces;	 /* the program's own starts less its stops; < 0: nothing starts */
	uint32_t starts; /* number of starts */
	bool is_shut;	 /* the runtime was closed: nothing starts any more */
	bool trace_c;
	bool include_arguments;
	bool annotate;
	const struct instrumenter *chosen; /* by name, NULL = automatic */
	const struct instrumenter *active; /* while running */
	PyObject *module;		   /* kymo._native */
};

extern struct collector collector;

/* See instrumenters/resumedgenerators.h. */
struct resumed_generators {
	const void **frames; /* the innermost last */
	size_t count, capacity;
	uint32_t start; /* collector.starts when they were reported */
};

/* The collector's per-thread state: kymo_thread.collector. */
struct thread_notes {
	/* Open calls whose label carries arguments: the region without them, that with them. */
	uint32_t *labelled;
	size_t labelled_count, labelled_capacity;
	uint32_t labelled_start; /* collector.starts when they were entered */
	uint32_t *user;		 /* regions begun by Python, see userregions.c */
	size_t user_count, user_capacity;
	uint32_t hidden_epoch; /* of the decisions that began the hidden subtree */
	uint32_t own_imports;  /* open imports, from one of the package's on: all below is hidden */
	uint32_t passed;       /* open calls that were not entered because of a pause */
	uint32_t pause;	       /* the value of kymo_thread.pauses then */
	uint64_t thrown;       /* frame of the generator that the latest exception was thrown
				* into */
	struct resumed_generators resumed;
	bool has_greenlet_trace;
};

/* NULL when out of memory or nothing is recorded for the thread. */
struct thread_notes *thread_notes(struct kymo_thread *thread);
/* Push on one of its stacks; false when out of memory. */
bool region_push(uint32_t **stack, size_t *count, size_t *capacity, uint32_t region);

/* The instrumenter for the current configuration; NULL with an exception when the chosen one does
 * not support it. */
const struct instrumenter *instrumenter_select(void);
const struct instrumenter *instrumenter_find(const char *name);
extern const struct instrumenter *const instrumenter_table[]; /* NULL-terminated */

#endif
