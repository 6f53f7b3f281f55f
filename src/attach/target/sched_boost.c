/* Nice values belong to threads here, whatever POSIX specifies.  New threads inherit them: so they
 * are restored at once.
 *
 * The kernel takes a thread id, which may be reused.  An open file of /proc does refer to the
 * thread: while it is readable the thread exists, and its id is not reused. */
#include "attach/target/sched_boost.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/proc/proc_file.h"

#define FIRST	    (-20)
#define SLACK_LEAST 1

static bool boost_is_there(const struct sched_boosted *hurried)
{
	char byte;

	return hurried->id == 0 || (hurried->stat >= 0 && pread(hurried->stat, &byte, 1, 0) == 1);
}

static void boost_set(struct sched_boosted *hurried, int nice)
{
	hurried->is_raised = setpriority(PRIO_PROCESS, (id_t)hurried->id, nice) == 0;
}

static void raise_one(struct sched_boosted *hurried)
{
	errno = 0;
	hurried->nice = getpriority(PRIO_PROCESS, (id_t)hurried->id);
	if (errno != 0 || !boost_is_there(hurried))
		return;
	boost_set(hurried, FIRST);
	if (boost_is_there(hurried))
		return;
	/* It ended at this moment, and the id may be another thread's. */
	boost_set(hurried, hurried->nice);
	hurried->is_raised = false;
}

static void lower_one(struct sched_boosted *hurried)
{
	if (hurried->is_raised && boost_is_there(hurried))
		setpriority(PRIO_PROCESS, (id_t)hurried->id, hurried->nice);
	if (hurried->stat >= 0)
		close(hurried->stat);
	hurried->stat = -1;
}

static int open_stat(const struct target *target, pid_t id)
{
	int file;

	if (id <= 0)
		return -1;
	file = (int)proc_open(target->pid, id, "stat", 0);
	if (file >= 0 && !target_is_alive(target)) { /* by now another process's */
		close(file);
		file = -1;
	}
	return file;
}

void sched_boost_begin(struct sched_boost *boost, const struct target *target, pid_t other)
{
	*boost = (struct sched_boost){.own = {.stat = -1},
				      .other = {.id = other, .stat = open_stat(target, other)}};
	raise_one(&boost->own);
	if (boost->other.stat >= 0)
		raise_one(&boost->other);
	boost->slack_ns = prctl(PR_GET_TIMERSLACK);
	prctl(PR_SET_TIMERSLACK, SLACK_LEAST);
}

void sched_boost_end(struct sched_boost *boost)
{
	lower_one(&boost->other);
	lower_one(&boost->own);
	if (boost->slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, boost->slack_ns);
}
