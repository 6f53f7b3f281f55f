/* Opening and closing the runtime.  No failure here stops the program: it continues without a
 * recording.  Serves session.h. */
#include "runtime/lifecycle/session.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/keeperrno.h"
#include "config/categories.h"
#include "config/settings.h"
#include "config/settings_load.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/gate.h"
#include "runtime/control/samplingnotify.h"
#include "runtime/counters.h"
#include "runtime/lifecycle/quiesce.h"
#include "runtime/lifecycle/finish_process.h"
#include "runtime/lifecycle/finish_outside.h"
#include "runtime/lifecycle/forking.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/lifecycle/opening.h"
#include "runtime/lifecycle/owncost.h"
#include "runtime/lifecycle/recordmode.h"
#include "runtime/lifecycle/reopen.h"
#include "runtime/lifecycle/rundir.h"
#include "runtime/metricread.h"
#include "runtime/modules.h"
#include "runtime/log.h"
#include "runtime/standarderror.h"
#include "runtime/store/callpath.h"
#include "runtime/store/describe.h"
#include "runtime/store/note.h"
#include "runtime/store/pagecost.h"
#include "runtime/store/recordfile.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/helper_control.h"
#include "runtime/threads/positions_helper.h"
#include "runtime/threads/thread.h"
#include "runtime/threads/threadname.h"
#include "runtime/user/userbind.h"
#include "runtime/user/userstack.h"
#include "runtime/visitcost.h"

struct session session;

static uint64_t opened_ns; /* CLOCK_MONOTONIC at the first instruction */

char *const *session_environment(void)
{
	return session.environment ? session.environment : environ;
}

bool session_ensure(void)
{
	if (session.state == KYMO_RUNTIME_ACTIVE)
		return true;
	return session.state == SESSION_FORKED && forking_resume();
}

static void lifecycle_fill_header(uint32_t metric_count, const uint32_t *metrics)
{
	struct kymo_header *header = store.header;
	struct stat status;

	header->pid = (uint32_t)getpid();
	header->parent_pid = (uint32_t)rundir_parent();
	if (stat(session.directory, &status) == 0) {
		memcpy(header->run_id, &status.st_dev, 8);
		memcpy(header->run_id + 8, &status.st_ino, 8);
	}
	if (session.mode & KYMO_MODE_PROFILE)
		header->flags |= KYMO_HEADER_PROFILE;
	if (session.mode & KYMO_MODE_TRACE)
		header->flags |= KYMO_HEADER_TRACE;
	if (session.mode & KYMO_MODE_POSITIONS) {
		header->flags |= KYMO_HEADER_POSITIONS;
		header->version = KYMO_FORMAT_VERSION_POSITIONS;
	}
	if (session.is_root)
		header->flags |= KYMO_HEADER_ROOT | (session.is_rank ? KYMO_HEADER_RANK : 0);
	header->flags |= sampling_header_flag();
	header->metric_count = metric_count;
	memcpy(header->metrics, metrics, metric_count * sizeof(*metrics));
}

int session_record(void)
{
	uint64_t limit = (uint64_t)settings_integer(session.settings, SET_RECORD_LIMIT_MB) << 20;
	uint32_t metrics[KYMO_METRICS_MAX], count;
	char unknown[256];
	int result;

	count = metrics_select(settings_text(session.settings, SET_TIMEMORY_COMPONENTS), metrics,
			       unknown, sizeof(unknown));
	count = session.mode & KYMO_MODE_PROFILE ? counters_select(metrics, count) : 0;
	result = recordfile_create(limit);
	if (result != 0)
		return result;
	lifecycle_fill_header(count, metrics);
	if (!session.is_forked)
		store.header->opening_ns =
			usage_clock_ns(CLOCK_MONOTONIC) - opened_ns + owncost_before_ns();
	rundir_first_pair();
	/* Before the recording has its name, so that every readable one has its times. */
	if (!session.is_forked)
		store_calibrate_start();
	if (count)
		session.mode |= KYMO_MODE_METRICS;
	result = recordfile_publish();
	if (result != 0)
		store_abandon();
	return result;
}

