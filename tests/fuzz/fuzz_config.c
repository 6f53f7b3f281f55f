/* Any bytes as a configuration file: parsed leniently, so that reading goes on behind what
 * is wrong, with every assignment applied to real settings. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/files/configfile.h"
#include "config/files/config_text.h"
#include "config/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum kymo_status assign(void *object, const char *key, const char *value, unsigned int line,
			       struct problem *problem)
{
	char *quoted = config_quote(value);

	(void)line;
	if (quoted == NULL)
		abort();
	free(quoted);
	settings_set(object, key, value, SETTING_FROM_FILE, problem);
	return KYMO_OK;
}

static enum kymo_status go_on(void *object, const char *what, unsigned int line,
			      struct problem *problem)
{
	(void)object;
	(void)problem;
	if (what == NULL || line == 0)
		abort();
	return KYMO_OK;
}

static const char *look_up(void *object, enum config_reference kind, const char *name)
{
	int id = settings_find(name);

	if (kind == CONFIG_REFERENCE_ENVIRONMENT)
		return name[0] == 'H' ? "/home/me" : NULL;
	return id >= 0 ? settings_text(object, (enum setting_id)id) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct settings *settings = settings_new();
	struct config_sink sink = {settings, assign, go_on, look_up};
	struct problem problem;

	if (settings == NULL)
		return 0;
	config_parse((const char *)data, size, &sink, &problem);
	settings_free(settings);
	return 0;
}
