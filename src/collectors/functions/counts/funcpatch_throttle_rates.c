/* Current call rates of functions: exact for counted ones; for recorded ones estimated from some
 * of the records that their threads have written since the last measurement.  Serves funcpatch.h.
 */
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/records/funcpatch_marked.h"

#include <string.h>
#include <sys/mman.h>

#include "base/pages.h"
#include "collectors/functions/counts/funcpatch_counts.h"
#include "collectors/functions/counts/funcpatch_throttle.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "patch/apply/patchapplied.h"
#include "platform/code/rawmemory.h"

#define IDS	    ((uint64_t)PATCH_ID_MAX + 1)
#define SAMPLE_MAX  (UINT64_C(64) << 10) /* bytes of a thread's records */
#define PAIR_BYTES  (PATCH_ENTER_BYTES + PATCH_EXIT_BYTES)
#define MARKED_PAIR (PATCH_MARKED_ENTER_BYTES + PATCH_MARKED_EXIT_BYTES)
#define THREADS_MAX 16u /* whose records are read in one measurement */

static struct { /* memory of the helper, allocated at the first measurement; by id */
	uint64_t *calls, *last;
	uint8_t *sample;
	unsigned threads; /* number of threads sampled in this measurement */
	uint64_t all;	  /* calls */
} seen;

static bool rates_reserve(void)
{
	const size_t size = IDS * sizeof(*seen.calls);

	if (seen.sample)
		return true;
	seen.calls = pages_new(size);
	seen.last = pages_new(size);
	seen.sample = pages_new(SAMPLE_MAX);
	if (seen.calls && seen.last && seen.sample)
		return true;
	pages_free(seen.calls, size);
	pages_free(seen.last, size);
	pages_free(seen.sample, SAMPLE_MAX);
	seen.calls = seen.last = NULL;
	seen.sample = NULL;
	return false;
}

/* Count the enters among size bytes, each with a weight; returns the bytes of complete records. */
static uint64_t count_enters(const uint8_t *bytes, uint64_t size, uint64_t each)
{
	const uint32_t enter_long = (1u << PATCH_ENTER_TICKS_BITS) - 1;
	const uint32_t exit_long = (1u << PATCH_EXIT_TICKS_BITS) - 1;
	uint64_t at = 0, length;

	for (; size - at >= PATCH_RECORD_MAX; at += length) {
		uint64_t head;

		memcpy(&head, bytes + at, sizeof(head));
		if (head & 1) {
			seen.calls[head >> PATCH_ENTER_ID_SHIFT & PATCH_ID_MAX] += each;
			length = PATCH_ENTER_BYTES;
			if ((head >> 1 & enter_long) == enter_long)
				length += PATCH_TIME_BYTES;
		} else if (head & 2) {
			length = PATCH_EXIT_BYTES;
			if ((head >> PATCH_EXIT_TICKS_SHIFT & exit_long) == exit_long)
				length += PATCH_TIME_BYTES;
		} else {
			if ((head & 0xff) >> 2 == PATCH_MARK_END)
				return size;
			length = 1 + PATCH_TIME_BYTES;
		}
	}
	return at;
}

static uint64_t count_marked(const uint8_t *bytes, uint64_t size, uint64_t each)
{
	uint64_t at = 0, length;

	for (; size - at >= PATCH_RECORD_MAX; at += length) {
		uint32_t head;

		memcpy(&head, bytes + at, sizeof(head));
		if (head & 1) {
			seen.calls[head >> PATCH_MARKED_ID_SHIFT] += each;
			length = PATCH_MARKED_ENTER_BYTES;
		} else if (head & 2) {
			length = PATCH_MARKED_EXIT_BYTES;
		} else {
			length = head & 0xff ? PATCH_MARK_BYTES : 1;
		}
	}
	return at;
}

/* The pages may be unmapped concurrently: the kernel copies what is mapped. */
static uint64_t rates_copy_out(const uint8_t *from, uint64_t size)
{
	uint64_t local[2] = {(uint64_t)(uintptr_t)seen.sample, size};
	uint64_t remote[2] = {(uint64_t)(uintptr_t)from, size};
	long got = raw_call6(SYS_process_vm_readv, raw_call(SYS_getpid, 0, 0, 0), (long)local, 1,
			     (long)remote, 1, 0);

	return got > 0 ? (uint64_t)got : 0;
}

