/* The recording on disk, as C structures.  docs/format.md is normative; this file
 * is its transcription and the only place where the runtime and the readers meet.
 *
 * A recording is one file: a header page, then chunks back to back.  Every integer
 * is little endian.  References between records are byte offsets from the start of
 * the file, so that they are valid in the file and in any mapping of it.
 *
 * Nothing here allocates or does I/O.  Context: any. */
#ifndef KYMO_FORMAT_H
#define KYMO_FORMAT_H

#include <stdint.h>

#include "base/clock_pair.h"

#define KYMO_FORMAT_MAGIC   "KYMO\r\n\x1a\n"
#define KYMO_FORMAT_VERSION 1u
#define KYMO_HEADER_SIZE    4096u
#define KYMO_CHUNK_MAGIC    0x4b4e4843u /* "CHNK" */
#define KYMO_CHUNK_ALIGN    4096u
#define KYMO_CLOCK_PAIRS    64
#define KYMO_METRICS_MAX    32
#define KYMO_GATE_LOG_COUNT 64
#define KYMO_NODE_UNIT	    64u /* node references count 64-byte units */
#define KYMO_NO_THREAD	    0xffffffffu

enum kymo_state {
	KYMO_STATE_OPEN = 1,	  /* the process is running, or ended without closing */
	KYMO_STATE_CLOSED = 2,	  /* closed in order at the end of the process */
	KYMO_STATE_ABANDONED = 3, /* replaced by exec or given up after an error */
};

/* Which files the process worked in, as looks from outside saw it (attach/sample/survey.h): kept up
 * to date by another process, which may be in the midst of it.  All 0 = nobody looked. */
#define KYMO_SURVEY_FILES 32

struct kymo_survey {
	uint64_t all_ns;      /* of processors, of the process while it was looked at */
	uint64_t cpu_ns;      /* what looking took, of who looked */
	uint32_t stack_count; /* that were seen */
	uint32_t file_count;
	struct kymo_survey_file {
		uint64_t address; /* any of the file's code in the process */
		uint64_t ns;	  /* its part of all_ns, with the system's libraries it called */
	} files[KYMO_SURVEY_FILES];
};

struct kymo_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint64_t end;	     /* bytes of the file in use; chunks lie in [header_size, end) */
	uint64_t file_bytes; /* bytes reserved so far; the rest behind end is zero */
	uint32_t state;	     /* enum kymo_state */
	uint32_t clock_kind; /* enum kymo_clock_kind */
	uint32_t pid;
	uint32_t parent_pid;
	uint64_t parent_start_ns; /* realtime at which the parent's recording began, 0 if none */
	uint8_t run_id[16];	  /* the same in all recordings of a run */
	uint64_t start_ticks;
	uint64_t end_ticks; /* set when closed, else 0 */
	uint64_t start_realtime_ns;
	uint32_t pair_count; /* valid entries of pairs[] */
	uint32_t metric_count;
	uint32_t metrics[KYMO_METRICS_MAX]; /* enum kymo_metric of the blocks behind each node */
	/* What could not be recorded. */
	uint64_t refused_chunks;
	uint64_t refused_bytes;
	uint64_t lost_events;	    /* events of threads that could not get a record */
	uint64_t stack_aside_count; /* times frame evaluation stepped aside for want of C stack */
	/* What measuring costs, picoseconds, calibrated in this process; 0 = not calibrated. */
	uint64_t cost_enter_exit_ps; /* one enter and exit as recorded in this run */
	uint64_t cost_c_call_ps;     /* one C function enter and exit */
	uint64_t startup_ns;	     /* from the runtime's first instruction to the first event */
	uint64_t process_cpu_ns;     /* CPU time of the process when closed */
	int32_t exit_status;	     /* as known when closed; -1 = unknown */
	uint32_t flags;		     /* KYMO_HEADER_* */
	struct kymo_clock_pair pairs[KYMO_CLOCK_PAIRS];
	/* Switching recording on and off, also from outside: changed by gateword.h only. */
	union {
		struct {
			uint32_t gate;	      /* raised by one at every change: KYMO_GATE_OFF */
			uint32_t gate_causes; /* KYMO_GATE_BY_*: why nothing is recorded */
		};
		uint64_t gate_word; /* both, changed at once */
	};
	uint64_t gate_freed_ticks;		/* when a cause was taken away last */
	uint64_t gate_log[KYMO_GATE_LOG_COUNT]; /* [n % count]: when gate became n */
	/* Of the page with struct kymo_switch, from the file's start; 0 = there is none. */
	uint64_t switch_offset;
	/* Of cost_enter_exit_ps and cost_c_call_ps: between the two readings of the clock, and so
	 * in the visit's own time; the rest is in its caller's.  0 = not known. */
	uint64_t cost_enter_exit_inside_ps;
	uint64_t cost_c_call_inside_ps;
	/* A moment at which the process lived, or that of its end, kept up to date by another
	 * process while the recording is open; all 0 = nobody does. */
	struct kymo_clock_pair heartbeat;
	uint64_t opening_ns; /* of startup_ns, what was over at start_ticks; 0 = not known */
	/* CPU time that is Kymo's, beside that of calls and samples; 0 = not known. */
	uint64_t startup_cpu_ns; /* until the first event, the command's that began the run too */
	uint64_t closing_cpu_ns; /* from the program's end until this was closed */
	uint64_t beside_cpu_ns;	 /* of Kymo's own threads here, or of who records from outside */
	struct kymo_survey survey;
	/* As cost_enter_exit_ps and its part, of a visit of a generator's region, which goes on and
	 * is no call; 0 = it costs as much. */
	uint64_t cost_resume_ps;
	uint64_t cost_resume_inside_ps;
	/* Of steps of the clock of --timing coarse that took longer than 0.5 ms: times of single
	 * calls in them are not known. */
	uint64_t coarse_late_ns;
};

