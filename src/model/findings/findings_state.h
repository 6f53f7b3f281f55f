/* Findings about memory, and about the recording itself. */
#ifndef KYMO_FINDINGS_STATE_H
#define KYMO_FINDINGS_STATE_H

struct findings_builder;

/* Add the findings about memory and the recording; out of memory sets builder->has_failed. */
void findings_of_state(struct findings_builder *builder);

#endif
