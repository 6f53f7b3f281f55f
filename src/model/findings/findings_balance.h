/* What stands out between ranks, processes, threads and repeated runs. */
#ifndef KYMO_FINDINGS_BALANCE_H
#define KYMO_FINDINGS_BALANCE_H

struct findings_builder;

/* Add what there is of balance; without memory builder->has_failed is set. */
void findings_of_balance(struct findings_builder *builder);

#endif
