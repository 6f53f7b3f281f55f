/* One recording, opened for reading: its tables with every reference checked.
 *
 * The file is mapped read-only and may be truncated, corrupted or still being written;
 * what cannot be trusted is left out and said in problems, never followed.  Strings and
 * arrays belong to the recording and live until recording_free().  Not thread-safe. */
#ifndef KYMO_RECORDING_H
#define KYMO_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/format.h"

/* The reader's own flag: it stands for one line of a function, which is in line. */
#define REGION_IS_LINE 0x80000000u

struct region { /* index = region id; index 0 is the root */
	enum kymo_region_kind kind;
	uint32_t flags;	      /* KYMO_REGION_*, REGION_IS_LINE */
	const char *name;     /* never NULL */
	const char *qualname; /* the rest: NULL = unknown */
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
	uint64_t misused_ends; /* ends of users' regions: not open, or not the innermost */
	uint64_t never_ended;  /* users' regions that were open when the thread ended */
	uint64_t measuring_ns; /* taken out of its times before they were merged */
	uint64_t waited_ns;    /* others had the processor while it was ready; 0 = not known */
	uint64_t off_ticks;    /* of that, what is in no time of its timed calls */
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
	uint64_t ticks;	      /* when it was seen; a later one may cover the same addresses */
	const char *path;     /* never NULL */
	const char *name;     /* what people know it by: path, or a link to it; never NULL */
	const char *build_id; /* hexadecimal digits, NULL = none */
};

/* One thread of a process that was merged into this recording, which then has its time in
 * each region: who was who. */
struct recording_part {
	const char *run, *program, *host, *thread_name; /* NULL = unknown; run: its folder */
	uint8_t run_id[16]; /* of its recording; with pid and start it tells processes apart */
	uint32_t pid, thread;
	int32_t rank;		    /* of MPI, -1 = none */
	uint64_t start_realtime_ns; /* of the process */
	uint64_t duration_ns;	    /* of the thread */
	uint64_t cpu_ns;	    /* likewise, 0 = unknown */
	uint64_t outside_ns;	    /* likewise, in no recorded region */
	uint64_t measuring_ns;	    /* likewise, taken out of the times of calls */
	uint64_t process_ns;	    /* duration of its recording; 0 = unknown */
	bool is_complete;	    /* these three are known, and what of its shares is work */
	bool is_idle;		    /* sampled: it never left its wait */
};

struct recording_share { /* of one part in one region */
	uint32_t part, region;
	uint64_t count;
	uint64_t self_ns;
	uint64_t total_ns; /* of outermost visits */
	/* Of these, work; where the part is not complete that is not known, and they are equal. */
	uint64_t work_ns, work_total_ns;
};

struct chunk_index;
struct functions;

struct recording {
	char *path;
	struct kymo_header header; /* a copy, already made consistent */
	const unsigned char *data; /* the mapping */
	uint64_t size;		   /* bytes of data that may be read */
	struct region *regions;
	uint32_t region_count;
	size_t region_capacity;
	struct thread *threads;
	uint32_t thread_count;
	struct note *notes;
	size_t note_count;
	struct series *series;
	size_t series_count;
	struct module *modules; /* in the order they were seen */
	size_t module_count;
	struct recording_part *parts; /* of a merged recording */
	uint32_t part_count;
	struct functions *functions; /* that were instrumented; NULL = none */
	char **texts;		     /* made by the reader in the place of texts of the file */
	size_t text_count;
	uint64_t end_ticks; /* closing time, or the latest time found */
	bool is_closed;	    /* closed in order */
	char **problems;    /* one line each: what is wrong and what was left out */
	size_t problem_count;
	struct chunk_index *chunks; /* the reader's own: where the chunks lie */
	bool is_mapped;		    /* likewise: data is to be unmapped */
	bool is_raw;		    /* times are wanted with what measuring took */
	bool has_each_call;	    /* every call is wanted as a node, where they were recorded */
	bool is_own;		    /* nobody but its user and root can have written the file */
};

/* Open path; another user's file is refused (base/owner.h).  On failure *out is untouched and
 * problem has the line. */
enum kymo_status recording_open(const char *path, struct recording **out, struct problem *problem);
/* As recording_open(), over bytes the caller keeps alive (tests, fuzzing). */
enum kymo_status recording_open_bytes(const void *data, size_t size, struct recording **out,
				      struct problem *problem);
void recording_free(struct recording *recording);
/* What was read of the file need not stay in memory: it is read again where it is needed. */
void recording_let_go(const struct recording *recording);

/* Ticks to nanoseconds since the recording's start, or of CLOCK_MONOTONIC or
 * CLOCK_REALTIME: linear between the calibration pairs, never decreasing. */
