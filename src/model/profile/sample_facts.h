/* Facts about the samples of a run that a report prints: how many, at which rate they arrived,
 * their overhead and losses. */
#ifndef KYMO_SAMPLE_FACTS_H
#define KYMO_SAMPLE_FACTS_H

#include "model/samples/samples.h"
#include "model/tree/calltree.h"

struct sample_facts {
	uint64_t count; /* of all kinds */
	uint64_t counts[KYMO_SAMPLE_KINDS];
	uint64_t made_count; /* of count: in trees that were made of samples earlier */
	double covered_s[KYMO_SAMPLE_KINDS]; /* wall or, of CPUTIME, CPU time they stand for */
	uint64_t lost;
	double cost_s; /* of sampling, in the program */
	/* How each kind was taken, by the first process that noted it; NULL = unknown. */
	const char *ways[KYMO_SAMPLE_KINDS];
};

/* Add those of one process; its recording must outlive the facts. */
void sample_facts_add(struct sample_facts *facts, const struct samples *samples);

/* Add those of a tree that was made of samples in another recording; other trees have none. */
void sample_facts_add_tree(struct sample_facts *facts, const struct calltree *tree);

/* "12,345 by wall time, 99.4 a second of each thread (100 Hz asked, timers)"; "" = none. */
void sample_facts_text(const struct sample_facts *facts, char *text, size_t size);

#endif