#define KYMO_HEADER_PROFILE  1u	   /* call-path trees are kept */
#define KYMO_HEADER_TRACE    2u	   /* event chunks are kept */
#define KYMO_HEADER_FORKED   4u	   /* began in a forked child; inherited regions and open path */
#define KYMO_HEADER_ROOT     8u	   /* the process that made the run directory */
#define KYMO_HEADER_SAMPLES  16u   /* stacks are sampled */
#define KYMO_HEADER_OUTSIDE  32u   /* written by another process, which watched this one */
#define KYMO_HEADER_MERGED   64u   /* made of other recordings: has PARTS */
#define KYMO_HEADER_MADE     128u  /* made of another tool's file */
#define KYMO_HEADER_SAMPLED  256u  /* counts of the call-path trees are samples */
#define KYMO_HEADER_FINISHED 512u  /* somebody writes the run's outputs at this process's end */
#define KYMO_HEADER_RANK     1024u /* one of a job's ranks, which made the run together */

/* header.gate: an odd number means that nothing is recorded in this process now. */
#define KYMO_GATE_OFF 1u

#define KYMO_GATE_BY_CONTROL 1u /* from outside: kymo ctl */
#define KYMO_GATE_BY_PROGRAM 2u /* by the program itself */
#define KYMO_GATE_BY_WINDOW  4u /* outside of the time windows that were asked for */
#define KYMO_GATE_BY_REGION  8u /* outside of the regions that were selected */

_Static_assert(sizeof(struct kymo_header) <= KYMO_HEADER_SIZE, "the header fits its page");

enum kymo_chunk_type {
	KYMO_CHUNK_STRINGS = 1,
	KYMO_CHUNK_REGIONS = 2,
	KYMO_CHUNK_THREADS = 3,
	KYMO_CHUNK_NODES = 4,
	KYMO_CHUNK_EVENTS = 5,
	KYMO_CHUNK_SERIES = 6,
	KYMO_CHUNK_POINTS = 7,
	KYMO_CHUNK_NOTES = 8,
	KYMO_CHUNK_MODULES = 9,
	KYMO_CHUNK_CODES = 10,	   /* Python code objects that samples refer to */
	KYMO_CHUNK_STACKS = 11,	   /* of one thread: the sampled stacks */
	KYMO_CHUNK_SAMPLES = 12,   /* of one thread: when which stack was seen */
	KYMO_CHUNK_PARTS = 13,	   /* who took part in a merged recording */
	KYMO_CHUNK_SHARES = 14,	   /* how much each had of which region */
	KYMO_CHUNK_FUNCTIONS = 15, /* of one module: what ids of instrumented functions mean */
	KYMO_CHUNK_FUNCTION_EVENTS =
		16, /* of one thread: their enters and exits, as trampolines write */
	KYMO_CHUNK_COUNTDOWNS =
		17,		 /* of one thread: how many calls of each come before it is timed */
	KYMO_CHUNK_TIMED = 18,	 /* of one thread: functions with calls that were timed */
	KYMO_CHUNK_CALLERS = 19, /* of one thread: and where those calls came from */
	KYMO_CHUNK_SWITCH = 20, /* a page that instrumented functions look at: struct kymo_switch */
	KYMO_CHUNK_THROTTLED =
		21, /* of one thread: calls of functions that were only counted later on */
	KYMO_CHUNK_TOTALS =
		22, /* of regions and their callers, where call paths do not tell them */
	KYMO_CHUNK_ESTIMATES = 23, /* how far off these may be, in a merged recording */
	KYMO_CHUNK_WORK = 24,	   /* of shares that are not all work, how much is */
	KYMO_CHUNK_TYPES,
};

