/* Nice values are of threads here, whatever POSIX says of processes.  Threads that are made take
 * them over: so they are put back at once. */
#include "attach/hurry.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define FIRST	    (-20)
#define SLACK_LEAST 1

static void raise_one(struct hurried *hurried, pid_t id)
{
	errno = 0;
	*hurried = (struct hurried){.id = id, .nice = getpriority(PRIO_PROCESS, (id_t)id)};
	hurried->is_raised = errno == 0 && setpriority(PRIO_PROCESS, (id_t)id, FIRST) == 0;
}

static void lower_one(const struct hurried *hurried)
{
	if (hurried->is_raised)
		setpriority(PRIO_PROCESS, (id_t)hurried->id, hurried->nice);
}

void hurry_begin(struct hurry *hurry, pid_t other)
{
	raise_one(&hurry->own, 0);
	raise_one(&hurry->other, other);
	hurry->slack_ns = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, SLACK_LEAST);
}

void hurry_end(const struct hurry *hurry)
{
	lower_one(&hurry->other);
	lower_one(&hurry->own);
	if (hurry->slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, hurry->slack_ns);
}