static void lifecycle_choose_level(void)
{
	bool is_quiet = settings_bool(session.settings, SET_QUIET) ||
			settings_integer(session.settings, SET_VERBOSE) < 0;

	log_choose(is_quiet ? KYMO_LOG_ERROR : KYMO_LOG_NOTE);
}

/* In a run that others began, they have printed them. */
static void lifecycle_print_warnings(void)
{
	if (settings_text(session.settings, SET_RUN_DIR)[0] != '\0')
		return;
	for (size_t i = 0; i < settings_warning_count(session.settings); i++)
		kymo_log(KYMO_LOG_WARNING, "%s", settings_warning(session.settings, i));
}

static int lifecycle_load_settings(const char *const *overrides, char *reason, size_t size)
{
	struct problem problem = {""};
	int result;

	session.settings = settings_new();
	if (!session.settings) {
		snprintf(reason, size, "out of memory");
		return KYMO_ERROR;
	}
	result = settings_load(session.settings, session_environment(), overrides, &problem);
	if (result == KYMO_OK && settings_bool(session.settings, SET_ENABLED))
		result = recordmode_check(&problem);
	if (result != KYMO_OK) {
		snprintf(reason, size, "%s", problem.text);
		return KYMO_USAGE;
	}
	filemode_choose(settings_text(session.settings, SET_OUTPUT_ACCESS));
	lifecycle_choose_level();
	lifecycle_print_warnings();
	return 0;
}

static int open_session(const struct kymo_runtime_options *options, char *reason, size_t size)
{
	int result = lifecycle_load_settings(options->settings, reason, size);

	if (result < 0)
		return result;
	if (!settings_bool(session.settings, SET_ENABLED)) {
		snprintf(reason, size, "KYMO_ENABLED is off");
		return -1;
	}
	clock_select(settings_text(session.settings, SET_CLOCK));
	session.mode = recordmode_of_settings();
	session.hides_user = !kymo_runtime_records("user");
	callpath_limit((uint32_t)settings_integer(session.settings, SET_MAX_DEPTH),
		       (uint64_t)settings_integer(session.settings, SET_MAX_CALLPATHS));
	if (rundir_open(options->argv, reason, size) < 0)
		return -1;
	result = session_record();
	if (result == 0)
		result = kymo_fork_follow();
	if (result != 0) {
		snprintf(reason, size, "cannot create the recording '%s': %s", session.working,
			 strerror(result));
		return -1;
	}
	threads_init();
	return 0;
}

int kymo_runtime_abi(void)
{
	return KYMO_RUNTIME_ABI;
}

static bool wants_residence(const struct kymo_runtime_options *options)
{
	return options->size >= offsetof(struct kymo_runtime_options, is_resident) + sizeof(bool) &&
	       options->is_resident;
}

static char *const *given_environment(const struct kymo_runtime_options *options)
{
	bool is_there = options->size >= offsetof(struct kymo_runtime_options, environment) +
						 sizeof(options->environment);

	return is_there ? options->environment : NULL;
}

static uint64_t given_beginning(const struct kymo_runtime_options *options)
{
	return options->size >= sizeof(*options) ? options->began_ns : 0;
}

/* If nothing closed the recording, for example because an interpreter dropped its exit handlers.
 * This library is never unloaded. */
static void end_unclosed(int status, void *unused)
{
	(void)unused;
	if (!session.is_resident && session.pid == getpid())
		kymo_runtime_close(status & 0xff);
}

/* Settings of a further caller for an open recording: it can choose for itself, but not how the
 * recording is made. */
static int merge_settings(const char *const *settings, char *reason, size_t size)
{
	struct problem problem = {""};

	for (; settings && *settings; settings++) {
		const char *equals = strchr(*settings, '=');
		char name[64];

		if (!equals || (size_t)(equals - *settings) >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(equals - *settings), *settings);
		if (settings_set(session.settings, name, equals + 1, SETTING_FROM_COMMAND,
				 &problem) == KYMO_OK)
			continue;
		snprintf(reason, size, "%s", problem.text);
		return KYMO_USAGE;
	}
	return 0;
}

