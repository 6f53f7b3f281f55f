/* The end: the recording is closed with the status that the program ends with. */
#include "collectors/lifecycle/lifecycle_exit.h"

#include <signal.h>
#include <stdlib.h>

#include "collectors/lifecycle/lifecycle_target.h"
#include "collectors/wrap.h"
#include "runtime/lifecycle/lifecycle.h"

typedef void (*exit_fn)(int) __attribute__((noreturn));
typedef void (*abort_fn)(void) __attribute__((noreturn));

WRAP_SLOT(_exit);
WRAP_SLOT(quick_exit);
WRAP_SLOT(abort);

static int quick_status = -1; /* of quick_exit(), which runs handlers first */

void lifecycle_exit_resolve(void)
{
	(void)WRAP_REAL(_exit, exit_fn);
	(void)WRAP_REAL(quick_exit, exit_fn);
	(void)WRAP_REAL(abort, abort_fn);
}

static void exit_end(int status)
{
	lifecycle_target_flush();
	kymo_runtime_end(status);
}

void lifecycle_exit_now(int status)
{
	/* Where the id of the process cannot be asked for, this may be a vfork()'s child: then
	 * the recording stays as it is, and can be read. */
	if (!kymo_runtime_is_restricted())
		exit_end(status & 0xff);
	WRAP_REAL(_exit, exit_fn)(status);
}

void lifecycle_exit_quickly(int status)
{
	quick_status = status & 0xff;
	WRAP_REAL(quick_exit, exit_fn)(status);
}

/* A handler of the program may leave abort() by a jump: then it is not the end, and if it
 * is, the recording can be read as it stands. */
void lifecycle_abort(void)
{
	struct sigaction action;

	if (!kymo_runtime_is_restricted() && sigaction(SIGABRT, NULL, &action) == 0 &&
	    !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL)
		exit_end(128 + SIGABRT);
	WRAP_REAL(abort, abort_fn)();
}

static void exit_on_end(int status, void *unused)
{
	(void)unused;
	exit_end(status & 0xff);
}

static void on_quick_end(void)
{
	exit_end(quick_status);
}

void lifecycle_follow_exit(void)
{
	/* The loader registers the destructors of libraries later, and the program its own
	 * handlers: both run before this one. */
	on_exit(exit_on_end, NULL);
	at_quick_exit(on_quick_end);
}
