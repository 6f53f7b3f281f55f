/* A sleeping thread need not be stopped: /proc/PID/task/TID/syscall has its registers, and its
 * stack does not change.  If the frame pointer is needed, which is not in there, it is stopped
 * after all. */
#include "attach/sample/nativetarget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/sample/watch.h"
#include "attach/target/samplestop.h"
#include "base/hashset.h"
#include "platform/usage.h"

#define PAGE	      4096u
#define STACK_PAGES   4u
#define MAPS_AGAIN_NS UINT64_C(500000000)
#define RED_ZONE      128u

struct nativetarget {
	struct watch *watch;
	struct samplestop stopping;
	uint64_t refusals;
	int refusal;	     /* errno of the last one */
	struct hashset rows; /* by address */
	uint64_t maps_ns;    /* when the mappings were read last */
	/* The innermost part of the stack that is being walked. */
	uint64_t stack_low;
	size_t stack_bytes;
	unsigned char stack[STACK_PAGES * PAGE];
};

enum kymo_status nativetarget_new(struct watch *watch, struct nativetarget **out,
				  struct problem *problem)
{
	const pid_t tracer = target_tracer(&watch->target);
	struct nativetarget *native;

	if (tracer > 0)
		return problem_set(problem, KYMO_ERROR,
				   "process %d is being traced by process %d (a debugger?): "
				   "--native and --blocking cannot stop its threads",
				   (int)watch->target.pid, (int)tracer);
	native = calloc(1, sizeof(*native));
	if (!native)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	native->watch = watch;
	*out = native;
	return KYMO_OK;
}

void nativetarget_free(struct nativetarget *native)
{
	if (!native)
		return;
	samplestop_release(&native->stopping);
	hashset_release(&native->rows);
	free(native);
}

static bool is_known_to_kernel(const struct watch_thread *thread)
{
	return thread->task.last.is_asleep && thread->task.last.pc != 0;
}

static const struct threadstop_thread *sample_nativetarget_stop(struct nativetarget *native,
								pid_t thread)
{
	const struct threadstop_thread *stopped = samplestop_stop(&native->stopping, thread);

	if (!stopped && native->stopping.error != ESRCH &&
	    !target_is_ending(native->watch->target.pid, thread)) {
		native->refusals++;
		native->refusal = native->stopping.error;
	}
	return stopped;
}

bool nativetarget_stop(struct nativetarget *native, const struct watch_thread *thread)
{
	return is_known_to_kernel(thread) || sample_nativetarget_stop(native, thread->task.id);
}

uint64_t nativetarget_refusals(const struct nativetarget *native, int *error_out)
{
	*error_out = native->refusal;
	return native->refusals;
}

void nativetarget_stop_running(struct nativetarget *native)
{
	for (size_t i = 0; i < native->watch->count; i++) {
		const struct watch_thread *thread = native->watch->threads[i];

		if (thread->news == TARGETTASK_CHANGED && !thread->task.last.is_asleep)
			sample_nativetarget_stop(native, thread->task.id);
	}
}

bool nativetarget_resume(struct nativetarget *native)
{
	return samplestop_resume(&native->stopping);
}

static void learn_maps(struct nativetarget *native)
{
	struct watch *watch = native->watch;
	uint64_t now_ns = usage_clock_ns(CLOCK_MONOTONIC);
	struct targetmaps maps;

	if (now_ns - native->maps_ns < MAPS_AGAIN_NS)
		return;
	native->maps_ns = now_ns;
	if (targetmaps_read(&maps, &watch->remote) != 0)
		return;
	targetmaps_release(&watch->maps);
	watch->maps = maps;
	watch->maps_count++;
	hashset_release(&native->rows);
	native->rows = (struct hashset){0};
}

static bool nativetarget_find_row(struct nativetarget *native, uint64_t pc, struct cfi_row *row)
{
	struct watch *watch = native->watch;
	struct targetmodule *module = targetmaps_module(&watch->maps, pc);
	struct elfimage_section header, frames;
	const struct elfimage *image;

	if (!module) {
		learn_maps(native);
		module = targetmaps_module(&watch->maps, pc);
	}
	image = module ? targetmaps_image(&watch->maps, module, &watch->remote) : NULL;
	if (!image || !elfimage_unwind(image, &header, &frames))
		return false;
	return cfi_find(&(struct cfi_section){.header = header.bytes,
					      .header_size = header.bytes ? header.size : 0,
					      .header_address = header.address + module->bias,
					      .frames = frames.bytes,
					      .frames_size = frames.size,
					      .frames_address = frames.address + module->bias},
			pc, row, NULL, NULL);
}

static bool nativetarget_row_of(void *context, uint64_t pc, struct cfi_row *row)
{
	struct nativetarget *native = context;
	uint64_t word = hashset_find_key(&native->rows, hash_word(pc));

	if (!word) {
		if (!nativetarget_find_row(native, pc, row))
			return false;
		memcpy(&word, row, sizeof(word));
		if (word)
			hashset_insert(&native->rows, hash_word(pc), word);
		return true;
	}
	memcpy(row, &word, sizeof(word));
	return true;
}

static void fetch_stack(struct nativetarget *native, uint64_t sp)
{
	struct remote_range ranges[STACK_PAGES];
	uint64_t low = (sp - RED_ZONE) & ~(uint64_t)(PAGE - 1);

	for (unsigned i = 0; i < STACK_PAGES; i++)
		ranges[i] = (struct remote_range){
			.address = low + i * PAGE, .size = PAGE, .to = native->stack + i * PAGE};
	remote_read_ranges(&native->watch->remote, ranges, STACK_PAGES);
	native->stack_low = low;
	native->stack_bytes = 0;
	for (unsigned i = 0; i < STACK_PAGES && ranges[i].is_read; i++)
		native->stack_bytes += PAGE;
}

static bool nativetarget_read_stack(void *context, uint64_t address, void *to, size_t size)
{
	struct nativetarget *native = context;
	uint64_t at = address - native->stack_low;

	if (address >= native->stack_low && at <= native->stack_bytes &&
	    size <= native->stack_bytes - at) {
		memcpy(to, native->stack + at, size);
		return true;
	}
	return remote_read(&native->watch->remote, address, to, size);
}

static size_t sample_nativetarget_walk(struct nativetarget *native,
				       const struct unwind_registers *registers,
				       struct unwind_frame *frames, size_t capacity,
				       enum unwind_end *end_out)
{
	const struct unwind_space space = {
		.read = nativetarget_read_stack, .row = nativetarget_row_of, .context = native};

	fetch_stack(native, registers->sp);
	return unwind_walk(&space, registers, frames, capacity, end_out);
}

size_t nativetarget_walk(struct nativetarget *native, const struct watch_thread *thread,
			 struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	const struct threadstop_thread *stopped =
		samplestop_find(&native->stopping, thread->task.id);
	struct unwind_registers now = {.pc = thread->task.last.pc, .sp = thread->task.last.sp};
	size_t count = 0;

	if (!stopped && is_known_to_kernel(thread)) {
		count = sample_nativetarget_walk(native, &now, frames, capacity, end_out);
		if (*end_out == UNWIND_COMPLETE || *end_out == UNWIND_CUT ||
		    targettask_is_delicate(&thread->task))
			return count;
		stopped = sample_nativetarget_stop(native, thread->task.id);
	}
	if (!stopped)
		return count;
	now.pc = stopped->registers.pc;
	now.sp = stopped->registers.sp;
	now.fp = stopped->registers.fp;
	return sample_nativetarget_walk(native, &now, frames, capacity, end_out);
}