int64_t recording_ns(const struct recording *recording, uint64_t ticks);
/* How long a thread was there: to the end of the recording where it has none of its own. */
uint64_t recording_thread_ns(const struct recording *recording, uint32_t number);
uint64_t recording_monotonic_ns(const struct recording *recording, uint64_t ticks);
uint64_t recording_realtime_ns(const struct recording *recording, uint64_t ticks);
/* Nanoseconds a tick, for durations. */
double recording_tick_ns(const struct recording *recording);

/* Value of the last note of that kind and key, NULL when there is none. */
const char *recording_note(const struct recording *recording, enum kymo_note_kind kind,
			   const char *key);

/* The string at a reference as the file has it; NULL for 0 and for what is no string. */
const char *recording_string(const struct recording *recording, uint64_t reference);
/* Likewise one that is any bytes. */
const unsigned char *recording_bytes(const struct recording *recording, uint64_t reference,
				     uint32_t *size_out);

/* A region of the reader's own; its texts must live as long as the recording.  Pointers to
 * regions, as rows have them, are no longer valid.  Its id; 0 = no memory. */
uint32_t recording_add_region(struct recording *recording, const struct region *region);
/* A copy of text that lives as long as the recording; NULL = no memory. */
const char *recording_keep(struct recording *recording, const char *text);

/* Nobody else has had a say in what is in it: it is this user's or root's file, and not made of
 * what others wrote, by an import or a merge. */
bool recording_is_own(const struct recording *recording);
/* Key of the note (KYMO_NOTE_INFO) of one that is made of others'. */
#define RECORDING_OTHERS_NOTE "made of others' recordings"

/* Base name of the program or script ("example.py"), never NULL. */
const char *recording_program(const struct recording *recording);

enum trace_event_kind {
	TRACE_ENTER,
	TRACE_LEAVE,
	TRACE_UNWIND, /* left by an exception */
	TRACE_INSTANT,
	TRACE_LOST,    /* value events are missing here */
	TRACE_SEND,    /* value: the same as that of the matching TRACE_RECEIVE */
	TRACE_RECEIVE, /* of the region's name */
};

struct trace_event {
	enum trace_event_kind kind;
	uint32_t thread;
	uint32_t region;
	uint64_t ticks;
	uint64_t identity;	  /* of the generator resumed, 0 = none */
	int32_t last_instruction; /* bytecode offset, -1 = not recorded */
	bool is_synthetic; /* added by the reader to close what was open or was not matched */
	uint64_t value;
};

/* All events of one thread in order; enters and leaves always balance: leaves without
 * an enter are dropped and counted, enters still open are closed at the end.  Memory is
 * bounded by the depth of the stack, not by the length of the trace. */
struct trace_cursor;
enum kymo_status trace_cursor_new(const struct recording *recording, uint32_t thread,
				  struct trace_cursor **out);
bool trace_cursor_next(struct trace_cursor *cursor, struct trace_event *event_out);
/* A value that belongs to the enter or instant just given, with its name; to be called until
 * it is false, or not at all. */
struct trace_value {
	const char *name;
	enum kymo_value_type type;
	union {
		const char *text; /* never NULL */
		int64_t number;	  /* SIGNED */
		uint64_t natural; /* UNSIGNED, POINTER */
		double real;
	} as;
};
bool trace_cursor_value(struct trace_cursor *cursor, struct trace_value *value_out);
/* True when the event just given and all that follow close what was open at the end. */
bool trace_cursor_is_at_end(const struct trace_cursor *cursor);
/* Records that came to nothing so far: leaves that match no enter, ids that are unknown. */
uint64_t trace_cursor_dropped(const struct trace_cursor *cursor);
void trace_cursor_free(struct trace_cursor *cursor);

/* There are events, or records of calls one by one: a trace of some thread. */
bool recording_has_trace(const struct recording *recording);
/* Total of event words in the recording's event chunks. */
uint64_t recording_event_words(const struct recording *recording);

/* Points of all series in file order: *index begins at 0 and is advanced, its values mean
 * nothing else; false at the end. */
bool recording_point(const struct recording *recording, uint64_t *index, struct kymo_point *out);

struct share_stream { /* a place among the records of a type of chunks */
	size_t chunk;
	uint64_t offset; /* in it */
	uint32_t part, region;
};
/* The shares of all parts in file order; false at the end.  position begins as zeros. */
struct share_position {
	struct share_stream shares, work;
	struct recording_share next_work; /* self and total are work */
	bool has_work;			  /* next_work is a record */
	bool is_begun;
};
bool recording_share(const struct recording *recording, struct share_position *position,
		     struct recording_share *out);

#endif
