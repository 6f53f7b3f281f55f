/* A command that runs a program, in a folder of its own. */
#ifndef KYMO_RUN_FIXTURE_H
#define KYMO_RUN_FIXTURE_H

#include "cli/commands_fixture.h"
#include "cli/folder_fixture.h"
#include "cli/run/run_command.h"

/* run_release() it. */
static inline struct run_command run_of(char **program)
{
	struct run_command run = {.settings = settings_new(), .program = program};

	assert_non_null(run.settings);
	return run;
}

static inline void run_set(struct run_command *run, const char *name, const char *value)
{
	assert_int_equal(settings_set(run->settings, name, value, SETTING_FROM_COMMAND, NULL),
			 KYMO_OK);
}

/* Asked for by an option: what is chosen is set, too. */
static inline void run_choose(struct run_command *run, enum setting_id id, const char *value)
{
	run_set(run, setting_table[id].name, value);
	assert_int_equal(vocabulary_choose(&run->request, id, value, false, NULL), KYMO_OK);
}

static inline void run_release(struct run_command *run)
{
	for (int id = 0; id < SETTING_COUNT; id++)
		free(run->request.choices[id].value);
	settings_free(run->settings);
}

#endif
