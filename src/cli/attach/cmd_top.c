/* kymo top: where a running Python program spends its time, in the last second and in total, as a
 * table that is updated each second. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "attach/sample/framecounts.h"
#include "attach/sample/watch_observe.h"
#include "attach/sample/watch_open.h"
#include "cli/attach/attach_options.h"
#include "cli/attach/top_table.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/terminal.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define NS_PER_S 1e9

struct top {
	pid_t pid;
	double rate, interval_s;
	uint64_t count; /* tables, 0 = unlimited */
	bool has_waiting;
	struct watch_options options;
	struct watch watch;
	struct framenames names;
	struct framecounts counts;
	struct top_view view;
	bool is_terminal, is_raw;
	struct termios before;
	uint64_t interval_begun_ns;
};

static volatile sig_atomic_t must_stop;

static void top_stop(int signal)
{
	(void)signal;
	must_stop = 1;
}

/* Read keys without waiting for a line.  The terminal is restored however the command ends. */
static void begin_terminal(struct top *top)
{
	struct termios raw;

	top->is_terminal = isatty(STDOUT_FILENO) && top->count == 0;
	top->is_raw = top->is_terminal && isatty(STDIN_FILENO) &&
		      tcgetattr(STDIN_FILENO, &top->before) == 0;
	if (!top->is_raw)
		return;
	raw = top->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static void end_terminal(const struct top *top)
{
	if (top->is_raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &top->before);
}

/* Wait until when_ns; process keys meanwhile. */
static void top_take_keys(struct top *top, uint64_t when_ns)
{
	struct pollfd keys = {.fd = top->is_raw ? STDIN_FILENO : -1, .events = POLLIN};
	uint64_t now_ns;
	char key;

	while (!must_stop && (now_ns = usage_clock_ns(CLOCK_MONOTONIC)) < when_ns) {
		const struct timespec rest = {(time_t)((when_ns - now_ns) / 1000000000u),
					      (long)((when_ns - now_ns) % 1000000000u)};

		if (ppoll(&keys, 1, &rest, NULL) <= 0)
			continue;
		if (read(STDIN_FILENO, &key, 1) != 1 || key == 'q' || key == 4)
			must_stop = 1;
		else if (key >= '1' && key <= '4')
			top->view.order = (enum top_order)(key - '1');
	}
}

static void top_observed(void *context, struct watch_thread *thread)
{
	struct top *top = context;

	framecounts_add(&top->counts, thread, top->has_waiting);
}

static void top_show(struct top *top)
{
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);
	struct winsize size = {0};

	top->view.rate = (double)top->counts.observations_now /
			 ((double)(now_ns - top->interval_begun_ns) / NS_PER_S);
	top->view.width = terminal_width(stdout);
	top->view.rows = TOP_ROWS;
	if (top->is_terminal) {
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > TOP_HEADER_ROWS)
			top->view.rows = size.ws_row - TOP_HEADER_ROWS;
		fputs("\x1b[H\x1b[2J", stdout);
	}
	top_table(&top->view, &top->watch, &top->counts, stdout);
	fflush(stdout);
	framecounts_next_interval(&top->counts);
	top->interval_begun_ns = now_ns;
}

/* Samples until the interval is over; false: the process has ended. */
static bool top_sample_interval(struct top *top)
{
	const struct watch_sink sink = {.observed = top_observed, .context = top};
	uint64_t begun_ns = usage_clock_ns(CLOCK_MONOTONIC), due_ns = begun_ns;
	uint64_t end_ns = begun_ns + (uint64_t)(top->interval_s * NS_PER_S);
	unsigned short seed[3] = {(unsigned short)begun_ns, (unsigned short)(begun_ns >> 16), 1};

	while (!must_stop && due_ns < end_ns) {
		if (watch_observe(&top->watch, usage_clock_ns(CLOCK_MONOTONIC), &sink) !=
		    WATCH_RUNNING)
			return false;
		framecounts_end_observation(&top->counts);
		due_ns += (uint64_t)(NS_PER_S / top->rate * (0.5 + erand48(seed)));
		if (due_ns < usage_clock_ns(CLOCK_MONOTONIC))
			due_ns = usage_clock_ns(CLOCK_MONOTONIC);
		top_take_keys(top, due_ns < end_ns ? due_ns : end_ns);
	}
	return true;
}

