/* kymo run, kymo sample and kymo instrument, in parts: which program (run_program.c), which run
 * (run_place.c), what the program finds in its environment (run_environment.c, run_functions.c),
 * how it is started (run_start.c, run_wait.c) and who sees to its end (run_watch.c).  One thread;
 * memory lives as long as the command. */
#ifndef KYMO_RUN_COMMAND_H
#define KYMO_RUN_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/options/vocabulary.h"
#include "config/outputname.h"
#include "config/settings.h"

/* Statuses as shells have them. */
#define RUN_NOT_EXECUTABLE 126
#define RUN_NOT_FOUND	   127

struct run_place {
	char directory[PATH_MAX]; /* absolute; "" = nothing is recorded */
	char kept[PATH_MAX];	  /* what was there before, of its path */
	bool is_own;		  /* this command made the run and sees to its end */
};

struct run_command {
	const struct run_flavour *flavour;
	struct vocabulary_request request;
	struct settings *settings;
	char **program; /* its command line, closed by NULL */
	char path[PATH_MAX];
	bool is_shell_text; /* a script without "#!": /bin/sh runs it, as shells have it */
	bool is_recorded;   /* the program itself can be */
	bool is_fork;	    /* stay until it has ended */
	struct run_place place;
};

/* The commands that run a program differ in what they do unless told otherwise. */
struct run_flavour {
	const char *name;	 /* "kymo run" */
	const char *word;	 /* "run" */
	const char *description; /* for the help */
	/* Assignments as in vocabulary.def, "SAMPLING=ON ?PROFILE=OFF": they yield to options,
	 * those with '?' to the environment and to files, too. */
	const char *defaults;
	const struct vocabulary_dialect *dialect; /* its own options, NULL = none */
	/* Called with a command line that was read.  Returns the exit status of what was asked
	 * for in place of a run, or RUN_GO_ON. */
	int (*before)(struct run_command *run);
};
#define RUN_GO_ON (-1)
#define RUN_OPTIONS_END                                                                            \
	" Options end at '--' or at the first word that belongs to none; without '--' an option "  \
	"takes one word."
int run_command(const struct run_flavour *flavour, int argc, char **argv);

/* "kymo run: <line>" on standard error. */
void run_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Find the program and see whether it can run and be recorded.  0, or the exit status with
 * the problem. */
int run_program_find(struct run_command *run, struct problem *problem);

/* Make the run's directory or join the run that this command is part of. */
enum kymo_status run_place_open(struct run_command *run, struct problem *problem);
/* What the names of the run's outputs are made of; belongs to run. */
struct output_context run_output_context(const struct run_command *run);
/* Take away what was made, as far as it is empty. */
void run_place_undo(const struct run_place *place);
/* No recording was written. */
bool run_place_is_empty(const char *directory);
/* Id of a process that is recording into the directory; 0 = none. */
pid_t run_place_writer(const char *directory);

/* Choose what the collector of native functions finds in its environment, where it is asked for.
 * KYMO_USAGE: a rule for choosing functions is wrong. */
enum kymo_status run_functions_choose(struct run_command *run, struct problem *problem);
/* A program that was instrumented on disk brings settings along, which then are to be read
 * again. */
enum kymo_status run_functions_copy(struct run_command *run, bool *is_copy,
				    struct problem *problem);

/* Put the settings, the run and the libraries into this process's environment. */
enum kymo_status run_environment_set(struct run_command *run, struct problem *problem);
/* Remember the environment; show on standard error what differs from it. */
void run_environment_remember(void);
void run_environment_show(const struct run_command *run);

/* Put 'kymo run' in front of the argument that the launcher starts. */
enum kymo_status run_launcher_insert(struct run_command *run, char **argv, struct problem *problem);

/* A terminal is to get the summary before its shell has it back. */
bool run_is_on_terminal(const struct run_command *run);
/* Its functions are recorded, and nothing else tells in which libraries it works. */
bool run_is_surveyed(const struct run_command *run);
/* A process whose grandchild comes back to it would have a child that it does not know. */
bool run_adopts_orphans(void);

/* Fork a process that is nobody's child and in a session of its own; its signals are as here.  Its
 * id, 0 in it, -1 = none. */
pid_t run_looker_fork(void);
/* It may look into this process, and the program that takes its place, where only parents may
 * (Yama). */
void run_looker_allow(pid_t looker);

/* Who looks at a program that this process is to wait for, in which libraries it works. */
struct run_surveyor {
	pid_t id; /* 0 or less = there is none */
	int to;	  /* whom to look at; -1 = nothing to be told any more */
};
void run_surveyor_begin(const struct run_command *run, struct run_surveyor *surveyor);
/* The program's process; 0 or less: there is none. */
void run_surveyor_tell(struct run_surveyor *surveyor, pid_t program);

/* Before this process becomes the program: have the run finished when that cannot do it. */
void run_watch(const struct run_command *run);

/* Become the program.  Returns the errno value of the failure. */
int run_exec(const struct run_command *run);
/* Start it, stay until it ends, write the outputs, end as it did.  Returns the exit status,
 * or -1 with the errno value when it could not be started. */
int run_wait(const struct run_command *run, int *error);

#endif
