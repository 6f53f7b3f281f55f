/* Rows of a recording's tables.  Texts belong to the recording. */
#ifndef KYMO_RECORDING_ROWS_H
#define KYMO_RECORDING_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"

/* The reader's own flag: the region stands for one line of a function, in its field line. */
#define REGION_IS_LINE 0x80000000u

struct region { /* index = region id; index 0 is the root */
	enum kymo_region_kind kind;
	uint32_t flags;	      /* KYMO_REGION_*, REGION_IS_LINE */
	const char *name;     /* never NULL */
	const char *qualname; /* these: NULL = unknown */
	const char *module;
	const char *file;
	const char *arguments;
	uint32_t line;
	uint16_t argument_count;
	uint16_t local_count;
	uint32_t stack_size;
};

struct thread { /* index = thread number */
	bool is_present;
	uint32_t flags; /* KYMO_THREAD_* */
	uint64_t system_id;
	uint64_t start_ticks;
	uint64_t end_ticks;   /* 0 = open at the end */
	uint32_t parent;      /* thread number or KYMO_NO_THREAD */
	uint32_t parent_node; /* reference as in the file, 0 = unknown */
	uint32_t root_node;
	const char *name; /* NULL = none */
	uint64_t lost_events;
	uint64_t folded;
	uint64_t resynced;
	uint64_t cpu_ns;
	uint64_t misused_ends; /* ends of users' regions that were not open, or not the innermost */
	uint64_t never_ended;  /* users' regions still open at the thread's end */
	uint64_t measuring_ns; /* excluded from its times before they were merged */
	uint64_t waited_ns;    /* ready while others had the processor; 0 = not known */
	uint64_t off_ticks;    /* of that, what is excluded from the times of its timed calls */
};

struct note {
	enum kymo_note_kind kind;
	uint64_t ticks;
	const char *key;
	const char *value;
};

struct series {
	const char *name;
	const char *unit;
	uint32_t thread;
};

struct module {		      /* a file that was mapped into the process */
	uint64_t start, end;  /* addresses */
	uint64_t bias;	      /* address = value in the file's symbol table + bias */
	uint64_t ticks;	      /* when it was seen; a later one may have the same addresses */
	const char *path;     /* never NULL */
	const char *name;     /* for users: path, or a link to it; never NULL */
	const char *build_id; /* hexadecimal digits, NULL = none */
};

/* One thread of a process that was merged into this recording; the recording stores its time in
 * each region. */
struct recording_part {
	const char *run, *program, *host, *thread_name; /* NULL = unknown; run: its folder */
	uint8_t run_id[16]; /* of its recording; identifies processes together with pid and start */
	uint32_t pid, thread;
	int32_t rank;		    /* of MPI, -1 = none */
	uint64_t start_realtime_ns; /* of the process */
	uint64_t duration_ns;	    /* of the thread */
	uint64_t cpu_ns;	    /* likewise, 0 = unknown */
	uint64_t outside_ns;	    /* likewise, in no recorded region */
	uint64_t measuring_ns;	    /* likewise, taken out of the times of calls */
	uint64_t process_ns;	    /* duration of its recording; 0 = unknown */
	bool is_complete;	    /* these three are known, and how much of its shares is work */
	bool is_idle;		    /* sampled: it never left its wait */
};

struct recording_share { /* of one part in one region */
	uint32_t part, region;
	uint64_t count;
	uint64_t self_ns;
	uint64_t total_ns; /* of outermost visits */
	/* Of these, work; equal to them if the part is not complete and that is not known. */
	uint64_t work_ns, work_total_ns;
};

#endif
