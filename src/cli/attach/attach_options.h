/* What `kymo attach` was asked for. */
#ifndef KYMO_ATTACH_OPTIONS_H
#define KYMO_ATTACH_OPTIONS_H

#include "attach/sample/watch.h"
#include "cli/options/options.h"
#include "config/settings.h"

#define ATTACH_RATE_MAX 100000.0

struct attach_request {
	pid_t pid;
	double rate, duration_s;
	bool has_children, is_dump, is_json, has_locals;
	bool has_functions; /* instrument functions, instead of taking samples */
	struct watch_options watch;
	struct settings *settings;
};

/* Options, environment and configuration files.  request is to be released in any case. */
enum options_result attach_parse(struct attach_request *request, int *argc, char **argv,
				 struct problem *problem);
/* Whether argv[1] to argv[argc - 1] are options of it and their values, and nothing else. */
bool attach_has_options(int argc, char **argv);
void attach_release(struct attach_request *request);
/* Only errors are to be said. */
bool attach_is_quiet(const struct attach_request *request);

/* The output folder of a run that target is the program of.  size bytes at directory. */
enum kymo_status attach_make_directory(const struct attach_request *request,
				       const struct target *target, char *directory, size_t size,
				       struct problem *problem);

/* Parts that kymo top shares. */
enum kymo_status attach_take_pid(const char *text, pid_t *pid_out, struct problem *problem);
enum kymo_status attach_take_rate(const char *text, double *rate_out, struct problem *problem);
enum kymo_status attach_take_seconds(const char *text, const char *option, double *seconds_out,
				     struct problem *problem);

#endif
