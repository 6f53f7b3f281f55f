/* kymo finish: writes the outputs at the end of a run.
 *
 * The runtime starts it as a child of the program when the recording is closed; it shares the
 * program's terminal, so that it prints on standard error only, in one write, and uses standard
 * output only for tables that were requested there. */
#include "cli/results/cmd_finish.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "cli/heartbeat/heartbeat.h"
#include "cli/options/options.h"
#include "cli/options/rank_filter.h"
#include "cli/results/finish_bounds.h"
#include "cli/results/finish_due.h"
#include "cli/results/finish_job.h"
#include "cli/terminal.h"
#include "command/xalloc.h"
#include "export/export.h"
#include "model/findings/library_advice.h"
#include "model/sources/source_keep.h"
#include "model/sources/source_text.h"
#include "platform/usage.h"
#include "report/outputs/run_output.h"
#include "report/outputs/run_output_name.h"
#include "report/report.h"
#include "text/cells.h"
#include "text/quantity.h"
#include "text/wrapped.h"

#define TOP_REGIONS  10
#define LABEL_COLUMN 13
#define TRACE_FORMAT "perfetto"
#define TRACE_LEAVES                                                                               \
	UINT64_C(500000) /* bytes of the outputs' limit that are reserved for the other files */

struct finish {
	struct loaded_run *loaded;
	struct settings *settings;
	struct run_facts *facts;
	struct region_union *regions;
	struct source_lines *lines; /* NULL: sources are not kept */
	char *directory;	    /* of the recordings; absolute */
	char **files;		    /* written */
	size_t file_count;
	bool wants_all; /* no limit for the outputs */
	uint64_t recorded_bytes;
	struct output_sum written;
	const struct work *work;
	bool has_failed;
};

struct work {
	const char *run;
	const char *awaited;  /* a pidfd, as text; NULL = none */
	const char *surveyed; /* a process to sample meanwhile; NULL = none */
	const char *finisher; /* id of the process that normally finishes the run; NULL = none */
	const char *ended;    /* id of the process that ends now; NULL = none */
	bool wants_all;
	/* The process that requested the work: the CPU time that it used before the request, and
	 * from then until the work began. */
	pid_t process;
	uint64_t began_ns, used_ns;
};

/* Only values that differ from the default were set by the user. */
static void restore_settings(struct finish *finish)
{
	const struct recording *root = finish->loaded->trees[0]->recording;

	finish->settings = settings_new();
	xneed(finish->settings != NULL);
	for (size_t i = 0; i < root->note_count; i++) {
		const struct note *note = &root->notes[i];
		int id = note->kind == KYMO_NOTE_SETTING ? settings_find(note->key) : -1;

		/* A recording of another version may hold values unknown here. */
		if (id >= 0 && strcmp(note->value, setting_table[id].default_text) != 0)
			settings_set(finish->settings, note->key, note->value, SETTING_FROM_COMMAND,
				     NULL);
	}
}

/* Whether one of the run's ranks is in the list.  A run of one process has one. */
static bool has_rank_of(const struct finish *finish, enum setting_id list)
{
	const struct loaded_run *loaded = finish->loaded;
	bool is_job = loaded->trees[0]->recording->header.flags & KYMO_HEADER_RANK;

	for (size_t i = 0; i < (is_job ? loaded->tree_count : 1); i++)
		if (rank_is_listed(settings_text(finish->settings, list),
				   rank_of(loaded->trees[i]->recording, finish->settings)))
			return true;
	return false;
}

static bool may_print(const struct finish *finish)
{
	return !finish_is_in_background() && has_rank_of(finish, SET_RANK_FILTER_LOGS);
}

static void finish_announce(void *context, const char *kind, const char *path)
{
	struct finish *finish = context;

	if (settings_integer(finish->settings, SET_VERBOSE) >= 1 && may_print(finish))
		plaintext_print(stderr, "[kymo][%u][%s]> Outputting '%s'...\n", finish->facts->pid,
				kind, path);
	lines_add(&finish->files, &finish->file_count, "%s", path);
}

/* The file that was reported last was not written. */
static void forget_file(struct finish *finish)
{
	if (finish->file_count > 0)
		free(finish->files[--finish->file_count]);
}