/* For any kind of end: a run that was made without a launcher has no watcher. */
static void prepare_end(void)
{
	static bool is_registered;

	if (session.is_finisher)
		standarderror_keep();
	if (session.is_finisher && settings_text(session.settings, SET_RUN_DIR)[0] == '\0')
		finish_outside_watch();
	if (!session.is_resident && !is_registered)
		is_registered = on_exit(end_unclosed, NULL) == 0;
}

/* Where nothing can be sampled every call is timed: nothing was recorded yet. */
static void begin_positions(void)
{
	bool is_begun;

	if (!(session.mode & KYMO_MODE_POSITIONS))
		return;
	is_begun = positions_helper_open();
	if (!store_lock())
		return;
	if (is_begun) {
		note_write(KYMO_NOTE_INFO, KYMO_POSITIONS_NOTE, "sampled");
	} else {
		session.mode &= ~KYMO_MODE_POSITIONS;
		store.header->flags &= ~KYMO_HEADER_POSITIONS;
		store.header->version = KYMO_FORMAT_VERSION;
		note_write(
			KYMO_NOTE_WARNING, "timing",
			"timing is full, not sampled: no thread could be made that samples where "
			"threads are");
	}
	store_unlock();
}

int kymo_runtime_open(const struct kymo_runtime_options *options, char *reason, size_t size)
{
	KEEP_ERRNO();
	int result;

	if (session.state == KYMO_RUNTIME_ACTIVE)
		return merge_settings(options->settings, reason, size);
	if (session.state != KYMO_RUNTIME_NEW && given_environment(options))
		reopen_begin();
	if (session.state != KYMO_RUNTIME_NEW) {
		snprintf(reason, size, "the recording was closed already");
		return -1;
	}
	/* With rights that its caller does not have, settings and paths must not be the
	 * caller's. */
	if (getauxval(AT_SECURE) != 0) {
		snprintf(reason, size, "the program runs with other rights than its caller's");
		session.state = KYMO_RUNTIME_DISABLED;
		return -1;
	}
	opened_ns = usage_clock_ns(CLOCK_MONOTONIC);
	owncost_open(given_beginning(options));
	session.pid = getpid();
	session.is_resident = wants_residence(options);
	session.environment = given_environment(options);
	standarderror_init();
	threadname_init();
	result = open_session(options, reason, size);
	if (result == 0 && store_lock()) {
		if (reopen_is_due())
			reopen_tables();
		else
			tables_init();
		describe_process(options->argv);
		counters_note();
		gate_open();
		store_unlock();
	}
	if (result == 0 && session.is_resident)
		rundir_export();
	if (result == 0)
		begin_positions();
	session.state = result == 0 ? KYMO_RUNTIME_ACTIVE : KYMO_RUNTIME_DISABLED;
	if (result == 0) {
		prepare_end();
		if (session.is_resident)
			visitcost_measure();
		userbind_open();
		opening_notify();
	}
	return result;
}

static void close_store(int exit_status)
{
	int result;

	if (!session.is_restricted)
		modules_close();
	if (!store_lock())
		return;
	threads_end();
	if (exit_status >= 0)
		store.header->exit_status = exit_status;
	if (!session.is_restricted)
		store.header->process_cpu_ns = usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (session.is_finisher && !session.is_restricted)
		store.header->flags |= KYMO_HEADER_FINISHED;
	result = store_close();
	store_unlock();
	if (session.is_restricted)
		return;
	if (result != 0 && !store.is_full)
		kymo_log(KYMO_LOG_NOTE,
			 "cannot shorten the recording '%s': %s; it is complete nevertheless",
			 session.working, strerror(result));
	owncost_close();
	recordfile_move();
}

