/* The end: the recording is closed with the program's exit status. */
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
	/* If the process id cannot be read, this may be a vfork()'s child: then the recording is
	 * left as it is, which is readable. */
	if (!kymo_runtime_is_restricted())
		exit_end(status & 0xff);
	WRAP_REAL(_exit, exit_fn)(status);
}

void lifecycle_exit_quickly(int status)
{
	quick_status = status & 0xff;
	WRAP_REAL(quick_exit, exit_fn)(status);
}

/* A handler of the program may leave abort() by a jump, so it may not be the end; if it is, the
 * recording is readable as it is. */
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
