/* Facts about a run that a report prints besides its profile: durations, overhead, and what the
 * recordings lack. */
#ifndef KYMO_RUN_FACTS_H
#define KYMO_RUN_FACTS_H

#include "model/profile/loaded_run.h"
#include "model/profile/sample_facts.h"
#include "model/profile/time_base.h"

struct run_facts {
	const char *program; /* what the root process executed last; belongs to the run */
	uint32_t pid;	     /* of the root process */
	uint64_t start_realtime_ns;
	double duration_s;	   /* from the first start to the last end */
	double process_duration_s; /* sum over the processes */
	size_t process_count;	   /* a process counts once, whatever it executes */
	size_t thread_count;
	uint64_t call_count, c_call_count;
	struct time_base base; /* what percentages of times refer to */
	double waiting_s;      /* of that, in calls that wait for another thread */
	double cost_s;	       /* of recording the calls */
	double taken_out_s;    /* of it, what is excluded from the times of calls */
	double preempted_s;   /* others had the processor: likewise excluded from the times of calls
			       */
	double coarse_late_s; /* during which the clock of --timing coarse was late */
	double short_calls_s; /* in calls whose times are less accurate:
				 model/functions/short_calls.h */
	double startup_s;     /* of starting */
	double opening_s;     /* of that, before the recordings began: not in the durations */
	double closing_s;     /* of closing the recordings, after the program's end */
	double beside_s;      /* of Kymo's own threads and processes */
	double outputs_s;     /* CPU time of writing the outputs after the end; 0 = not known */
	double cost_percent;  /* run_facts_cost_s(), of process_duration_s and opening_s */
	struct sample_facts samples;
	bool is_calibrated;	  /* cost_s is known */
	bool has_unknown_cost;	  /* the cost of some calls is not known */
	uint64_t estimated_count; /* functions whose times are estimates, of all processes */
	bool has_positions;	  /* calls were counted; times are of where threads were seen */
	uint64_t position_count;  /* how often a thread was seen; 0 = not known, as in a merge */
	double position_s;	  /* of the threads that were looked at, all together */
	/* If other tools recorded some of it: the file that was imported, and how many more there
	 * were; is_imported: they recorded all of it.  Belongs to the run. */
	const char *imported_from;
	size_t imported_more;
	bool is_imported;
	size_t open_count; /* regions open in processes that did not close */
	char **losses;	   /* one line each: what is missing or suspect */
	size_t loss_count;
};

enum kymo_status run_facts_new(const struct loaded_run *loaded, struct run_facts **out);
void run_facts_free(struct run_facts *facts);

/* Overhead until the program's end: CPU time as far as it is known.  Seconds. */
double run_facts_cost_s(const struct run_facts *facts);

/* Whether cost_s and cost_percent are the overhead: false for what other tools recorded, and if no
 * process calibrated the cost of its calls. */
bool run_facts_know_cost(const struct run_facts *facts);

#endif
