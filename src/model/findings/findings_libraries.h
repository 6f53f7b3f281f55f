/* What works unseen in an instrumented program. */
#ifndef KYMO_FINDINGS_LIBRARIES_H
#define KYMO_FINDINGS_LIBRARIES_H

struct findings_builder;

/* Add what there is of libraries; without memory builder->has_failed is set. */
void findings_of_libraries(struct findings_builder *builder);

#endif
