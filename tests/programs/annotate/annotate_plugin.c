/* A library with regions, loaded and unloaded by annotate_loads.c. */
#include <kymo/kymo.h>

int plugin_run(void);
int plugin_run(void)
{
	int result;

	KYMO_REGION("plugin");
	KYMO_PROGRESS_NAMED("visits");
	result = kymo_region_begin("shared");
	kymo_region_end("shared");
	return result;
}

void plugin_leaves_open(void);
void plugin_leaves_open(void)
{
	kymo_region_begin("left open");
}
