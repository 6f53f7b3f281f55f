/* Sampling one process: its threads, and what each is doing at an instant.
 *
 * The caller's sink receives every observation.  One thread; uses malloc. */
#ifndef KYMO_WATCH_H
#define KYMO_WATCH_H

#include "attach/python/codetable.h"
#include "attach/python/pythonnames.h"
#include "attach/python/seencalls.h"
#include "attach/target/snapshot.h"
#include "attach/target/target.h"
#include "format/format.h"

#define WATCH_DEPTH_MAX 4096u
#define WATCH_NAME_SIZE 64u

struct nativetarget;

struct watch_options {
	bool has_native;  /* native frames, too, and threads without Python */
	bool or_native;	  /* has_native if the process runs no Python and none is expected */
	bool is_blocking; /* all threads are stopped while they are read */
	bool only_gil;	  /* only the threads that hold the GIL */
	bool only_active; /* only those that do not wait */
	bool is_patient;  /* wait for a Python that is being started */
	bool is_fresh;	  /* the program was just started by exec */
	uint32_t depth;	  /* maximum number of frames of a stack, the innermost ones */
};

enum watch_result {
	WATCH_STACK,  /* frames are its stack */
	WATCH_LOST,   /* it changed while it was read, several times */
	WATCH_PASSED, /* it is skipped, as requested, or has just ended */
};

struct watch_thread {
	struct targettask task;
	uint64_t state, outer; /* thread states: the running one, another below it; 0 = none */
	uint64_t interpreter;
	uint64_t handle; /* Python's handle, 0 = not known */
	struct snapshot snapshot;
	bool had_frames; /* Python's, at the last observation */
	char name[WATCH_NAME_SIZE];
	void *user; /* owned by the sink */
	bool is_present, is_new, is_renamed;
	uint64_t found_state, found_outer; /* while threads are listed */
	/* The last observation. */
	uint64_t read_in; /* number of the observation that read it */
	enum targettask_news news;
	enum watch_result result;
	bool is_same; /* unchanged since the previous observation */
	enum kymo_gil_state gil;
	uint64_t *frames; /* outermost first; Python frames have numbers of the code table */
	size_t frame_count, frame_capacity;
};

struct watch {
	struct target target;
	struct remote remote;
	struct targetmaps maps;
	unsigned maps_count; /* number of times they were read */
	struct pythontarget python;
	bool has_python;
	struct targettasks tasks;
	struct pythonthreads states;
	struct pythonnames names;
	struct codetable codes;
	struct seencalls calls;
	struct nativetarget *native; /* NULL = native frames are not read */
	struct watch_options options;
	struct watch_thread **threads;
	size_t count, capacity;
	struct snapshot gil;
	uint64_t listed_ns; /* when threads were last listed */
	uint64_t list_ns;   /* CPU time of that */
	uint64_t image;	    /* identifies the program, to detect an exec */
	bool must_list;	    /* a thread was found to have ended, or to have no thread state so
			     * far */
	pid_t newest;	    /* highest id of a thread when they were last listed */
	uint64_t observed_count, torn_count, lost_count; /* torn: read once more */
};

struct watch_sink {
	void (*begin)(void *context, struct watch_thread *thread);
	void (*end)(void *context, struct watch_thread *thread);
	void (*observed)(void *context, struct watch_thread *thread);
	void *context;
};

enum watch_state {
	WATCH_RUNNING,
	WATCH_ENDED,	/* the process has ended */
	WATCH_REPLACED, /* it runs another program now, by exec */
};

#endif
