/* The options of `kymo attach`. */
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

/* Options, environment and configuration files.  The caller releases request in any case. */
enum options_result attach_parse(struct attach_request *request, int *argc, char **argv,
				 struct problem *problem);
/* Whether argv[1] to argv[argc - 1] are only options of it and their values. */
bool attach_has_options(int argc, char **argv);
void attach_release(struct attach_request *request);
/* Print errors only. */
bool attach_is_quiet(const struct attach_request *request);

/* Make the output folder of a run with target as its program.  size bytes at directory. */
enum kymo_status attach_make_directory(const struct attach_request *request,
				       const struct target *target, char *directory, size_t size,
				       struct problem *problem);

/* Shared with kymo top. */
enum kymo_status attach_take_pid(const char *text, pid_t *pid_out, struct problem *problem);
enum kymo_status attach_take_rate(const char *text, double *rate_out, struct problem *problem);
enum kymo_status attach_take_seconds(const char *text, const char *option, double *seconds_out,
				     struct problem *problem);

#endif
