/* Used if yajl was missing when Kymo was built: JSON cannot be read. */
#include "import/json_events.h"

const char *const json_events_missing = "yajl";

enum kymo_status json_events(const struct import_source *source, json_event_fn receive,
			     void *context, struct json_end *end_out)
{
	(void)source;
	(void)receive;
	(void)context;
	*end_out = (struct json_end){.why = "this build has no yajl"};
	return KYMO_UNAVAILABLE;
}