struct kymo_chunk {
	uint32_t magic;
	uint16_t type;	      /* enum kymo_chunk_type; unknown types are skipped */
	uint16_t flags;	      /* FUNCTION_EVENTS: KYMO_FUNCTION_EVENTS_*; else 0 */
	uint64_t size;	      /* with this header; a multiple of KYMO_CHUNK_ALIGN */
	uint64_t used;	      /* payload bytes complete; release store.  EVENTS: see below */
	uint32_t thread;      /* owner, or KYMO_NO_THREAD */
	uint32_t record_size; /* bytes a record, 0 = variable */
	uint64_t base; /* EVENTS: ticks the deltas count from.  Tables: id of the first record */
	uint64_t sequence; /* order of chunks of one owner and type */
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_chunk) == 64, "a chunk header is one cache line");

/* SWITCH: the second page of the chunk, which every instrumented function of the process looks
 * at.  Whoever changes the gate, or is_shut, brings is_off up to date (gateword.h). */
struct kymo_switch {
	uint8_t is_off;	 /* the gate is off, or is_shut */
	uint8_t is_shut; /* by the process itself, for other reasons than the gate */
};
#define KYMO_SWITCH_BYTES KYMO_CHUNK_ALIGN

/* STRINGS payload: records of 8-byte alignment; a reference is the file offset of one. */
struct kymo_string {
	uint32_t length; /* bytes without the closing NUL */
	char text[];	 /* UTF-8, surrogates passed through; NUL; padding */
};

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
	KYMO_REGION_PHASE = 11, /* a user's: a stretch of the run that is compared with its like */
	KYMO_REGION_PARAMETER = 12, /* a user's: a call path for each value; arguments = "=value" */
	KYMO_REGION_PROGRESS = 13,  /* a user's progress point; arguments = "", " begin", " end" */
	KYMO_REGION_INSTANT = 14,   /* names an instant or a message; never entered */
};

/* How the label is to be composed. */
#define KYMO_REGION_LABEL_FILE	    1u
#define KYMO_REGION_LABEL_LINE	    2u
#define KYMO_REGION_LABEL_FULL_PATH 4u
#define KYMO_REGION_GENERATOR	    8u /* generator, coroutine or async generator */
/* arguments = "(0x…)", the address of the lock, thread … that is waited for; readers put
 * the name of a static object there, from the modules and their symbols. */
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
	uint32_t root_node;   /* 0 when there is no tree */
	uint32_t reserved;
	uint64_t name;	       /* string reference, 0 = none; atomic, may be set late */
	uint64_t lost_events;  /* enters that could not be recorded */
	uint64_t folded;       /* enters beyond the depth or path limit */
	uint64_t resynced;     /* exits that did not match the open region */
	uint64_t cpu_ns;       /* CPU time used while recorded, 0 = unknown */
	uint64_t trace_enters; /* enters written as events when there is no tree */
	uint64_t misused_ends; /* ends of users' regions that were not open, or not innermost */
	uint64_t never_ended;  /* users' regions that were open when the thread ended */
	uint64_t waited_ns;    /* others had the processor while it was ready, 0 = not known */
	union {
		uint64_t off_ticks;    /* of that, what is in no time of its timed calls */
		uint64_t measuring_ns; /* MERGED: what was taken out of its times before */
	};
};
_Static_assert(sizeof(struct kymo_thread_record) == 128, "thread record");

#define KYMO_THREAD_FIBER   1u /* not a system thread: a greenlet's fiber */
#define KYMO_THREAD_ADOPTED 2u /* ran before recording began */
#define KYMO_THREAD_IDLE    4u /* of a merged recording: sampled, and never left its wait */

/* NODES payload: nodes of chunk.record_size bytes = 64 * (1 + header.metric_count).
 * A reference is the file offset / 64.  A parent's reference is always written before
 * its children exist; the tree is rebuilt from the parent references alone.
 *
 * A node is open while enter != 0.  Times are ticks. */
