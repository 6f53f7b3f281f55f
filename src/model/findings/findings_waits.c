/* Findings about waits of threads, and about unused processors. */
#include "model/findings/findings_waits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/findings/findings_builder.h"
#include "model/findings/gil_threads.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_rank.h"
#include "model/samples/sampled_waits.h"

#define GIL_SHARE  0.05 /* of the time of the threads that use Python */
#define LOCK_SHARE 0.05 /* of the time of all threads, if each wait was recorded */
#define WAIT_SHARE 0.10 /* likewise, if they are estimated from samples */

#define ALONE_SHARE   0.95 /* of the CPU time is one thread's */
#define ALONE_BUSY    0.90 /* of the run it computes */
#define ALONE_LEAST_S 1.0  /* shorter runs are not worth dividing */
#define HINT_WEIGHT   0.10 /* of the run: the possible gain is not known */

/* In an MPI job, processes without a rank are the launcher and its helpers: their waits delay
 * nobody. */
static bool is_rank_of_job(const struct findings_builder *builder, int32_t rank)
{
	return builder->parts->rank_count == 0 || rank >= 0;
}

static bool is_of_the_job(const struct findings_builder *builder, const struct recording *recording)
{
	return is_rank_of_job(builder, recording_rank(recording));
}

static void find_gil(struct findings_builder *builder)
{
	double waited_s = 0, lifecycle_s = 0;
	char share[QUANTITY_MAX], time[QUANTITY_MAX];
	struct gil_threads list;

	builder->has_failed |= !gil_threads_init(&list, builder->loaded);
	for (size_t i = 0; i < list.count; i++) {
		double own_s = list.threads[i].numbers[GIL_WAITED];

		if (!is_of_the_job(builder, list.threads[i].recording))
			continue;
		waited_s += isnan(own_s) ? 0 : own_s;
		lifecycle_s += gil_thread_lifetime_s(&list.threads[i]);
	}
	gil_threads_release(&list);
	if (lifecycle_s <= 0 || waited_s < GIL_SHARE * lifecycle_s)
		return;
	finding_add(builder,
		    (struct finding){.kind = "GIL",
				     .view = "gil",
				     .region = FINDING_NO_REGION,
				     .cost_s = waited_s},
		    "Threads wait %s of the time for Python's GIL, %s in sum.",
		    finding_percent(waited_s, lifecycle_s, share),
		    quantity_duration(waited_s, time));
}

/* Waits caused by another thread's work, which a different order of work could avoid; joining a
 * thread is not one of them. */
static bool is_lock(const struct region *region)
{
	static const char *const words[] = {"mutex", "rwlock", "spin", "barrier", "sem_"};

	if (region->kind != KYMO_REGION_PTHREAD || !(region->flags & KYMO_REGION_OBJECT))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(region->name, words[i]))
			return true;
	return false;
}

/* Own time of a region in all threads of the job. */
static double self_in_job_ns(const struct findings_builder *builder, uint32_t region)
{
	const struct parts *parts = builder->parts;
	double sum_ns = 0;

	for (size_t i = parts->first[region]; i < parts->first[region + 1]; i++)
		if (is_rank_of_job(builder, parts->parts[parts->shares[i].part].rank))
			sum_ns += parts->shares[i].self_ns;
	return sum_ns;
}

static void find_locks(struct findings_builder *builder)
{
	double threads_ns = 0, most_ns = 0;
	char name[FINDING_NAME_MAX], share[QUANTITY_MAX], time[QUANTITY_MAX];
	uint32_t most = 0;

	for (uint32_t i = 0; i < builder->regions->count; i++) {
		double self_ns = self_in_job_ns(builder, i);

		threads_ns += self_ns;
		if (self_ns <= most_ns || !is_lock(builder->regions->regions[i]))
			continue;
		most_ns = self_ns;
		most = i;
	}
	if (most_ns <= 0 || most_ns < LOCK_SHARE * threads_ns)
		return;
	finding_add(builder,
		    (struct finding){
			    .kind = "locks",
			    .view = "waits",
			    .region = most,
			    .cost_s = most_ns * 1e-9,
		    },
		    "Threads wait %s of the time in %s, %s in sum.",
		    finding_percent(most_ns, threads_ns, share), finding_name(builder, most, name),
		    quantity_duration(most_ns * 1e-9, time));
}

struct wait_sum { /* of some classes, over all processes */
	double ns, largest_ns;
	char place[2 * FINDING_NAME_MAX]; /* of the largest */
};

/* A bare address means nothing to users. */
static bool waits_has_name(const char *object)
{
	return object && strncmp(object, "0x", 2) != 0;
}