static void rates_count_records(struct funcpatch_thread *thread, void *unused)
{
	struct funcpatch_throttle_thread *throttle = &thread->throttle;
	const uint8_t *start = __atomic_load_n(&thread->chunk_start, __ATOMIC_ACQUIRE);
	bool is_marked = funcpatch_is_marked();
	const uint8_t *cursor = is_marked ? funcpatch_marked_cursor(thread)
					  : __atomic_load_n(&thread->hot->cursor, __ATOMIC_ACQUIRE);
	uint64_t written, size;

	(void)unused;
	if (!start || cursor < start || start != thread->chunk_start)
		return;
	written = thread->written + (uint64_t)(cursor - start);
	if (throttle->seen_start != start || throttle->seen > cursor) {
		throttle->seen_start = throttle->seen = start;
	}
	size = (uint64_t)(cursor - throttle->seen);
	size = size < SAMPLE_MAX ? size : SAMPLE_MAX;
	written -= throttle->seen_written < written ? throttle->seen_written : written;
	throttle->seen_written += written;
	seen.all += written / (is_marked ? MARKED_PAIR : PAIR_BYTES);
	if (size < PATCH_RECORD_MAX || seen.threads++ >= THREADS_MAX)
		return;
	size = rates_copy_out(throttle->seen, size);
	throttle->seen += (is_marked ? count_marked : count_enters)(seen.sample, size,
								    1 + written / (size + 1));
}

static void rates_count_counted(struct funcpatch_thread *thread, void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < funcpatch_throttle_modules(); i++) {
		const struct funcpatch_module *module = &funcpatch_modules[i];

		funcpatch_counts_report(thread, module->first_id, module->first_id + module->count,
					seen.calls);
	}
}

/* Subtract the previous counts; those of threads that have ended are missing. */
static void rates_subtract_previous(const struct funcpatch_module *module)
{
	for (uint32_t id = module->first_id; id < module->first_id + module->count; id++) {
		uint64_t now = seen.calls[id];

		seen.calls[id] = now > seen.last[id] ? now - seen.last[id] : 0;
		seen.last[id] = now;
		seen.all += seen.calls[id];
	}
}

static unsigned rates_insert(struct funcpatch_throttle_rate *rates, unsigned count, unsigned max,
			     struct funcpatch_throttle_rate rate)
{
	unsigned at = count < max ? count : max - 1;

	if (max == 0 || (count == max && rates[at].calls >= rate.calls))
		return count;
	for (; at > 0 && rates[at - 1].calls < rate.calls; at--)
		rates[at] = rates[at - 1];
	rates[at] = rate;
	return count < max ? count + 1 : max;
}

static unsigned rates_select(const struct funcpatch_module *module,
			     struct funcpatch_throttle_rate *rates, unsigned count, unsigned max)
{
	const struct plan *plan = &module->applied.plan;

	for (uint64_t i = 0; i < plan->header->copy_count; i++) {
		uint32_t index = plan->copies[i].function, id = module->first_id + index;

		if (seen.calls[id] && patchapply_is_in_place(module->applied.is_written[index]) &&
		    !funcpatch_throttle_is_on(id))
			count = rates_insert(rates, count, max,
					     (struct funcpatch_throttle_rate){id, seen.calls[id]});
	}
	return count;
}

static void rates_clear(void)
{
	for (uint32_t i = 0; i < funcpatch_throttle_modules(); i++)
		memset(seen.calls + funcpatch_modules[i].first_id, 0,
		       funcpatch_modules[i].count * sizeof(*seen.calls));
}

unsigned funcpatch_throttle_measure(struct funcpatch_throttle_rate *rates, unsigned max,
				    uint64_t *calls_out)
{
	bool is_counts = funcpatch_settings.cost == PATCH_COST_COUNTS;
	uint64_t before;
	unsigned count = 0;

	*calls_out = 0;
	if (!rates_reserve())
		return 0;
	seen.all = 0;
	seen.threads = 0;
	funcpatch_lock(&before);
	funcpatch_threads_each(is_counts ? rates_count_counted : rates_count_records, NULL);
	funcpatch_unlock(before);
	for (uint32_t i = 0; i < funcpatch_throttle_modules(); i++) {
		if (is_counts)
			rates_subtract_previous(&funcpatch_modules[i]);
		if (!funcpatch_modules[i].is_api && !funcpatch_modules[i].is_rewritten)
			count = rates_select(&funcpatch_modules[i], rates, count, max);
	}
	rates_clear();
	*calls_out = seen.all;
	return count;
}