void session_end(int exit_status)
{
	KEEP_ERRNO();

	if (session.state == KYMO_RUNTIME_ACTIVE) {
		owncost_end();
		sampling_notify_closing(true);
		if (!session.is_restricted)
			helpers_stop();
		counters_close();
		close_store(exit_status);
		if (session.is_finisher && !session.is_restricted)
			finish_run_process();
	}
}

void kymo_runtime_close(int exit_status)
{
	if (session.is_resident) {
		if (session.state == KYMO_RUNTIME_ACTIVE && exit_status >= 0)
			store.header->exit_status = exit_status;
		return;
	}
	if (session.state == SESSION_FORKED)
		session.state = KYMO_RUNTIME_CLOSED;
	session_end(exit_status);
}

enum kymo_runtime_state kymo_runtime_state(void)
{
	return session.state == SESSION_FORKED ? KYMO_RUNTIME_ACTIVE
					       : (enum kymo_runtime_state)session.state;
}

const char *kymo_runtime_directory(void)
{
	return session.directory;
}

const char *kymo_runtime_recording(void)
{
	return session.recording;
}

const char *kymo_runtime_setting(const char *name)
{
	int id = session.settings ? settings_find(name) : -1;

	return id < 0 ? NULL : settings_text(session.settings, (enum setting_id)id);
}

bool kymo_runtime_records(const char *category)
{
	return !session.settings ||
	       category_is_on(settings_text(session.settings, SET_ENABLE_CATEGORIES),
			      settings_text(session.settings, SET_DISABLE_CATEGORIES), category);
}

unsigned kymo_runtime_mode(void)
{
	return session.mode;
}

void kymo_runtime_ready(void)
{
	if (session.state != KYMO_RUNTIME_ACTIVE || session.is_forked ||
	    store.header->startup_ns != 0)
		return;
	store.header->startup_ns =
		usage_clock_ns(CLOCK_MONOTONIC) - opened_ns + owncost_before_ns();
	owncost_ready();
}

uint64_t kymo_page_byte_ps(void)
{
	return session.state == KYMO_RUNTIME_ACTIVE ? pagecost_byte_ps() : 0;
}

bool kymo_clock_is_ticks(void)
{
	return clock_is_ticks();
}

/* The event after the one that fills a chunk begins the next chunk, after its time was taken:
 * page costs of an enter's event are in the caller's time, those of a leave's in the visit's. */
static struct kymo_visit_cost with_pages(const struct kymo_visit_cost *cost, uint64_t enter_words,
					 uint64_t word_ps)
{
	struct kymo_visit_cost all = {0, 0};

	if (cost->all_ps > 0)
		all = (struct kymo_visit_cost){cost->all_ps + (enter_words + 1) * word_ps,
					       cost->inside_ps + word_ps};
	return all;
}

void kymo_cost_set(const struct kymo_visit_costs *costs)
{
	struct kymo_visit_cost call, resume, c;
	uint64_t word_ps;

	if (session.state != KYMO_RUNTIME_ACTIVE)
		return;
	word_ps = session.mode & KYMO_MODE_TRACE ? sizeof(uint64_t) * pagecost_byte_ps() : 0;
	call = with_pages(&costs->call, 1, word_ps);
	resume = with_pages(&costs->resume, 2, word_ps); /* it also names the generator */
	c = with_pages(&costs->c_call, 1, word_ps);
	store.header->cost_enter_exit_ps = call.all_ps;
	store.header->cost_enter_exit_inside_ps = call.inside_ps;
	store.header->cost_resume_ps = resume.all_ps;
	store.header->cost_resume_inside_ps = resume.inside_ps;
	store.header->cost_c_call_ps = c.all_ps;
	store.header->cost_c_call_inside_ps = c.inside_ps;
}

void kymo_stack_aside_count(void)
{
	if (session.state == KYMO_RUNTIME_ACTIVE)
		__atomic_add_fetch(&store.header->stack_aside_count, 1, __ATOMIC_RELAXED);
}