static void finish_fail(void *context, const struct problem *problem)
{
	struct finish *finish = context;

	fprintf(stderr, "kymo: %s\n", problem->text);
	finish->has_failed = true;
	forget_file(finish);
}

static void finish_leave_out(struct finish *finish)
{
	finish->written.is_part = true;
	forget_file(finish);
}

/* The description of the run and the largest call paths fit in any case. */
static uint64_t trace_most_bytes(const struct run_output *output)
{
	if (output->most_bytes == UINT64_MAX)
		return 0;
	return output->most_bytes > 2 * TRACE_LEAVES ? output->most_bytes - TRACE_LEAVES
						     : output->most_bytes / 2 + 1;
}

static bool is_pipe_or_device(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static void write_trace(struct finish *finish, const struct run_output *output, const char *path)
{
	const struct exporter *exporter = exporter_find(TRACE_FORMAT);
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	enum kymo_status status;
	uint64_t bytes = 0;
	struct problem problem;

	if (!exporter)
		return;
	options.has_annotations = settings_bool(finish->settings, SET_PERFETTO_ANNOTATIONS);
	options.most_bytes = trace_most_bytes(output);
	finish_announce(finish, TRACE_FORMAT, path);
	status = export_run(exporter, finish->loaded->run, &options, path, &bytes, &problem);
	if (status == KYMO_OK)
		finish->written.bytes += is_pipe_or_device(path) ? 0 : bytes;
	else if (status == KYMO_LIMIT)
		finish_leave_out(finish);
	else
		finish_fail(finish, &problem);
}

static void finish_write_files(struct finish *finish)
{
	struct run_output output = {
		.loaded = finish->loaded,
		.facts = finish->facts,
		.settings = finish->settings,
		.directory = finish->directory,
		.environment = environ,
		.most_bytes = finish->wants_all ? UINT64_MAX
						: run_output_most_bytes(finish->settings,
									finish->recorded_bytes),
		.announce = finish_announce,
		.fail = finish_fail,
		.context = finish,
	};
	char *trace = NULL;
	bool is_regular_file;

	if (settings_bool(finish->settings, SET_TRACE) &&
	    settings_bool(finish->settings, SET_FILE_OUTPUT))
		trace = run_output_name(&output, finish->loaded->trees[0],
					settings_text(finish->settings, SET_PERFETTO_FILE), NULL);
	/* The trace is complete or not there, and comes first: tables use the rest of the limit.
	 * The reader of a pipe may be slow. */
	is_regular_file = trace && !is_pipe_or_device(trace);
	if (is_regular_file)
		write_trace(finish, &output, trace);
	run_output_write(&output, &finish->written);
	if (trace && !is_regular_file)
		write_trace(finish, &output, trace);
	free(trace);
}

/* For kymo view on another machine, or when the program has changed since. */
static void keep_sources(struct finish *finish)
{
	struct source_files *files = NULL;
	struct flat_view *flat = NULL;
	struct problem problem;
	size_t count;
	enum kymo_status status = flat_view_new(finish->loaded->trees, finish->loaded->tree_count,
						finish->regions, KYMO_NO_THREAD, &flat);

	if (status == KYMO_OK)
		status = source_files_new(finish->loaded, finish->regions, flat, finish->lines,
					  &files);
	if (status < 0)
		problem_set(&problem, status, "cannot keep sources: out of memory");
	else
		status = sources_keep(files, finish->directory, &count, &problem);
	if (status < 0) {
		fprintf(stderr, "kymo: %s\n", problem.text);
		finish->has_failed = true;
	}
	source_files_free(files);
	flat_view_free(flat);
}

/* path relative to the working directory, if it is below that. */
static const char *finish_shorten(const char *path)
{
	static char working[PATH_MAX];
	size_t length;

	if (!*working && !getcwd(working, sizeof(working)))
		return path;
	length = strlen(working);
	if (length > 1 && strncmp(path, working, length) == 0 && path[length] == '/')
		return path + length + 1;
	return path;
}

static void print_sizes(const struct finish *finish, FILE *out)
{
	char recorded[QUANTITY_MAX], written[QUANTITY_MAX];

	fprintf(out, "%*s%s%s%s recorded\n", LABEL_COLUMN, "",
		finish->file_count ? quantity_bytes((double)finish->written.bytes, written) : "",
		finish->file_count ? " beside " : "",
		quantity_bytes((double)finish->recorded_bytes, recorded));
}

/* Names of the written files that are in the run's directory, wrapped. */
static void print_files(const struct finish *finish, unsigned int width, FILE *out)
{
	size_t length = strlen(finish->directory), at = LABEL_COLUMN;

	plaintext_print(out, "  %-*s%s/", LABEL_COLUMN - 2, "files",
			finish_shorten(finish->directory));
	for (size_t i = 0; i < finish->file_count; i++) {
		const char *path = finish->files[i];
		bool is_inside =
			strncmp(path, finish->directory, length) == 0 && path[length] == '/';
		const char *name = is_inside ? path + length + 1 : finish_shorten(path);

		if (i == 0 || at + 1 + cells_of(name) > width) {
			fprintf(out, "\n%*s", LABEL_COLUMN, "");
			at = LABEL_COLUMN;
		} else {
			at += (size_t)fprintf(out, " ");
		}
		plaintext_print(out, "%s", name);
		at += cells_of(name);
	}
	putc('\n', out);
	print_sizes(finish, out);
}

static bool is_plain_word(const char *text)
{
	return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "/._-+:,@%") == strlen(text);
}