struct kymo_node {
	uint32_t region;
	uint32_t parent; /* 0 for the root */
	uint32_t cache;	 /* the runtime's: most recent child; readers ignore it */
	uint16_t depth;	 /* root 0, saturates at 65535 */
	uint16_t flags;	 /* KYMO_NODE_* */
	uint64_t count;	 /* enters */
	uint64_t enter;	 /* ticks of the open enter, else 0 */
	uint64_t sum;	 /* closed visits; KYMO_NODE_FOLDED: exclusive time */
	uint64_t min;	 /* of closed visits; UINT64_MAX before the first */
	uint64_t max;
	double sum_squares;
};
_Static_assert(sizeof(struct kymo_node) == 64, "a node is one cache line");

#define KYMO_NODE_FOLDED    1u /* beyond the limit: all deeper visits of the region, flat */
#define KYMO_NODE_INHERITED 2u /* open already when this recording began; enter not counted */

/* Block k behind a node holds metric header.metrics[k]; value in the metric's unit. */
struct kymo_node_metric {
	uint64_t count; /* closed visits */
	uint64_t enter; /* reading at the open enter */
	double sum;
	double min;
	double max;
	double sum_squares;
	/* MERGED: what to add to sum and to sum_squares to have them exact; else 0 */
	int64_t sum_rest, squares_rest;
};
_Static_assert(sizeof(struct kymo_node_metric) == 64, "metric block");

/* In recordings that are MERGED, behind the metrics of each node: what sums need that are to
 * stay whole numbers when they are added to further ones. */
struct kymo_node_exact {
	uint64_t closed;  /* closed visits, in the place of what count says of them */
	uint64_t self;	  /* own ticks */
	uint64_t squares; /* sum of the squares of closed visits' ticks, the lower half */
	uint64_t squares_high;
	uint64_t reserved[4];
};
_Static_assert(sizeof(struct kymo_node_exact) == 64, "block of exact sums");

struct kymo_part {    /* PARTS payload; number = chunk.base + index: a thread that was merged */
	uint64_t run; /* string references, 0 = unknown: name of the run's folder */
	uint64_t program;
	uint64_t host;
	uint64_t thread_name;
	uint8_t run_id[16];
	uint32_t pid;
	uint32_t thread;	    /* its number in its recording */
	int32_t rank;		    /* of MPI, -1 = none */
	uint32_t flags;		    /* KYMO_PART_* */
	uint64_t start_realtime_ns; /* of its recording */
	uint64_t duration_ns;	    /* of the thread */
	uint64_t cpu_ns;	    /* likewise, 0 = unknown */
	uint64_t outside_ns;	    /* in no recorded region */
	/* From here on not in recordings whose records are shorter. */
	uint64_t measuring_ns; /* taken out of the times of calls */
	uint64_t process_ns;   /* duration of its recording */
};
_Static_assert(sizeof(struct kymo_part) == 112, "part record");
#define KYMO_PART_LEAST 96u /* bytes of the shortest record */

/* For flags of parts. */
#define KYMO_PART_COMPLETE 1u /* the last three times are known, and what of shares is work */
#define KYMO_PART_IDLE	   2u /* sampled: it never left its wait */

#define KYMO_TOTAL_OF_REGION UINT32_MAX /* for caller: whoever called it */

/* TOTALS payload: what the source of a made recording says of a region, or of the calls of it by
 * one caller, whatever the call paths come to.  Those of the same three numbers add up. */
struct kymo_total {
	uint32_t thread;
	uint32_t region;
	uint32_t caller; /* a region, or KYMO_TOTAL_OF_REGION */
	uint32_t reserved;
	uint64_t count;
	uint64_t primitive_count; /* calls while it was not open already */
	uint64_t self_ns;
	uint64_t total_ns; /* of outermost visits */
};
_Static_assert(sizeof(struct kymo_total) == 48, "total record");

/* With a chance of 95 % the truth is not further away than off and the root of squares: errors
 * that have nothing to do with each other add up as squares, those that go the same way everywhere
 * as they are.  Whole numbers, so that it does not matter in which order. */
struct kymo_error {
	uint64_t off;
	uint64_t squares, squares_high; /* bits 0-63, 64-127 */
};

enum kymo_error_of {
	KYMO_TOTAL_BELOW, /* ns */
	KYMO_TOTAL_ABOVE,
	KYMO_SELF_BELOW,
	KYMO_SELF_ABOVE,
	KYMO_CALLS_BELOW, /* calls */
	KYMO_CALLS_ABOVE,
	KYMO_ERRORS
};

#define KYMO_ESTIMATE_OF_TIME 1u /* for flags: the times are estimates, not the calls alone */

/* ESTIMATES payload: how far off what flat tables have of a function that was counted may be, or
 * of the calls of it by one caller.  Those of the same thread, region and caller add up. */
