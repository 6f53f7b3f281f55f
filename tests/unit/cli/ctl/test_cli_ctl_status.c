/* What `kymo ctl RUN status` says of processes. */
#include "cli/ctl/ctl_status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/printed_fixture.h"
#include "ctl_fixture.h"

static void print_table(void *context)
{
	ctl_status(context, false);
}

static void print_json(void *context)
{
	ctl_status(context, true);
}

/* The recording of a process that lives, for these reasons without recording; the caller
 * frees. */
static char *status_of(uint32_t causes, void (*print)(void *context))
{
	struct synthetic *made = ctl_recording(0);
	struct ctl_run run;
	char *text;

	synthetic_header(made)->gate_causes = causes;
	synthetic_header(made)->gate = causes ? KYMO_GATE_OFF : 0;
	ctl_put(made, "one.kymo");
	run = ctl_opened(folder);
	text = printed_on(stdout, print, &run);
	ctl_run_release(&run);
	return text;
}

static void assert_says(char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("there is no '%s' in\n%s", part, text);
	free(text);
}

static void test_the_strongest_cause_is_shown(void **state)
{
	(void)state;
	assert_says(status_of(0, print_table), " recording ");
	assert_says(status_of(KYMO_GATE_BY_CONTROL | KYMO_GATE_BY_REGION, print_table),
		    " stopped ");
	assert_says(status_of(KYMO_GATE_BY_PROGRAM | KYMO_GATE_BY_WINDOW, print_table),
		    " stopped by program ");
	assert_says(status_of(KYMO_GATE_BY_WINDOW, print_table), " outside of its windows ");
	assert_says(status_of(KYMO_GATE_BY_REGION, print_table), " outside of its regions ");
}

static void test_a_row_a_process(void **state)
{
	char *text = status_of(0, print_table), pid[32], *line = strchr(text, '\n');

	(void)state;
	snprintf(pid, sizeof(pid), "%d ", (int)getpid());
	assert_non_null(strstr(text, "PID"));
	assert_non_null(strstr(text, "SINCE"));
	assert_non_null(line);
	assert_non_null(strstr(line, pid));
	assert_non_null(strstr(line, " kB "));
	free(text);
}

static void test_json_has_all_causes(void **state)
{
	char pid[32];

	(void)state;
	snprintf(pid, sizeof(pid), "\"pid\":%d", (int)getpid());
	assert_says(status_of(0, print_json), "\"causes\":[]");
	assert_says(status_of(KYMO_GATE_BY_CONTROL | KYMO_GATE_BY_REGION, print_json),
		    "\"causes\":[\"control\",\"region\"]");
	assert_says(status_of(KYMO_GATE_BY_CONTROL, print_json), "\"state\":\"stopped\"");
	assert_says(status_of(0, print_json), "\"living\":1");
	assert_says(status_of(0, print_json), "\"threads\":1");
	assert_says(status_of(0, print_json), pid);
}

/* Why a process did not record is nothing to be changed when it has ended. */
static void test_a_process_that_has_ended_has_no_causes(void **state)
{
	struct synthetic *made = ctl_recording(0);
	struct ctl_run run;

	(void)state;
	synthetic_header(made)->gate_causes = KYMO_GATE_BY_CONTROL;
	synthetic_header(made)->state = KYMO_STATE_CLOSED;
	ctl_put(made, "one.kymo");
	run = ctl_opened(folder);
	assert_says(printed_on(stdout, print_table, &run), " ended ");
	assert_says(printed_on(stdout, print_json, &run), "\"causes\":[]");
	ctl_run_release(&run);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_the_strongest_cause_is_shown),
		IN_FOLDER(test_a_row_a_process),
		IN_FOLDER(test_json_has_all_causes),
		IN_FOLDER(test_a_process_that_has_ended_has_no_causes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
