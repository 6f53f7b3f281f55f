/* kymo view: the page of a run, opened in the browser. */
#include <string.h>

#include "base/owner.h"
#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "cli/options/common_options.h"
#include "cli/options/moment.h"
#include "cli/options/options.h"
#include "cli/page/browser.h"
#include "cli/page/page_file.h"
#include "cli/page/page_server.h"
#include "cli/results/find_run.h"
#include "command/xalloc.h"
#include "view/page.h"

#define NOT_GIVEN	 UINT64_MAX
#define TIMELINE_MIB_MAX 1024u

struct view_command {
	const char *const *runs; /* if empty, the newest */
	size_t run_count;
	const char *output;
	const char *base; /* to compare with, NULL = nothing */
	bool has_no_open, has_samples, is_served;
	uint64_t port;
	unsigned int weight; /* as parsed */
	const char *from, *to;
	uint64_t timeline_mib;
	struct page_options page;
	struct loaded_options loading;
};

static enum kymo_status parse_timeline(struct view_command *command, struct problem *problem)
{
	struct page_options *page = &command->page;
	enum kymo_status status = KYMO_OK;

	if (command->from)
		status = moment_parse("--from", command->from, &page->timeline_from_ns, problem);
	if (status == KYMO_OK && command->to)
		status = moment_parse("--to", command->to, &page->timeline_to_ns, problem);
	if (status == KYMO_OK && command->to && page->timeline_to_ns <= page->timeline_from_ns)
		return problem_set(problem, KYMO_USAGE, "--to is no later than --from");
	if (command->timeline_mib > TIMELINE_MIB_MAX)
		return problem_set(problem, KYMO_USAGE,
				   "no browser opens a page of that size: --timeline-size is %u "
				   "at most",
				   TIMELINE_MIB_MAX);
	page->timeline_bytes = command->timeline_mib << 20;
	return status;
}

static enum options_result view_parse(void *given, int argc, char **argv, struct problem *problem)
{
	struct view_command *command = given;
	const struct option_row rows[] = {
		{'o', "output", OPTION_TEXT, &command->output, "FILE",
		 "Write the page to FILE, - = standard output (default: page.html in the run)"},
		{0, "no-open", OPTION_FLAG, &command->has_no_open, NULL,
		 "Do not open it in the browser"},
		{0, "compare", OPTION_TEXT, &command->base, "BASE",
		 "Show also what is slower than in the run BASE, faster, new or gone"},
		{0, "serve", OPTION_FLAG, &command->is_served, NULL,
		 "Serve it on 127.0.0.1 instead, updated while the program runs"},
		{0, "port", OPTION_COUNT, &command->port, "PORT",
		 "The port to serve it on (default: any that is free)"},
		{0, "from", OPTION_TEXT, &command->from, "TIME",
		 "The timeline begins TIME after the run's start: 1.2s, 350ms, 40us"},
		{0, "to", OPTION_TEXT, &command->to, "TIME",
		 "The timeline ends TIME after the run's start"},
		{0, "timeline-size", OPTION_COUNT, &command->timeline_mib, "MIB",
		 "Size limit of the timeline, above which short slices are joined (default: 24)"},
		{0, "no-sources", OPTION_FLAG, &command->page.has_no_sources, NULL,
		 "Omit the texts of source files"},
		{0, "sources", OPTION_FLAG, &command->page.wants_sources, NULL,
		 "Show the source files that the run names, even if others can have written it"},
		ROW_RAW_TIMES(&command->loading.is_raw),
		ROW_SAMPLES(&command->has_samples),
		ROWS_SAMPLED(&command->weight, &command->loading.sampled),
		ROW_FORCE,
	};
	const struct option_table table = {
		.command = "kymo view",
		.usage = "[options] [RUN...]",
		.description = "Writes a run as one self-contained HTML page, and opens it in the "
			       "browser. RUN is the directory of a run or one "
			       "recording, several are shown together; by default it is the newest "
			       "run below the working directory.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	if (result != OPTIONS_PARSED)
		return result;
	command->runs = (const char *const *)argv;
	command->run_count = (size_t)argc;
	if (command->is_served && command->output)
		problem_set(problem, KYMO_USAGE, "--serve writes no file: leave out --output");
	else if (command->is_served && command->base)
		problem_set(problem, KYMO_USAGE,
			    "--serve shows a run while it is recorded: leave out "
			    "--compare");
	else if (command->page.has_no_sources && command->page.wants_sources)
		problem_set(problem, KYMO_USAGE, "--sources or --no-sources: give one of them");
	else if (!command->is_served && command->port != NOT_GIVEN)
		problem_set(problem, KYMO_USAGE, "--port goes with --serve");
	else if (command->port != NOT_GIVEN && command->port > UINT16_MAX)
		problem_set(problem, KYMO_USAGE, "no port has so large a number");
	else if (parse_timeline(command, problem) == KYMO_OK)
		return OPTIONS_PARSED;
	return OPTIONS_FAILED;
}

/* "page.html" in the run's directory, or in that of a recording. */
static char *view_default_path(const struct run *run)
{
	const char *recording = run->recordings[0]->path, *slash = strrchr(recording, '/');

	return xasprintf("%.*spage.html", slash ? (int)(slash - recording) + 1 : 0, recording);
}

static enum kymo_status view_loaded(const struct view_command *command,
				    const struct loaded_run *loaded, struct problem *problem)
{
	const char *path = command->output ? command->output : view_default_path(loaded->run);
	enum kymo_status status = page_file_write(loaded, &command->page, path, problem);

	if (status == KYMO_OK && strcmp(path, "-") != 0) {
		plaintext_print(stderr, "kymo: wrote '%s'\n", path);
		if (!command->has_no_open)
			browser_open(path);
	}
	return status;
}

static enum kymo_status view_serve(const struct view_command *command, struct problem *problem)
{
	const struct page_server server = {
		.paths = command->runs,
		.path_count = command->run_count,
		.loading = command->loading,
		.options = command->page,
		.port = command->port == NOT_GIVEN ? 0 : (uint16_t)command->port,
		.opens = !command->has_no_open,
	};

