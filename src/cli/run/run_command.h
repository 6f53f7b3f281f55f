/* kymo run, kymo sample and kymo instrument, in parts: the program (run_program.c), the run's
 * folder (run_folder.c), the program's environment (run_environment.c, run_functions.c), starting
 * it (run_start.c, run_wait.c) and finishing the run (run_watch.c).  One thread; memory lives as
 * long as the command. */
#ifndef KYMO_RUN_COMMAND_H
#define KYMO_RUN_COMMAND_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/options/vocabulary.h"
#include "config/outputname.h"
#include "config/settings.h"

/* Exit statuses as in shells. */
#define RUN_NOT_EXECUTABLE 126
#define RUN_NOT_FOUND	   127

struct run_folder {
	char directory[PATH_MAX]; /* absolute; "" = nothing is recorded */
	char kept[PATH_MAX];	  /* the part of its path that existed before */
	bool is_own;		  /* this command made the run and finishes it */
};

struct run_command {
	const struct run_flavour *flavour;
	struct vocabulary_request request;
	struct settings *settings;
	char **program; /* its command line, closed by NULL */
	char path[PATH_MAX];
	bool is_shell_text; /* a script without "#!": run by /bin/sh, as shells do */
	bool is_recorded;   /* the program itself can be */
	bool is_fork;	    /* stay until it has ended */
	struct run_folder folder;
};

/* The defaults of the commands that run a program. */
struct run_flavour {
	const char *name;	 /* "kymo run" */
	const char *word;	 /* "run" */
	const char *description; /* for the help */
	/* Assignments as in vocabulary.def, "SAMPLING=ON ?PROFILE=OFF": options override them, and
	 * those with '?' also the environment and files. */
	const char *defaults;
	const struct vocabulary_dialect *dialect; /* its own options, NULL = none */
	/* Called after the command line was parsed.  Returns the exit status if something was done
	 * instead of a run, or RUN_GO_ON. */
	int (*before)(struct run_command *run);
};
#define RUN_GO_ON (-1)
#define RUN_OPTIONS_END                                                                            \
	" Options end at '--' or at the first word that is not one; without '--' an option "       \
	"takes one word."
int run_command(const struct run_flavour *flavour, int argc, char **argv);

/* "kymo run: <line>" on standard error. */
void run_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