struct kymo_estimate {
	uint32_t thread;
	uint32_t region;
	uint32_t caller; /* a region, or KYMO_TOTAL_OF_REGION */
	uint32_t flags;	 /* KYMO_ESTIMATE_* */
	struct kymo_error errors[KYMO_ERRORS];
	/* Sum of the squares of the calls that a caller may have made of which none was seen: of a
	 * region in all processes, of a caller in those in which it was seen. */
	uint64_t unseen, unseen_high;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_estimate) == 192, "estimate record");

/* SHARES payload: records of unsigned LEB128 numbers, one after the other:
 *   number   region id less that of the record before, times 2, plus 1: another part begins
 *   [number] then: part less that of the record before
 *   number   enters
 *   number   own nanoseconds
 *   number   nanoseconds of outermost visits, less the own ones
 * A chunk begins with part chunk.base and region 0, a part with region 0. */
#define KYMO_SHARE_RECORD_MAX 50u

/* WORK payload: records like those of SHARES, of enters 0 and nanoseconds of work, in the same
 * order.  What has a share and no record here is all work. */

/* EVENTS payload: 64-bit words.  A record is one head word and, by kind, further words.
 * The head is written last; a zero head ends the chunk (used is not maintained while
 * the chunk is written).  Head: bits 0-39 ticks since the chunk's base (or since the
 * last TIME record), 40-60 region id, 61-63 kind. */
enum kymo_event_kind {
	KYMO_EVENT_END = 0,
	KYMO_EVENT_ENTER = 1,
	KYMO_EVENT_LEAVE = 2,	  /* by return or yield */
	KYMO_EVENT_UNWIND = 3,	  /* left by an exception */
	KYMO_EVENT_RESUME = 4,	  /* enter of a generator; word 1 = its identity */
	KYMO_EVENT_ANNOTATED = 5, /* enter; word 1 = bytecode offset, identity in the upper half */
	KYMO_EVENT_TIME = 6,	  /* word 1 = new base, ticks */
	KYMO_EVENT_EXTENDED = 7,  /* id bits 40-47 extension, 48-55 further words */
};

enum kymo_event_extension {
	KYMO_EXTENDED_ENTER = 1,   /* word 1 = region id too wide for the head */
	KYMO_EXTENDED_INSTANT = 2, /* word 1 = region id */
	KYMO_EXTENDED_LOST = 3,	   /* word 1 = events not recorded before this one */
	KYMO_EXTENDED_LEAVE = 4,   /* leave; word 1 = region id too wide for the head */
	/* Every open region is left: collection stopped.  Word 1 = region id: but the innermost
	 * one of it, and what is outside of that; 0 or absent = none stays. */
	KYMO_EXTENDED_UNWIND_ALL = 5,
	/* A value that belongs to the enter, leave or instant before it, or to the value before
	 * it, and so to the same event.  Word 1 = string reference of
	 * its name, enum kymo_value_type in bits 56-63; word 2 = the value. */
	KYMO_EXTENDED_VALUE = 6,
	/* A message or dependency between threads.  Word 1 = region id of its name; word 2 =
	 * what sender and receiver have in common. */
	KYMO_EXTENDED_SEND = 7,
	KYMO_EXTENDED_RECEIVE = 8,
};

enum kymo_value_type {
	KYMO_VALUE_TEXT = 1, /* the value is a string reference */
	KYMO_VALUE_SIGNED = 2,
	KYMO_VALUE_UNSIGNED = 3,
	KYMO_VALUE_FLOAT = 4, /* bits of a double */
	KYMO_VALUE_POINTER = 5,
};

#define KYMO_EVENT_TICK_BITS   40
#define KYMO_EVENT_REGION_BITS 21
#define KYMO_EVENT_TICK_MAX    ((UINT64_C(1) << KYMO_EVENT_TICK_BITS) - 1)
#define KYMO_EVENT_REGION_MAX  ((1u << KYMO_EVENT_REGION_BITS) - 1)

static inline uint64_t kymo_event_head(enum kymo_event_kind kind, uint32_t region, uint64_t ticks)
{
	return ((uint64_t)kind << 61) | ((uint64_t)region << KYMO_EVENT_TICK_BITS) | ticks;
}

static inline enum kymo_event_kind kymo_event_kind(uint64_t head)
{
	return (enum kymo_event_kind)(head >> 61);
}

static inline uint32_t kymo_event_region(uint64_t head)
{
	return (uint32_t)(head >> KYMO_EVENT_TICK_BITS) & KYMO_EVENT_REGION_MAX;
}

static inline uint64_t kymo_event_ticks(uint64_t head)
{
	return head & KYMO_EVENT_TICK_MAX;
}

