/* What threads wait for, and processors that nobody uses. */
#ifndef KYMO_FINDINGS_WAITS_H
#define KYMO_FINDINGS_WAITS_H

struct findings_builder;

/* Add what there is of waits; without memory builder->has_failed is set. */
void findings_of_waits(struct findings_builder *builder);

#endif