static void top_run(struct top *top)
{
	bool is_there = true;

	top->interval_begun_ns = usage_clock_ns(CLOCK_MONOTONIC);
	for (uint64_t i = 0; is_there && !must_stop && (top->count == 0 || i < top->count); i++) {
		is_there = top_sample_interval(top);
		if (is_there && (!must_stop || !top->is_terminal) && !ferror(stdout))
			top_show(top);
		if (ferror(stdout))
			return;
	}
	if (!is_there)
		fprintf(stderr, "kymo: process %d has ended\n", (int)top->pid);
}

static enum options_result top_parse(struct top *top, int *argc, char **argv,
				     struct problem *problem)
{
	const char *rate = NULL, *interval = NULL;
	bool has_gil = false, has_native = false;
	const struct option_row rows[] = {
		{'r', "rate", OPTION_TEXT, &rate, "HZ", "Samples a second (100)"},
		{'d', "interval", OPTION_TEXT, &interval, "SEC", "Time between tables (1)"},
		{'c', "count", OPTION_COUNT, &top->count, "N", "Print N tables and end"},
		{'i', "idle", OPTION_FLAG, &top->has_waiting, NULL, "Count waiting threads, too"},
		{'g', "gil", OPTION_FLAG, &has_gil, NULL, "Only threads that hold the GIL"},
		{'n', "native", OPTION_FLAG, &has_native, NULL, "Native functions, too"},
	};
	const struct option_table table = {
		.command = "kymo top",
		.usage = "[options] PID",
		.description = "Shows what a running Python program does, as a table that is "
			       "updated each second. Keys: q ends; 1 to 4 sort by self and total "
			       "time, in this interval and since the beginning.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, argc, argv, problem);

	if (result != OPTIONS_PARSED)
		return result;
	top->options = (struct watch_options){.has_native = has_native,
					      .or_native = !has_gil,
					      .only_gil = has_gil,
					      .is_patient = true,
					      .depth = 512};
	if (*argc != 1)
		problem_set(problem, KYMO_USAGE,
			    "name one process by its id; see 'kymo top "
			    "--help'");
	return *argc == 1 && attach_take_pid(argv[0], &top->pid, problem) == KYMO_OK &&
			       (!rate || attach_take_rate(rate, &top->rate, problem) == KYMO_OK) &&
			       (!interval ||
				attach_take_seconds(interval, "--interval", &top->interval_s,
						    problem) == KYMO_OK)
		       ? OPTIONS_PARSED
		       : OPTIONS_FAILED;
}

static int watch_and_show(struct top *top)
{
	const struct sigaction action = {.sa_handler = top_stop};
	struct problem problem;
	enum kymo_status status;

	clock_select("monotonic");
	status = watch_open(&top->watch, top->pid, &top->options, NULL, &problem);
	if (status < 0)
		return command_fail(status, &problem);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	prctl(PR_SET_TIMERSLACK, 1UL);
	framenames_init(&top->names, &top->watch);
	framecounts_init(&top->counts, &top->names);
	begin_terminal(top);
	top_run(top);
	end_terminal(top);
	framecounts_release(&top->counts);
	framenames_release(&top->names);
	watch_close(&top->watch, NULL);
	return command_finish_output();
}

int cmd_top(int argc, char **argv)
{
	struct top top = {.rate = 100, .interval_s = 1};
	struct problem problem;
	enum options_result parsed = top_parse(&top, &argc, argv, &problem);

	if (parsed != OPTIONS_PARSED)
		return command_end_options(parsed, &problem);
	if (top.interval_s <= 0) {
		problem_set(&problem, KYMO_USAGE, "--interval takes seconds above 0");
		return command_fail(KYMO_USAGE, &problem);
	}
	return watch_and_show(&top);
}