/* Control characters are printed as $'...' of shells. */
static void print_escaped(const char *text, FILE *out)
{
	fputs("$'", out);
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
			fprintf(out, "\\%03o", (unsigned char)*text);
		else
			fprintf(out, *text == '\'' || *text == '\\' ? "\\%c" : "%c", *text);
	}
	putc('\'', out);
}

/* The command may be pasted into a shell. */
static void print_command(const char *label, const char *command, const char *directory, FILE *out)
{
	fprintf(out, "  %-*s%s ", LABEL_COLUMN - 2, label, command);
	if (is_plain_word(directory)) {
		fputs(directory, out);
	} else if (!plaintext_is_clean(directory)) {
		print_escaped(directory, out);
	} else {
		putc('\'', out);
		for (const char *c = directory; *c; c++)
			fputs(*c == '\'' ? "'\\''" : (char[]){*c, '\0'}, out);
		putc('\'', out);
	}
	putc('\n', out);
}

static void print_advice(const char *text, const struct report *report)
{
	if (!text)
		return;
	fprintf(report->out, "  %-*s", LABEL_COLUMN - 2, "unseen");
	wrapped_write(text, LABEL_COLUMN, report->options.width, report->out);
}

/* Libraries with much time that were not instrumented. */
static void print_unseen(const struct report *report)
{
	struct library_advice advice;
	struct flat_view *view;

	if (flat_view_new(report->loaded->trees, report->loaded->tree_count, report->regions,
			  KYMO_NO_THREAD, &view) < 0)
		return;
	if (library_advice_init(&advice, report->loaded, view)) {
		print_advice(advice.libraries, report);
		print_advice(advice.go, report);
	}
	library_advice_release(&advice);
	flat_view_free(view);
}

/* The summary is by CPU time, the files before it by wall-clock time.  False: nothing is left to
 * print. */
static bool weigh_for_summary(struct finish *finish)
{
	struct sampled_options sampled = sampled_options_from(finish->settings);
	enum sampled_by before = finish->loaded->weight;

	sampled.weight = SAMPLED_BY_CHOICE;
	if (!finish->loaded->is_sampled)
		return true;
	loaded_run_weigh(finish->loaded, &sampled);
	if (finish->loaded->weight == before)
		return true;
	region_union_free(finish->regions);
	finish->regions = NULL;
	return finish->loaded->tree_count > 0 &&
	       region_union_new(finish->loaded->trees, finish->loaded->tree_count,
				&finish->regions) == KYMO_OK;
}

static void print_summary(const struct finish *finish)
{
	struct report report = {
		.loaded = finish->loaded,
		.facts = finish->facts,
		.regions = finish->regions,
		.options =
			{
				.form = REPORT_TEXT,
				.order = ORDER_SELF,
				.top = TOP_REGIONS,
				.thread = KYMO_NO_THREAD,
				.width = terminal_width(stderr),
				.table_width = terminal_width(stderr),
				.has_colour = terminal_has_colour(stderr, finish->settings),
			},
		.out = stderr,
	};

	putc('\n', stderr);
	report_flat(&report, NULL);
	putc('\n', stderr);
	print_unseen(&report);
	print_files(finish, report.options.width, stderr);
	if (finish->written.is_part) {
		fprintf(stderr,
			"  %-*ssmall call paths, to stay below OUTPUT_LIMIT_MB; all of them:\n",
			LABEL_COLUMN - 2, "left out");
		print_command("", "kymo finish --all", finish_shorten(finish->directory), stderr);
	}
	print_command("next", "kymo view", finish_shorten(finish->directory), stderr);
	print_command("", "kymo report", finish_shorten(finish->directory), stderr);
}