/* FUNCTIONS payload: one table, behind it count struct kymo_function_range, and up to its end
 * struct kymo_function_code, by offset.  Names are found by the address, like those of samples.  A
 * later table may give the same ids again, with the same ranges: the module was loaded a second
 * time. */
struct kymo_function_table {
	uint64_t start;	   /* address in the process that offsets count from */
	uint64_t ticks;	   /* when the module was patched */
	uint32_t first_id; /* of the first range */
	uint32_t count;
	uint32_t cost;	  /* 1 counts, 2 coarse, 3 full */
	uint32_t taken;	  /* ranges with KYMO_FUNCTION_TAKEN */
	uint64_t cost_ps; /* what one call costs more, calibrated, picoseconds; 0 = not known */
	/* Counts: what timing a call takes, ticks, taken off the time of each; 0 = not known. */
	uint64_t timing_ticks;
	uint64_t code; /* address in the process of what records their calls; 0 = not known */
	uint32_t code_size;
	uint32_t inside_ps; /* of cost_ps, between a call's two readings; 0 = not known */
};
_Static_assert(sizeof(struct kymo_function_table) == 64, "function table");

/* INFO note: picoseconds that recording a call of an empty function takes, one that works beside
 * it, and how long that works. */
#define KYMO_FUNCTION_COSTS_NOTE "costs of calls"

/* INFO note: the clock was read when all work before it was done; its text is "serialized". */
#define KYMO_SERIALIZED_NOTE "times of calls"

/* INFO note: what it costs to count one call of a function that is only counted, picoseconds. */
#define KYMO_COUNTED_CALL_COST_NOTE "cost of counted calls"

struct kymo_function_code { /* whose the code is from offset on, up to the next one */
	uint32_t offset;
	uint32_t id; /* UINT32_MAX: several functions' */
};

struct kymo_function_range {
	uint32_t offset;
	uint32_t size_flags; /* bytes, KYMO_FUNCTION_* in the upper six bits */
};
#define KYMO_FUNCTION_TAKEN	   0x80000000u /* instrumented: others are there for their callees */
#define KYMO_FUNCTION_NO_EXIT	   0x40000000u /* its ends are not seen: calls only */
#define KYMO_FUNCTION_TAIL_CALLS   0x20000000u /* may end in another function */
#define KYMO_FUNCTION_UNPATCHED	   0x10000000u /* taken out while running: budget */
/* Its body is called by its trampoline, so that its calls have exits of their own, also where they
 * ended in another function, if that is not called likewise. */
#define KYMO_FUNCTION_CALL_THROUGH 0x08000000u
#define KYMO_FUNCTION_LOOP	   0x04000000u /* a loop of the function that it lies in */
#define KYMO_FUNCTION_SIZE_MASK	   0x03ffffffu

/* FUNCTION_EVENTS payload: the records of patch/apply/patchabi.h from the chunk's start to a
 * PATCH_MARK_END, or, in a chunk with this flag, those with marks of time to the chunk's end; used
 * is not maintained. chunk.base: ticks that the first record counts from.  Frames stay open from
 * one chunk to the next. */
#define KYMO_FUNCTION_EVENTS_MARKED 1u

/* COUNTDOWNS payload: int32_t by function id, the first is chunk.base.  Several make one table.
 * Negative: a call that found nothing left was abandoned by a jump out of a signal handler, and
 * further ones came. */

/* What a timed call stands for: its weight is how many calls came for each one that was timed
 * at that time, 1 while all are.  What weights and ticks of ended calls add up to: */
struct kymo_timed_sums {
	uint64_t ended;	       /* timed calls whose end was seen */
	uint64_t ticks;	       /* of those */
	double squares;	       /* sum of the squares of their ticks */
	double weights;	       /* of their weights */
	double weighted_ticks; /* of weight * ticks */
	double spread;	       /* of weight * (weight - 1) */
	double spread_ticks;   /* of weight * (weight - 1) * ticks */
	double spread_squares; /* of weight * (weight - 1) * ticks^2 */
};
_Static_assert(sizeof(struct kymo_timed_sums) == 64, "sums of timed calls");

struct kymo_timed { /* TIMED payload; complete when due is not 0 */
	uint32_t id;
	uint32_t sampling_interval; /* one in so many is timed now: the weight of the next */
	uint64_t due; /* calls when its COUNTDOWNS has come to 0: calls = due - left */
	uint64_t timed;
	uint64_t min, max; /* of those that ended */
	uint64_t owed;	   /* ticks of timing that calls so far were too short to have taken off */
	uint64_t reserved[2];
	struct kymo_timed_sums sums;
};
_Static_assert(sizeof(struct kymo_timed) == 128, "timed function record");

