/* kymo attach: samples a running program from outside, or instruments it. */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach/sample/attachrun.h"
#include "base/array.h"
#include "base/text/plaintext.h"
#include "cli/attach/attach_dump.h"
#include "cli/attach/attach_functions.h"
#include "cli/attach/attach_options.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/results/cmd_finish.h"
#include "config/run/rundirectory.h"
#include "platform/systemclock.h"

static volatile sig_atomic_t must_stop;

static void attach_stop(int signal)
{
	(void)signal;
	must_stop = 1;
}

/* A second one of these signals ends kymo as usual. */
static void catch_signals(void)
{
	const struct sigaction action = {.sa_handler = attach_stop, .sa_flags = (int)SA_RESETHAND};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
}

static enum kymo_status attach_place(void *context, const struct target *target, char *directory,
				     size_t size, struct problem *problem)
{
	const struct attach_request *request = context;
	enum kymo_status status = attach_make_directory(request, target, directory, size, problem);

	if (status == KYMO_OK && !attach_is_quiet(request))
		plaintext_print(stderr, "kymo: sampling process %d (%s)%s\n", (int)target->pid,
				target->name,
				request->duration_s > 0 ? ""
							: "; Ctrl-C ends it and shows the result");
	return status;
}

static void attach_print_line(void *context, const char *line)
{
	if (!attach_is_quiet(context))
		plaintext_print(stderr, "kymo: %s\n", line);
}

static void attach_print_result(const struct attachrun_result *result, double asked)
{
	fprintf(stderr, "kymo: %llu samples in %.3g s, at %.4g Hz",
		(unsigned long long)result->samples, result->seconds, result->rate);
	if (result->rate < 0.95 * asked)
		fprintf(stderr, " of %g requested", asked);
	if (result->lost > 0)
		fprintf(stderr, "; %llu stacks were lost", (unsigned long long)result->lost);
	fprintf(stderr, "; kymo used %.2g %% of a processor\n",
		result->seconds > 0 ? 100 * result->cpu_s / result->seconds : 0);
}

static int attach_finish(char *directory)
{
	char *arguments[] = {(char *)"finish", (char *)"--", directory, NULL};

	return command_finish_run(3, arguments);
}

static int attach_record(const struct attach_request *request)
{
	const struct attachrun_options options = {
		.pid = request->pid,
		.rate = request->rate,
		.duration_s = request->duration_s,
		.has_jitter = settings_bool(request->settings, SET_SAMPLING_JITTER),
		.has_children = request->has_children,
		.watch = request->watch,
		.settings = request->settings,
		.place = attach_place,
		.report = attach_print_line,
		.context = (void *)(uintptr_t)request,
		.must_stop = &must_stop,
	};
	struct attachrun_result result;
	struct problem problem;
	enum kymo_status status;

	catch_signals();
	status = attachrun(&options, &result, &problem);
	if (status < 0)
		return command_fail(status, &problem);
	if (!attach_is_quiet(request))
		attach_print_result(&result, request->rate);
	if (result.samples == 0) {
		fprintf(stderr, "kymo: no sample was taken: the process ended at once, or no "
				"thread was to be sampled\n");
		return 1;
	}
	return settings_bool(request->settings, SET_FINISH) ? attach_finish(result.directory) : 0;
}

static int attach_instrument(const struct attach_request *request)
{
	char directory[PATH_MAX];
	int status;

	catch_signals();
	status = attach_functions(request, &must_stop, directory);
	if (!directory[0] || !settings_bool(request->settings, SET_FINISH))
		return status;
	return status ? (attach_finish(directory), status) : attach_finish(directory);
}

int cmd_attach(int argc, char **argv)
{
	struct attach_request request;
	struct problem problem;
	int status;

	switch (attach_parse(&request, &argc, argv, &problem)) {
	case OPTIONS_HELPED:
		return command_finish_output();
	case OPTIONS_FAILED:
		attach_release(&request);
		return command_fail(KYMO_USAGE, &problem);
	case OPTIONS_PARSED:
		break;
	}
	status = request.is_dump	 ? attach_dump(&request)
		 : request.has_functions ? attach_instrument(&request)
					 : attach_record(&request);
	attach_release(&request);
	return status;
}