static bool wants_summary(const struct finish *finish)
{
	return settings_bool(finish->settings, SET_SUMMARY) && may_print(finish) &&
	       !settings_bool(finish->settings, SET_QUIET) &&
	       settings_integer(finish->settings, SET_VERBOSE) >= 0;
}

/* Outputs are written to the folder of the recordings, also if RUN named its parent. */
static char *finish_directory_of(const struct loaded_run *loaded)
{
	return realpath(dirname(xstrdup(loaded->trees[0]->recording->path)), NULL);
}

/* The settings for samples are in the run itself. */
static enum kymo_status load_as_set(struct finish *finish, const char *path,
				    struct problem *problem)
{
	const struct loaded_options options = {.sampled = sampled_options_from(finish->settings)};

	if (!finish->loaded->is_sampled ||
	    !(options.sampled.has_inlines || options.sampled.keeps_internal))
		return KYMO_OK;
	loaded_run_free(finish->loaded);
	finish->loaded = NULL;
	return loaded_run_open(path, &options, &finish->loaded, problem);
}

/* Source lines of samples, if the sources are kept; before the union of the regions. */
static void finish_find_lines(struct finish *finish)
{
	const struct sampled_options options = sampled_options_from(finish->settings);

	if (settings_bool(finish->settings, SET_KEEP_SOURCES))
		xneed(source_lines_new(finish->loaded, &options, &finish->lines) == KYMO_OK);
}

static uint64_t recorded_bytes(const struct loaded_run *loaded)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < loaded->tree_count; i++)
		bytes += loaded->trees[i]->recording->size;
	return bytes;
}

/* The work is done by a process of its own, or in this one if fork() fails. */
static double cpu_s(const struct work *work)
{
	uint64_t used_ns = usage_own_ns();

	if (getpid() == work->process)
		used_ns -= work->began_ns;
	else
		used_ns += work->used_ns;
	return (double)used_ns * 1e-9;
}

static enum kymo_status finish_loaded(struct finish *finish, const char *path,
				      struct problem *problem)
{
	enum kymo_status status;

	restore_settings(finish);
	finish->recorded_bytes = recorded_bytes(finish->loaded);
	finish_bounds_set(finish->settings, finish->recorded_bytes);
	status = load_as_set(finish, path, problem);
	if (status < 0)
		return status;
	finish->directory = finish_directory_of(finish->loaded);
	if (!finish->directory)
		return problem_set(problem, KYMO_SYSTEM, "cannot find '%s': %s", path,
				   strerror(errno));
	finish_find_lines(finish);
	xneed(run_facts_new(finish->loaded, &finish->facts) == KYMO_OK);
	xneed(region_union_new(finish->loaded->trees, finish->loaded->tree_count,
			       &finish->regions) == KYMO_OK);
	if (has_rank_of(finish, SET_RANK_FILTER_OUTPUT))
		finish_write_files(finish);
	if (finish->lines)
		keep_sources(finish);
	if (wants_summary(finish) && weigh_for_summary(finish)) {
		finish->facts->outputs_s = cpu_s(finish->work);
		print_summary(finish);
	}
	return finish->has_failed ? KYMO_ERROR : KYMO_OK;
}

static void finish_release(struct finish *finish)
{
	free(finish->directory);
	lines_free(finish->files, finish->file_count);
	region_union_free(finish->regions);
	source_lines_free(finish->lines);
	run_facts_free(finish->facts);
	settings_free(finish->settings);
	loaded_run_free(finish->loaded);
}

/* A pidfd is readable when the process has ended. */
static void finish_wait_for(const struct work *work)
{
	heartbeat_wait(work->run, atoi(work->awaited), work->surveyed ? atoi(work->surveyed) : 0);
	close(atoi(work->awaited));
}

