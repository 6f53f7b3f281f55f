/* What a thread did when it was sampled, and the sample's weight. */
#include "model/samples/sampled_class.h"

#include <math.h>
#include <stddef.h>

#include "model/code/sampled_calls.h"

/* A thread in a call that always waits did wait, unless it used nearly all of the time; in another
 * call if it used less than half of it. */
#define BUSY_IN_A_WAIT 0.95
#define BUSY_IN_A_CALL 0.5

const char *sampled_class_name(enum sampled_class class)
{
	static const char *const names[SAMPLED_CLASSES] = {
		[SAMPLED_PYTHON] = "Python",	 [SAMPLED_NATIVE] = "native",
		[SAMPLED_KERNEL] = "kernel",	 [SAMPLED_LOCK] = "lock",
		[SAMPLED_GIL] = "GIL",		 [SAMPLED_IO] = "I/O",
		[SAMPLED_NETWORK] = "network",	 [SAMPLED_SLEEP] = "sleep",
		[SAMPLED_CHILD] = "child",	 [SAMPLED_OTHER] = "other wait",
		[SAMPLED_RUNNABLE] = "runnable",
	};

	return (unsigned)class < SAMPLED_CLASSES ? names[class] : "unknown";
}

/* Whether the thread computed during the interval, although the sample found it in a call. */
static bool is_busy(const struct sampled_leaf *leaf, const struct sample *sample)
{
	double share = leaf->call->is_wait ? BUSY_IN_A_WAIT : BUSY_IN_A_CALL;

	return !isnan(sample->cpu_ns) && sample->cpu_ns >= share * sample->wall_ns;
}

enum sampled_class sampled_classify(const struct sampled_leaf *leaf, const struct sample *sample)
{
	enum sampled_class class = leaf->class;

	if (sample->kind == KYMO_SAMPLE_CPUTIME) /* its clock ran: it did not wait */
		return class;
	if (sample->gil == KYMO_GIL_WAITED_FOR || (leaf->is_gil_wait && leaf->call))
		return SAMPLED_GIL;
	if (leaf->call && leaf->call->class != SAMPLED_KERNEL && !is_busy(leaf, sample))
		class = leaf->is_in_kernel ? sampled_call_class(leaf->call, leaf->content)
					   : leaf->call->class;
	return class;
}

bool sampled_is_running(enum sampled_class class)
{
	return class == SAMPLED_PYTHON || class == SAMPLED_NATIVE || class == SAMPLED_KERNEL ||
	       class == SAMPLED_RUNNABLE;
}

struct sampled_scale sampled_scale(const struct samples *samples)
{
	struct sampled_scale scale = {KYMO_SAMPLE_KINDS, KYMO_SAMPLE_KINDS};

	if (samples->counts[KYMO_SAMPLE_REALTIME])
		scale.wall_kind = scale.cpu_kind = KYMO_SAMPLE_REALTIME;
	if (samples->counts[KYMO_SAMPLE_CPUTIME])
		scale.cpu_kind = KYMO_SAMPLE_CPUTIME;
	return scale;
}

enum sampled_weight sampled_weight_of(const struct sampled_scale *scale, enum sampled_by by)
{
	if (by == SAMPLED_BY_EVENT)
		return SAMPLED_EVENTS;
	return by == SAMPLED_BY_CPU || scale->wall_kind == KYMO_SAMPLE_KINDS ? SAMPLED_CPU
									     : SAMPLED_WALL;
}

static double cpu_weight(const struct sample *sample, enum sampled_class class, double *carried_ns)
{
	double cpu_ns = sample->cpu_ns;

	/* Without a reading of the CPU clock only the sample's own clock is known. */
	if (sample->kind == KYMO_SAMPLE_CPUTIME)
		return isnan(cpu_ns) ? sample->wall_ns : cpu_ns;
	if (isnan(cpu_ns))
		return cpu_ns;
	*carried_ns += cpu_ns;
	if (!sampled_is_running(class))
		return 0;
	cpu_ns = *carried_ns;
	*carried_ns = 0;
	return cpu_ns;
}

void sampled_weigh(const struct sampled_scale *scale, const struct sample *sample,
		   enum sampled_class class, double *carried_ns, double out[SAMPLED_WEIGHTS])
{
	out[SAMPLED_WALL] = sample->kind == scale->wall_kind ? sample->wall_ns : (double)NAN;
	out[SAMPLED_CPU] = sample->kind == scale->cpu_kind ? cpu_weight(sample, class, carried_ns)
							   : (double)NAN;
	out[SAMPLED_EVENTS] =
		sample->kind == KYMO_SAMPLE_OVERFLOW ? (double)sample->value : (double)NAN;
	out[SAMPLED_WAITING] = sampled_is_running(class) ? (double)NAN : out[SAMPLED_WALL];
}
