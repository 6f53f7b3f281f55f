/* Findings about libraries that were not instrumented. */
#include "model/findings/findings_libraries.h"

#include "model/findings/findings_builder.h"
#include "model/findings/library_advice.h"

#define GO_WEIGHT 0.10 /* of all time: how much Go's functions take is not known */

void findings_of_libraries(struct findings_builder *builder)
{
	struct library_advice advice;

	if (builder->whole_ns <= 0)
		return;
	if (!library_advice_init(&advice, builder->loaded, builder->view))
		builder->has_failed = true;
	if (advice.libraries)
		finding_add(builder,
			    (struct finding){.kind = "libraries",
					     .view = "by-module",
					     .region = advice.region,
					     .cost_s = advice.libraries_s},
			    "%s", advice.libraries);
	if (advice.go)
		finding_add(builder,
			    (struct finding){.kind = "Go",
					     .view = "by-module",
					     .region = FINDING_NO_REGION,
					     .cost_s = GO_WEIGHT * builder->whole_ns * 1e-9},
			    "%s", advice.go);
	library_advice_release(&advice);
}