static enum options_result finish_parse(int *argc, char **argv, struct work *work,
					struct problem *problem)
{
	const struct option_row rows[] = {
		{0, "all", OPTION_FLAG, &work->wants_all, NULL,
		 "Write all call paths and the whole trace, however large (OUTPUT_LIMIT_MB)"},
		{0, "when-ended", OPTION_TEXT, &work->awaited, "FD",
		 "Wait first for the end of the process of this pidfd"},
		{0, "unless-finished", OPTION_TEXT, &work->finisher, "PID",
		 "Do nothing if the process PID of the run has already written its outputs"},
		{0, "survey", OPTION_TEXT, &work->surveyed, "PID",
		 "With --when-ended: sample meanwhile in which libraries the process PID spends "
		 "its time"},
		{0, "of", OPTION_TEXT, &work->ended, "PID",
		 "At the end of this process: for a job, only if it is the last rank"},
	};
	const struct option_table table = {
		.command = "kymo finish",
		.usage = "[options] RUN",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
		.description = "Writes the output files of a run and its summary, as at the end of "
			       "the run, with the settings of the run.",
	};
	enum options_result result = options_parse(&table, argc, argv, problem);

	if (result == OPTIONS_PARSED && *argc != 1) {
		problem_set(problem, KYMO_USAGE, "kymo finish takes the directory of one run");
		return OPTIONS_FAILED;
	}
	return result;
}

struct finish_outputs { /* the outputs that are written */
	struct finish finish;
	struct problem problem;
	enum kymo_status status;
};

static void finish_write_outputs(void *context)
{
	struct finish_outputs *outputs = context;
	const char *run = outputs->finish.work->run;

	outputs->status = loaded_run_open(run, NULL, &outputs->finish.loaded, &outputs->problem);
	if (outputs->status == KYMO_OK)
		outputs->status = finish_loaded(&outputs->finish, run, &outputs->problem);
}

/* In a process of its own, which ends here also after a failed allocation: see finish_bounded(). */
static int write_outputs(void *context)
{
	const struct work *work = context;
	struct finish_outputs outputs = {.finish = {.work = work, .wants_all = work->wants_all}};
	static char buffer[BUFSIZ];

	/* Others may write to the same terminal: lines must not be interleaved. */
	setvbuf(stderr, buffer, _IOFBF, sizeof(buffer));
	if (!xalloc_run(finish_write_outputs, &outputs))
		outputs.status = problem_set(&outputs.problem, KYMO_MEMORY, "out of memory");
	if (outputs.status < 0 && !outputs.finish.has_failed)
		command_fail(outputs.status, &outputs.problem);
	finish_release(&outputs.finish);
	fflush(stderr);
	return outputs.status < 0 ? status_exit_code(outputs.status) : command_finish_output();
}

static bool is_to_be_done(const struct work *work, struct finish_job *job)
{
	const char *process = work->ended ? work->ended : work->finisher;
	enum finish_due due = FINISH_DUE;
	enum finish_turn turn;

	if (work->finisher)
		due = finish_find_due(work->run, (pid_t)atol(work->finisher));
	if (due == FINISH_DONE)
		return false;
	turn = finish_job_end(job, work->run, process ? (pid_t)atol(process) : 0);
	return turn == FINISH_LAST || (turn == FINISH_ALONE && due == FINISH_DUE);
}

static int results_cmd_finish(int argc, char **argv, uint64_t began_ns)
{
	struct problem problem;
	struct work work = {.process = getpid(), .began_ns = began_ns};
	struct finish_job job;
	enum options_result parsed = finish_parse(&argc, argv, &work, &problem);
	int exit_status;

	if (parsed != OPTIONS_PARSED)
		return command_end_options(parsed, &problem);
	work.run = argv[0];
	if (work.awaited)
		finish_wait_for(&work);
	if (!is_to_be_done(&work, &job))
		return 0;
	work.used_ns = usage_own_ns() - began_ns;
	exit_status = finish_bounded(write_outputs, &work, work.run);
	finish_job_close(&job);
	return exit_status;
}

int cmd_finish(int argc, char **argv)
{
	return results_cmd_finish(argc, argv, 0);
}

int command_finish_run(int argc, char **argv)
{
	return results_cmd_finish(argc, argv, usage_own_ns());
}
