/* Findings about differences between ranks, processes, threads and repeated runs. */
#ifndef KYMO_FINDINGS_BALANCE_H
#define KYMO_FINDINGS_BALANCE_H

struct findings_builder;

/* Add the findings about balance; out of memory sets builder->has_failed. */
void findings_of_balance(struct findings_builder *builder);

#endif
