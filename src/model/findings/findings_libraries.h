/* Findings about libraries that were not instrumented. */
#ifndef KYMO_FINDINGS_LIBRARIES_H
#define KYMO_FINDINGS_LIBRARIES_H

struct findings_builder;

/* Add the findings about libraries; out of memory sets builder->has_failed. */
void findings_of_libraries(struct findings_builder *builder);

#endif