	return page_server_run(&server, problem);
}

/* Both by their calls, or both by their samples with the same weights. */
static enum kymo_status view_compared(struct view_command *command, const struct loaded_run *loaded,
				      struct problem *problem)
{
	struct loaded_options loading = command->loading;
	const struct loaded_run *before[1];
	struct loaded_run *base;
	enum kymo_status status;

	if (!command->base)
		return view_loaded(command, loaded, problem);
	loading.wants_samples = loaded->is_sampled;
	loading.sampled.weight = loaded->weight;
	status = loaded_run_open(command->base, &loading, &base, problem);
	if (status < 0)
		return status;
	before[0] = base;
	command->page.before = before;
	command->page.before_count = 1;
	status = view_loaded(command, loaded, problem);
	loaded_run_free(base);
	return status;
}

static enum kymo_status view(struct view_command *command, struct problem *problem)
{
	struct loaded_run *loaded;
	enum kymo_status status;

	command->loading.wants_samples = command->has_samples || command->weight != UINT32_MAX;
	command->loading.sampled.weight = command->weight == UINT32_MAX
						  ? SAMPLED_BY_CHOICE
						  : (enum sampled_by)command->weight;
	command->page.sampled = command->loading.sampled;
	command->page.is_served = command->is_served;
	if (command->is_served)
		return view_serve(command, problem);
	status = loaded_run_open_all(command->runs, command->run_count, &command->loading, &loaded,
				     problem);
	if (status < 0)
		return status;
	status = view_compared(command, loaded, problem);
	loaded_run_free(loaded);
	return status;
}

static enum kymo_status find_and_view(void *given, struct problem *problem)
{
	struct view_command *command = given;
	const char *runs[1];
	char *found = NULL;
	enum kymo_status status = KYMO_OK;

	if (command->run_count == 0) {
		status = find_run(&found, problem);
		runs[0] = found;
		command->runs = runs;
		command->run_count = 1;
	}
	if (status == KYMO_OK)
		status = view(command, problem);
	return status;
}

int cmd_view(int argc, char **argv)
{
	struct view_command command = {
		.weight = UINT32_MAX,
		.port = NOT_GIVEN,
		.timeline_mib = PAGE_TIMELINE_BYTES >> 20,
	};

	return command_run(&command, view_parse, find_and_view, argc, argv);
}