struct kymo_timed_caller { /* CALLERS payload; complete when timed is not 0 */
	uint32_t id;	   /* the callee */
	uint32_t timed;
	uint64_t return_address; /* behind the call; 0 = all others, there was no room */
	uint64_t reserved[6];
	struct kymo_timed_sums sums;
};
_Static_assert(sizeof(struct kymo_timed_caller) == 128, "caller record");

/* THROTTLED payload: throttled functions, called too often to be recorded.  Their calls from then
 * on are counted here, and nowhere else. */
struct kymo_throttled { /* complete when calls is not 0 */
	uint32_t id;
	uint32_t reserved;
	uint64_t since; /* ticks */
	uint64_t calls; /* while the recording is open, some tenths of a second behind */
	uint64_t reserved2;
};
_Static_assert(sizeof(struct kymo_throttled) == 32, "record of a throttled function");

struct kymo_series { /* SERIES payload; id = chunk.base + index */
	uint64_t name;
	uint64_t unit;
	uint32_t thread; /* or KYMO_NO_THREAD */
	uint32_t reserved[3];
};

struct kymo_point { /* POINTS payload */
	uint64_t ticks;
	uint32_t series;
	uint32_t reserved;
	double value;
};

/* MODULES payload: a file that is mapped executable or holds static data, as it was seen
 * at some time.  A later record may cover the same addresses. */
struct kymo_module {
	uint64_t start, end; /* addresses of all its segments */
	uint64_t bias;	     /* address = value in the file's symbol table + bias */
	uint64_t path;	     /* string reference */
	uint64_t build_id;   /* string reference of hexadecimal digits, 0 = none */
	uint64_t ticks;	     /* when it was seen */
	uint64_t name;	     /* string reference: the link it was asked for by, 0 = by path */
	uint64_t reserved;
};
_Static_assert(sizeof(struct kymo_module) == 64, "module record");

/* CODES payload; id = chunk.base + index.  A Python code object as the sampler found it; one
 * that took the place of another at the same address has an id of its own. */
struct kymo_code {
	uint64_t name;	   /* string references, 0 = could not be read */
	uint64_t qualname; /* from 3.11 on, else 0 */
	uint64_t file;
	uint64_t lines; /* string reference of the raw line table, 0 = none: no line but first */
	uint32_t first_line;
	uint16_t version; /* of the interpreter, major << 8 | minor: the form of lines */
	uint16_t flags;	  /* KYMO_CODE_* */
	uint64_t address;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct kymo_code) == 64, "code record");

#define KYMO_CODE_GENERATOR 1u /* generator, coroutine or async generator */

/* STACKS payload; id = chunk.base + index, ids of one thread begin at 1.  A stack is named by
 * its innermost frame; its callers are found through the parents, which have smaller ids. */
struct kymo_stack_node {
	uint64_t frame;	 /* see kymo_frame_kind() */
	uint32_t parent; /* id of the caller in the same thread, 0 = outermost */
	uint32_t reserved;
};
_Static_assert(sizeof(struct kymo_stack_node) == 16, "stack node");

/* A frame is one word; bits 62-63 say of which kind. */
enum kymo_frame_kind {
	/* Bits 0-61: the address that was executing; in callers one inside the call. */
	KYMO_FRAME_NATIVE = 0,
	/* Bits 32-61: id of the code; bits 0-31: offset of the instruction in bytes, or
	 * KYMO_FRAME_NO_OFFSET. */
	KYMO_FRAME_PYTHON = 1,
	/* The thread was inside the kernel, by a system call.  Bits 48-61: its number; bits 0-47:
	 * its first argument where that is an address (of a futex), or bits 0-31 a descriptor
	 * and 32-35 enum kymo_descriptor_kind. */
	KYMO_FRAME_KERNEL = 2,
	KYMO_FRAME_MARK = 3, /* bits 0-7: enum kymo_frame_mark */
};
#define KYMO_FRAME_NO_OFFSET 0xffffffffu
#define KYMO_FRAME_NO_CALL   0x3fffu /* a system call whose number is not known */

enum kymo_frame_mark {
	KYMO_MARK_CUT = 1,	 /* further callers were left out: the stack is too deep */
	KYMO_MARK_LOST = 2,	 /* further callers were not found: no rule, or not readable */
	KYMO_MARK_UNCERTAIN = 3, /* Python and native frames did not fit: order is a guess */
	KYMO_MARK_NO_STACK = 4,	 /* nothing of the stack is known */
};

