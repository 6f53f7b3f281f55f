/* What the percentages in a table of samples refer to, and how long threads computed or waited.
 *
 * Borrows nothing.  One thread. */
#ifndef KYMO_SAMPLE_SHARES_H
#define KYMO_SAMPLE_SHARES_H

#include "model/profile/loaded_run.h"
#include "model/profile/region_union.h"

struct sample_shares {
	enum sampled_by weight;
	bool is_chosen;		    /* the weight is the default one */
	bool has_wall, has_cpu;	    /* whether these are known */
	double cpu_s;		    /* on a processor, of all threads */
	double wall_s, waiting_s;   /* of all threads; of that, waiting */
	double idle_s;		    /* of that, threads that only waited */
	uint32_t idle_thread_count; /* if they are one region */
};

/* Zeros where the trees of a run are not of samples. */
void sample_shares_of(const struct loaded_run *loaded, struct sample_shares *out);

/* "of the 1.84 s that threads were on a processor; ..."; "" = there are no times. */
void sample_shares_text(const struct sample_shares *shares, char *text, size_t size);

/* Seconds that threads waited in each region itself, by its number in the union; thread: as in
 * flat_view_new().  The caller frees; NULL = no memory. */
double *sample_waits_of(const struct loaded_run *loaded, const struct region_union *regions,
			uint32_t thread);

#endif
