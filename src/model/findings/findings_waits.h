/* Findings about waits of threads, and about unused processors. */
#ifndef KYMO_FINDINGS_WAITS_H
#define KYMO_FINDINGS_WAITS_H

struct findings_builder;

/* Add the findings about waits; out of memory sets builder->has_failed. */
void findings_of_waits(struct findings_builder *builder);

#endif