enum kymo_descriptor_kind {
	KYMO_DESCRIPTOR_UNKNOWN = 0,
	KYMO_DESCRIPTOR_FILE = 1,
	KYMO_DESCRIPTOR_PIPE = 2,
	KYMO_DESCRIPTOR_SOCKET = 3,
	KYMO_DESCRIPTOR_TERMINAL = 4,
	KYMO_DESCRIPTOR_OTHER = 5, /* event descriptors, timers, devices */
};

static inline uint64_t kymo_frame(enum kymo_frame_kind kind, uint64_t content)
{
	return (uint64_t)kind << 62 | (content & ((UINT64_C(1) << 62) - 1));
}

static inline enum kymo_frame_kind kymo_frame_kind(uint64_t frame)
{
	return (enum kymo_frame_kind)(frame >> 62);
}

static inline uint64_t kymo_frame_content(uint64_t frame)
{
	return frame & ((UINT64_C(1) << 62) - 1);
}

/* SAMPLES payload: records of bytes, one after the other; numbers are unsigned LEB128.
 *   head byte      bits 0-2 enum kymo_sample_kind, bit 3 a CPU time follows, bits 4-5 enum
 *                  kymo_gil_state, bit 6 reserved, bit 7 a value follows
 *   number         sampled time in units of 1024 ticks, since that of the record before; the
 *                  first record of a chunk: since chunk.base
 *   number         id of the stack in the thread's STACKS, 0 = none; not in BEGIN and LOST
 *   [number]       CPU time of the thread since its sample of that kind before, or its BEGIN,
 *                  in units of 1024 ns
 *   [number]       OVERFLOW: events since then; LOST: samples not recorded
 * A sample stands for the time since the thread's sample of that kind, or its BEGIN, before:
 * readers weigh with that, so that shares are right whatever rate arrived. */
enum kymo_sample_kind {
	KYMO_SAMPLE_BEGIN = 0, /* sampling of this thread began, or went on after a pause */
	KYMO_SAMPLE_REALTIME = 1,
	KYMO_SAMPLE_CPUTIME = 2,
	KYMO_SAMPLE_OVERFLOW = 3,
	KYMO_SAMPLE_LOST = 4, /* value samples came to nothing before this */
	KYMO_SAMPLE_KINDS = 5,
};
#define KYMO_SAMPLE_HAS_CPU   8u
#define KYMO_SAMPLE_GIL_SHIFT 4
#define KYMO_SAMPLE_HAS_VALUE 0x80u
#define KYMO_SAMPLE_UNIT_BITS 10 /* units of 1024 ticks, and of 1024 ns */

enum kymo_gil_state {
	KYMO_GIL_UNKNOWN = 0, /* no Python in this thread, or not known */
	KYMO_GIL_NOT_HELD = 1,
	KYMO_GIL_HELD = 2,
	KYMO_GIL_WAITED_FOR = 3,
};

enum kymo_note_kind {
	KYMO_NOTE_INFO = 1,    /* key = what, value = text: command, executable, host … */
	KYMO_NOTE_SETTING = 2, /* key = name, value = value used */
	KYMO_NOTE_ENVIRONMENT = 3,
	KYMO_NOTE_MODULE = 4,  /* key = path, value = build id */
	KYMO_NOTE_WARNING = 5, /* the data is suspect: key = area, value = one sentence */
	KYMO_NOTE_LOSS = 6,    /* something was not recorded: likewise */
	/* What a metric from KYMO_METRIC_NAMED on is: key = its value in header.metrics,
	 * decimal; value = name, unit and description, a line each. */
	KYMO_NOTE_METRIC = 7,
	/* MERGED: a note not all processes had: key = its key, value = its kind, the number of
	 * those that had it, and its text, separated by blanks; see docs/format.md. */
	KYMO_NOTE_VARIES = 8,
};

struct kymo_note {     /* NOTES payload, 8-byte aligned */
	uint32_t size; /* of the whole record, a multiple of 8 */
	uint16_t kind;
	uint16_t key_length;
	uint64_t ticks;
	char text[]; /* key, NUL, value, NUL, padding */
};

/* Numbers are pinned.  What they are called: metric.h. */
enum kymo_metric {
#define METRIC(number, id, name, unit, sums, thread, text) KYMO_METRIC_##id = (number),
#include "format/metrics.def"
#undef METRIC
	KYMO_METRIC_COUNT
};

/* From here on a metric is what a note of the recording says: counters, which each program
 * that records chooses among more than could be listed here. */
#define KYMO_METRIC_NAMED 256u

#endif