static void write_place(const struct sampled_wait *wait, struct wait_sum *sum)
{
	if (waits_has_name(wait->object) && wait->function)
		snprintf(sum->place, sizeof(sum->place), ", most for `%.64s` in `%.64s`",
			 wait->object, wait->function);
	else if (wait->function)
		snprintf(sum->place, sizeof(sum->place), ", most in `%.64s`", wait->function);
	else
		sum->place[0] = '\0';
	for (char *c = sum->place; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
}

static void add_wait(const struct sampled_wait *wait, struct wait_sum *sum)
{
	double ns = wait->ns - wait->idle_ns; /* waits of idle threads cost nothing */

	sum->ns += ns;
	if (ns <= sum->largest_ns)
		return;
	sum->largest_ns = ns;
	write_place(wait, sum);
}

static void add_waits_finding(struct findings_builder *builder, const struct wait_sum *sum,
			      double total_ns, const char *kind, const char *what)
{
	char share[QUANTITY_MAX], time[QUANTITY_MAX];

	if (sum->ns < WAIT_SHARE * total_ns || sum->ns <= 0)
		return;
	finding_add(builder,
		    (struct finding){.kind = kind,
				     .view = "waits",
				     .region = FINDING_NO_REGION,
				     .cost_s = sum->ns * 1e-9},
		    "Threads wait %s of the time for %s%s; %s in sum.",
		    finding_percent(sum->ns, total_ns, share), what, sum->place,
		    quantity_duration(sum->ns * 1e-9, time));
}

static void find_sampled_waits(struct findings_builder *builder)
{
	const struct sampled_options options = {0};
	struct wait_sum locks = {0}, files = {0};
	double total_ns = 0;

	for (size_t i = 0; i < builder->loaded->tree_count; i++) {
		const struct calltree *tree = builder->loaded->trees[i];
		const struct samples *samples = loaded_samples(builder->loaded, i);
		struct sampled_waits *waits;

		if (!samples || !is_of_the_job(builder, tree->recording))
			continue;
		if (sampled_waits_new((struct recording *)tree->recording, samples, &options,
				      &waits) < 0) {
			builder->has_failed = true;
			return;
		}
		total_ns += waits->total_ns - waits->idle_ns;
		for (size_t k = 0; k < waits->count; k++) {
			const struct sampled_wait *wait = &waits->waits[k];

			if (wait->class == SAMPLED_LOCK)
				add_wait(wait, &locks);
			else if (wait->class == SAMPLED_IO || wait->class == SAMPLED_NETWORK)
				add_wait(wait, &files);
		}
		sampled_waits_free(waits);
	}
	add_waits_finding(builder, &locks, total_ns, "locks", "locks and other threads");
	add_waits_finding(builder, &files, total_ns, "input and output", "input and output");
}

static uint64_t processors_of(const struct recording *recording)
{
	const char *text = recording_note(recording, KYMO_NOTE_INFO, "processors");

	return text ? strtoull(text, NULL, 10) : 0;
}

/* CPU time of the thread that used most; of a single-threaded process its own. */
static uint64_t largest_cpu_ns(const struct recording *recording)
{
	uint64_t largest_ns = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < recording->thread_count; i++) {
		count += recording->threads[i].is_present;
		if (recording->threads[i].cpu_ns > largest_ns)
			largest_ns = recording->threads[i].cpu_ns;
	}
	return count == 1 ? recording->header.process_cpu_ns : largest_ns;
}

static void find_one_thread(struct findings_builder *builder)
{
	const struct recording *recording = builder->loaded->trees[0]->recording;
	double duration_s = builder->facts->duration_s;
	double cpu_s = (double)recording->header.process_cpu_ns * 1e-9;
	double thread_s = (double)largest_cpu_ns(recording) * 1e-9;
	uint64_t processors = processors_of(recording);

	if (builder->facts->process_count != 1 || recording->part_count > 0 || processors < 2 ||
	    recording_rank(recording) >= 0 || duration_s < ALONE_LEAST_S)
		return;
	if (thread_s < ALONE_SHARE * cpu_s || thread_s < ALONE_BUSY * duration_s)
		return;
	finding_add(builder,
		    (struct finding){.kind = "one thread",
				     .view = "threads",
				     .region = FINDING_NO_REGION,
				     .cost_s = HINT_WEIGHT * duration_s},
		    "One thread does all the work; the program may use %llu processors.",
		    (unsigned long long)processors);
}

void findings_of_waits(struct findings_builder *builder)
{
	find_gil(builder);
	if (builder->loaded->has_samples)
		find_sampled_waits(builder);
	if (!builder->loaded->is_sampled)
		find_locks(builder);
	find_one_thread(builder);
}
