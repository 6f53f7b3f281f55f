/* What stands out about memory, and about the recording itself. */
#ifndef KYMO_FINDINGS_STATE_H
#define KYMO_FINDINGS_STATE_H

struct findings_builder;

/* Add what there is of memory and the recording; without memory builder->has_failed is set. */
void findings_of_state(struct findings_builder *builder);

#endif
