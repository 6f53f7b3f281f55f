/* The table of collectors, and which of them the settings need. */
#include "config/collectors.h"

#define COUNT_SETTINGS(...) (sizeof((const int[]){0, ##__VA_ARGS__}) / sizeof(int) - 1)

const struct collector_info collector_table[] = {
#define COLLECTOR(name, when, summary, ...)                                                        \
	{#name, "libkymo-" #name ".so", summary, when, {__VA_ARGS__}, COUNT_SETTINGS(__VA_ARGS__)},
#include "config/collectors.def"
#undef COLLECTOR
};
const size_t collector_count = sizeof(collector_table) / sizeof(*collector_table);

static bool collectors_is_on(const struct settings *settings, enum setting_id id)
{
	if (setting_table[id].type == SETTING_BOOL)
		return settings_bool(settings, id);
	return settings_text(settings, id)[0] != '\0';
}

bool collector_is_wanted(const struct collector_info *collector, const struct settings *settings)
{
	bool is_asked = collector->setting_count == 0;

	for (size_t i = 0; i < collector->setting_count; i++)
		is_asked |= collectors_is_on(settings, collector->settings[i]);
	if (collector->when == RECORDS_CALLS)
		is_asked &= settings_bool(settings, SET_PROFILE) || settings_keep_events(settings);
	return is_asked;
}
