/* What the tests of output names share: a program, its environment, and what names become. */
#ifndef KYMO_OUTPUTNAME_FIXTURE_H
#define KYMO_OUTPUTNAME_FIXTURE_H

#include "config/outputname.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const arguments[] = {"/usr/bin/foo", "-n", "./data/in.txt", NULL};
static const char *const environment[] = {"HOME=/home/me", "EMPTY=", NULL};
static const char *const ranked[] = {"OMPI_COMM_WORLD_RANK=3", "OMPI_COMM_WORLD_SIZE=8",
				     "SLURM_JOB_ID=77", NULL};
static struct settings *settings;
static struct output_context context;

static inline void use_environment(const char *const *variables)
{
	context.environment = (char *const *)variables;
}

static inline int set_up(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	tzset();
	settings = settings_new();
	context = (struct output_context){.argv = arguments,
					  .pid = getpid(),
					  .parent_pid = getppid(),
					  .launch_time = 1643632200, /* 2022-01-31 12:30 UTC */
					  .settings = settings};
	use_environment(environment);
	return settings != NULL ? 0 : -1;
}

static inline int tear_down(void **state)
{
	(void)state;
	settings_free(settings);
	return 0;
}

static inline void assert_text(char *text, const char *expected)
{
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
