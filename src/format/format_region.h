/* Records of regions and of threads. */
#ifndef KYMO_FORMAT_REGION_H
#define KYMO_FORMAT_REGION_H

#include <stdint.h>

enum kymo_region_kind {
	KYMO_REGION_ROOT = 0, /* the thread itself; never shown as a row */
	KYMO_REGION_PYTHON = 1,
	KYMO_REGION_PYTHON_C = 2,      /* built-in function seen from Python; module = __module__ */
	KYMO_REGION_PYTHON_METHOD = 3, /* method of a built-in type; module = the type's name */
	KYMO_REGION_USER = 4,
	KYMO_REGION_NATIVE = 5,
	KYMO_REGION_PTHREAD = 6,
	KYMO_REGION_MPI = 7,
	KYMO_REGION_IO = 8,
	KYMO_REGION_TASK = 9,
	KYMO_REGION_PROGRAM = 10, /* the whole of a native program */
	KYMO_REGION_PHASE =
		11, /* a user's: a part of the run that is compared with others of its kind */
	KYMO_REGION_PARAMETER = 12, /* a user's: a call path for each value; arguments = "=value" */
	KYMO_REGION_PROGRESS = 13,  /* a user's progress point; arguments = "", " begin", " end" */
	KYMO_REGION_INSTANT = 14,   /* names an instant or a message; never entered */
};

/* How the label is composed. */
#define KYMO_REGION_LABEL_FILE	    1u
#define KYMO_REGION_LABEL_LINE	    2u
#define KYMO_REGION_LABEL_FULL_PATH 4u
#define KYMO_REGION_GENERATOR	    8u /* generator, coroutine or async generator */
/* arguments = "(0x…)", the address of the lock, thread … that is waited for; readers replace it
 * by the name of a static object, from the modules and their symbols. */
#define KYMO_REGION_OBJECT	    16u

struct kymo_region { /* REGIONS payload; id = chunk.base + index */
	uint32_t kind;
	uint32_t flags;
	uint64_t name;	   /* string reference, never 0 */
	uint64_t qualname; /* string references, 0 = none */
	uint64_t module;
	uint64_t file;
	uint64_t arguments; /* "(n=5)" when labels carry arguments */
	uint32_t line;	    /* first line, 0 = unknown */
	uint16_t argument_count;
	uint16_t local_count;
	uint32_t stack_size;
	uint32_t reserved;
};
_Static_assert(sizeof(struct kymo_region) == 64, "region record");

struct kymo_thread_record { /* THREADS payload; number = chunk.base + index */
	uint32_t number;    /* 0, 1, 2, … never reused in a recording */
	uint32_t flags;	    /* KYMO_THREAD_* */
	uint64_t system_id; /* gettid() */
	uint64_t start_ticks;
	uint64_t end_ticks;   /* 0 = did not end before the recording did */
	uint32_t parent;      /* number of the creating thread, KYMO_NO_THREAD if unknown */
	uint32_t parent_node; /* its open node at creation, 0 if unknown */
	uint32_t root_node;   /* 0 if there is no tree */
	uint32_t reserved;
	uint64_t name;	       /* string reference, 0 = none; atomic, may be set late */
	uint64_t lost_events;  /* enters that could not be recorded */
	uint64_t folded;       /* enters beyond the depth or path limit */
	uint64_t resynced;     /* exits that did not match the open region */
	uint64_t cpu_ns;       /* CPU time used while recorded, 0 = unknown */
	uint64_t trace_enters; /* enters written as events if there is no tree */
	uint64_t misused_ends; /* ends of users' regions that were not open, or not innermost */
	uint64_t never_ended;  /* users' regions that were open when the thread ended */
	uint64_t waited_ns;    /* ready without a processor, 0 = unknown */
	union {
		uint64_t off_ticks;    /* of that, what is in no time of its timed calls */
		uint64_t measuring_ns; /* MERGED: what was subtracted from its times before */
	};
};
_Static_assert(sizeof(struct kymo_thread_record) == 128, "thread record");

#define KYMO_THREAD_FIBER   1u /* not a system thread: a greenlet's fiber */
#define KYMO_THREAD_ADOPTED 2u /* ran before recording began */
#define KYMO_THREAD_IDLE    4u /* of a merged recording: sampled, and never stopped waiting */

#endif
