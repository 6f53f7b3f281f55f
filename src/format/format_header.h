/* The header page of a recording: the file, the process, its clock, and the cost of recording. */
#ifndef KYMO_FORMAT_HEADER_H
#define KYMO_FORMAT_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock_pair.h"

#define KYMO_FORMAT_MAGIC	      "KYMO\r\n\x1a\n"
#define KYMO_FORMAT_VERSION	      1u
/* Of recordings with KYMO_HEADER_POSITIONS, which readers of version 1 would misread. */
#define KYMO_FORMAT_VERSION_POSITIONS 2u
#define KYMO_HEADER_SIZE	      4096u
#define KYMO_CHUNK_MAGIC	      0x4b4e4843u /* "CHNK" */
#define KYMO_CHUNK_ALIGN	      4096u
#define KYMO_CLOCK_PAIRS	      64
#define KYMO_METRICS_MAX	      32
#define KYMO_GATE_LOG_COUNT	      64
#define KYMO_NODE_UNIT		      64u /* node references count 64-byte units */
#define KYMO_NO_THREAD		      0xffffffffu

enum kymo_state {
	KYMO_STATE_OPEN = 1,	  /* the process is running, or ended without closing */
	KYMO_STATE_CLOSED = 2,	  /* closed at the end of the process */
	KYMO_STATE_ABANDONED = 3, /* replaced by exec or given up after an error */
};

/* Which files the process worked in, as sampled from outside (attach/sample/survey.h): updated
 * by another process, possibly just now.  All 0 = not sampled. */
#define KYMO_SURVEY_FILES 32

struct kymo_survey {
	uint64_t all_ns;      /* of processors, of the process while it was sampled */
	uint64_t cpu_ns;      /* CPU time of the sampling process */
	uint32_t stack_count; /* that were sampled */
	uint32_t file_count;
	struct kymo_survey_file {
		uint64_t address; /* any of the file's code in the process */
		uint64_t ns;	  /* its part of all_ns, including system libraries it called */
	} files[KYMO_SURVEY_FILES];
};

struct kymo_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size;
	uint64_t end;	     /* bytes of the file in use; chunks are in [header_size, end) */
	uint64_t file_bytes; /* bytes reserved so far; those after end are zero */
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
	uint32_t metrics[KYMO_METRICS_MAX]; /* enum kymo_metric of the blocks after each node */
	/* What could not be recorded. */
	uint64_t refused_chunks;
	uint64_t refused_bytes;
	uint64_t lost_events;	    /* events of threads that could not get a record */
	uint64_t stack_aside_count; /* times frame evaluation skipped a frame for lack of C stack */
	/* The cost of measuring, picoseconds, calibrated in this process; 0 = not calibrated. */
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
			uint32_t gate;	      /* incremented at every change: KYMO_GATE_OFF */
			uint32_t gate_causes; /* KYMO_GATE_BY_*: why nothing is recorded */
		};
		uint64_t gate_word; /* both, changed at once */
	};
	uint64_t gate_freed_ticks;		/* when a cause was last removed */
	uint64_t gate_log[KYMO_GATE_LOG_COUNT]; /* [n % count]: when gate became n */
	/* Of the page with struct kymo_switch, from the file's start; 0 = none. */
	uint64_t switch_offset;
	/* Of cost_enter_exit_ps and cost_c_call_ps: between the two readings of the clock, and
	 * so in the visit's own time; the rest is in its caller's.  0 = unknown. */
	uint64_t cost_enter_exit_inside_ps;
	uint64_t cost_c_call_inside_ps;
	/* A time at which the process was alive, or that of its end, updated by another process
	 * while the recording is open; all 0 = none. */
	struct kymo_clock_pair heartbeat;
	uint64_t opening_ns; /* of startup_ns, the part before start_ticks; 0 = unknown */
	/* CPU time that is Kymo's, except that of calls and samples; 0 = unknown. */
	uint64_t startup_cpu_ns; /* until the first event, including the command that began the run
				  */
	uint64_t closing_cpu_ns; /* from the program's end until this was closed */
	uint64_t beside_cpu_ns;	 /* of Kymo's own threads here, or of the process that records from
				    outside */
	struct kymo_survey survey;
	/* As cost_enter_exit_ps and its part, for a visit of a generator's region, which is
	 * resumed instead of called; 0 = the same cost. */
	uint64_t cost_resume_ps;
	uint64_t cost_resume_inside_ps;
	/* Of steps of the clock of --timing coarse that took longer than 0.5 ms: times of single
	 * calls in them are unknown. */
	uint64_t coarse_late_ns;
};

#define KYMO_HEADER_PROFILE   1u    /* call-path trees are kept */
#define KYMO_HEADER_TRACE     2u    /* event chunks are kept */
#define KYMO_HEADER_FORKED    4u    /* began in a forked child; inherited regions and open path */
#define KYMO_HEADER_ROOT      8u    /* the process that made the run directory */
#define KYMO_HEADER_SAMPLES   16u   /* stacks are sampled */
#define KYMO_HEADER_OUTSIDE   32u   /* written by another process, which watched this one */
#define KYMO_HEADER_MERGED    64u   /* made of other recordings: has PARTS */
#define KYMO_HEADER_MADE      128u  /* made of another tool's file */
#define KYMO_HEADER_SAMPLED   256u  /* counts of the call-path trees are samples */
#define KYMO_HEADER_FINISHED  512u  /* another process writes the outputs at this one's end */
#define KYMO_HEADER_RANK      1024u /* one of a job's ranks, which made the run together */
/* Visits in the call-path trees were counted, and not timed: times are of sampled positions. */
#define KYMO_HEADER_POSITIONS 2048u

static inline bool kymo_format_is_known(const struct kymo_header *header)
{
	return header->version == KYMO_FORMAT_VERSION ||
	       header->version == KYMO_FORMAT_VERSION_POSITIONS;
}

/* header.gate: an odd number means that nothing is recorded in this process now. */
#define KYMO_GATE_OFF 1u

#define KYMO_GATE_BY_CONTROL 1u /* from outside: kymo ctl */
#define KYMO_GATE_BY_PROGRAM 2u /* by the program itself */
#define KYMO_GATE_BY_WINDOW  4u /* outside of the requested time windows */
#define KYMO_GATE_BY_REGION  8u /* outside of the selected regions */

_Static_assert(sizeof(struct kymo_header) <= KYMO_HEADER_SIZE, "the header fits its page");

#endif
