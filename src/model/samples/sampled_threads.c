/* What each thread did while it was sampled, and the confidence interval of a share. A sample
 * cannot show whether a thread had a processor, since its signal arrives only when the thread runs.
 * It follows from the sums: a thread found computing for longer than its CPU time had no processor
 * for the rest. */
#include "model/samples/sampled_threads.h"

#include <math.h>
#include <stdlib.h>

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_frames.h"
#include "model/samples/sampled_kinds.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_tree.h"

#define IDLE_SHARE 0.02 /* of its time: a thread that ran less never left its waits */

double sampled_effective_count(const struct calltree *const *trees, size_t tree_count)
{
	double weight = 0, squares = 0;

	for (size_t i = 0; i < tree_count; i++) {
		double own = 0;

		if (trees[i]->effective_count <= 0)
			continue;
		for (uint32_t n = 0; n < trees[i]->node_count; n++)
			own += trees[i]->nodes[n].self_ns;
		weight += own;
		squares += own * own / trees[i]->effective_count;
	}
	return squares > 0 ? weight * weight / squares : 0;
}

struct totals {
	double weight, squares, cpu_ns;
	bool has_cpu; /* all samples have it */
};

static void threads_sample_add(struct sampled_thread *thread, const struct sample *sample,
			       enum sampled_class class, double weight)
{
	thread->class_ns[class] += weight;
	if (sample->kind == KYMO_SAMPLE_REALTIME) {
		thread->gil_held_ns += sample->gil == KYMO_GIL_HELD ? sample->wall_ns : 0;
		thread->gil_wait_ns += class == SAMPLED_GIL ? sample->wall_ns : 0;
	}
}

static void threads_samples_add(const struct samples *samples, const struct sampled_stack *stacks,
				struct sampled_thread *thread, struct totals *totals)
{
	struct sampled_scale scale = sampled_scale(samples);
	enum sampled_weight by = sampled_weight_of(&scale, SAMPLED_BY_WALL);
	struct sample_position position = {0};
	struct sample sample;
	double carried_ns = 0, weights[SAMPLED_WEIGHTS];

	totals->has_cpu = true;
	while (samples_next(samples, thread->thread, &position, &sample)) {
		enum sampled_class class = sampled_classify(&stacks[sample.stack].leaf, &sample);

		sampled_weigh(&scale, &sample, class, &carried_ns, weights);
		if (!isnan(weights[SAMPLED_CPU]))
			thread->cpu_ns += weights[SAMPLED_CPU];
		if (isnan(weights[by]))
			continue;
		thread->count++;
		totals->weight += weights[by];
		totals->squares += weights[by] * weights[by];
		totals->has_cpu &= !isnan(sample.cpu_ns);
		totals->cpu_ns += isnan(sample.cpu_ns) ? 0 : sample.cpu_ns;
		threads_sample_add(thread, &sample, class, weights[by]);
	}
	thread->cpu_ns += carried_ns;
	if (by == SAMPLED_WALL)
		thread->wall_ns = totals->weight;
}

/* Subtract the time without a processor from the classes that compute, in proportion; but only if
 * it exceeds the sampling error. */
static void find_runnable(struct sampled_thread *thread, const struct totals *totals)
{
	static const enum sampled_class running[] = {SAMPLED_PYTHON, SAMPLED_NATIVE,
						     SAMPLED_KERNEL};
	double found = 0, share, missing, error;

	for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++)
		found += thread->class_ns[running[i]];
	missing = found - totals->cpu_ns;
	if (!totals->has_cpu || !(found > 0) || !(totals->squares > 0) || !(missing > 0))
		return;
	share = found / totals->weight;
	error = sqrt(share * (1 - share > 0 ? 1 - share : 0) * totals->squares);
	if (missing <= 2 * error)
		return;
	for (size_t i = 0; i < sizeof(running) / sizeof(running[0]); i++)
		thread->class_ns[running[i]] *= totals->cpu_ns / found;
	thread->class_ns[SAMPLED_RUNNABLE] = missing;
}

bool sampled_thread_has_samples(const struct samples *samples, uint32_t thread)
{
	const uint64_t *counts = samples->threads[thread].counts;

	return counts[KYMO_SAMPLE_REALTIME] || counts[KYMO_SAMPLE_CPUTIME] ||
	       counts[KYMO_SAMPLE_OVERFLOW];
}

/* Between its waits a thread waits for a processor, too, if there are fewer of these than threads:
 * that is no work. */
static double ran_for(const struct sampled_stack *stack, const struct sample *sample)
{
	if (!isnan(sample->cpu_ns))
		return sample->cpu_ns;
	return sampled_is_running(sampled_classify(&stack->leaf, sample)) ? sample->wall_ns : 0;
}

/* Such a thread was sampled computing at its start and its end, if at all. */
bool sampled_thread_is_idle(const struct samples *samples, uint32_t thread,
			    const struct sampled_stack *stacks)
{
	struct sample_position position = {0};
	struct sample sample;
	double ran_ns = 0, total_ns = 0;

	while (samples_next(samples, thread, &position, &sample)) {
		if (sample.kind != KYMO_SAMPLE_REALTIME)
			continue;
		total_ns += sample.wall_ns;
		ran_ns += ran_for(&stacks[sample.stack], &sample);
	}
	return ran_ns < IDLE_SHARE * total_ns;
}

static bool sampled_thread_add(struct sampled_frames *frames, const struct samples *samples,
			       struct sampled_thread *thread)
{
	struct sampled_stack *stacks = sampled_stacks_new(frames, samples, thread->thread);
	struct totals totals = {0};

	if (!stacks)
		return false;
	threads_samples_add(samples, stacks, thread, &totals);
	if (thread->wall_ns > 0)
		find_runnable(thread, &totals);
	free(stacks);
	return true;
}

static bool threads_build(struct sampled_frames *frames, const struct samples *samples,
			  struct sampled_threads *threads)
{
	uint32_t count = samples->recording->thread_count;

	threads->threads = calloc(count + (size_t)1, sizeof(*threads->threads));
	if (!threads->threads)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!sampled_thread_has_samples(samples, i))
			continue;
		threads->threads[threads->count].thread = i;
		if (!sampled_thread_add(frames, samples, &threads->threads[threads->count++]))
			return false;
	}
	return true;
}

enum kymo_status sampled_threads_new(struct recording *recording, const struct samples *samples,
				     struct sampled_threads **out)
{
	static const struct sampled_options plain = {.weight = SAMPLED_BY_WALL};
	struct sampled_threads *threads = calloc(1, sizeof(*threads));
	struct sampled_frames *frames = NULL;
	bool is_complete = threads &&
			   sampled_frames_new(recording, samples, &plain, &frames) == KYMO_OK &&
			   threads_build(frames, samples, threads);

	sampled_frames_free(frames);
	if (!is_complete) {
		sampled_threads_free(threads);
		return KYMO_MEMORY;
	}
	*out = threads;
	return KYMO_OK;
}

void sampled_threads_free(struct sampled_threads *threads)
{
	if (threads)
		free(threads->threads);
	free(threads);
}
