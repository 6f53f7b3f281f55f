/* Section "activity": what each thread did with its time, in nanoseconds.
 *
 * activities: all of them, in display order; threads: one entry each, with the process's and the
 * thread's number as in the section "run", how many samples, the CPU time (0 = unknown) and a
 * column of times by activity.  Threads beyond THREADS_MAX are one entry without numbers. */
#include "view/page.h"
#include "model/samples/sampled_threads.h"
#include "view/page_out.h"

#define THREADS_MAX 4000u

static void write_activities(struct json_writer *json)
{
	json_key(json, "activities");
	json_begin_array(json);
	for (unsigned int i = 0; i < ACTIVITIES; i++) {
		json_begin_object(json);
		json_pair_text(json, "id", activity_word((enum activity)i));
		json_pair_text(json, "title", activity_title((enum activity)i));
		json_pair_bool(json, "is_wait", activity_is_wait((enum activity)i));
		json_end_object(json);
	}
	json_end_array(json);
}

static void write_ns(struct json_writer *json, const char *key, double ns)
{
	json_pair_count(json, key, ns > 0 ? (uint64_t)(ns + 0.5) : 0);
}

/* count: threads in the entry. */
static void activity_write_thread(struct json_writer *json, const struct activity_thread *thread,
				  size_t count)
{
	json_line(json);
	json_begin_object(json);
	if (count == 1) {
		json_pair_count(json, "process", thread->process);
		json_pair_count(json, "thread", thread->thread);
	} else {
		json_pair_count(json, "threads", count);
	}
	json_pair_bool(json, "is_sampled", thread->is_sampled);
	json_pair_count(json, "samples", thread->sample_count);
	write_ns(json, "cpu", thread->cpu_ns);
	json_key(json, "ns");
	json_begin_array(json);
	for (unsigned int i = 0; i < ACTIVITIES; i++)
		json_count(json, thread->ns[i] > 0 ? (uint64_t)(thread->ns[i] + 0.5) : 0);
	json_end_array(json);
	json_end_object(json);
}

static void activity_add(struct activity_thread *sum, const struct activity_thread *thread)
{
	sum->is_sampled |= thread->is_sampled;
	sum->sample_count += thread->sample_count;
	sum->cpu_ns += thread->cpu_ns;
	for (unsigned int i = 0; i < ACTIVITIES; i++)
		sum->ns[i] += thread->ns[i];
}

static void activity_write_threads(struct json_writer *json, const struct activities *all)
{
	struct activity_thread rest = {0};

	json_key(json, "threads");
	json_begin_array(json);
	for (size_t i = 0; i < all->count; i++) {
		if (i < THREADS_MAX)
			activity_write_thread(json, &all->threads[i], 1);
		else
			activity_add(&rest, &all->threads[i]);
	}
	/* At least two, since one would be mistaken for a thread with numbers. */
	if (all->count == THREADS_MAX + 1)
		activity_write_thread(json, &all->threads[THREADS_MAX], 1);
	else if (all->count > THREADS_MAX)
		activity_write_thread(json, &rest, all->count - THREADS_MAX);
	json_end_array(json);
}

static void write_activity(const struct page *page, struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "activity");

	json_begin_object(json);
	json_pair_number(json, "effective_count",
			 sampled_effective_count(page->loaded->trees, page->loaded->tree_count));
	write_activities(json);
	activity_write_threads(json, page->activities);
	json_end_object(json);
	page_json_end(out);
}

const struct page_section page_activity_section = {.write = write_activity};
