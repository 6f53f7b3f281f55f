/* An open frame continues after its call: that address may be the first byte that is changed, where
 * a jump begins then, but not a later one.  For calls that follows from the bytes themselves, so
 * such functions are left out; for signal handlers the stacks are searched, word by word. */
#include "attach/functions/textwrites.h"

#include <stdlib.h>
#include <string.h>

#include "base/partitionpoint.h"
#include "object/code/x86_64/instruction.h"
#include "patch/read/planread.h"

#define PLAN_BYTES_MAX	(UINT64_C(1) << 31)
#define STACK_BYTES_MAX (UINT64_C(256) << 20)
#define PIECE_WORDS	8192u /* of a stack, read at once */
#define LENGTH_MAX	15u   /* of an instruction */
#define STEPS_MAX	24    /* more instructions than fit in the changed bytes */
#define JUMP		0xe9
#define JUMP_BYTES	5u
#define SYSCALL_BYTES	2u

struct reading { /* of one module */
	struct textwrites *writes;
	uint32_t module;
	unsigned char *bytes;
	struct plan plan;
	unsigned char *choice;
};

static const struct patchattach_module *textwrites_module_of(const struct reading *reading)
{
	return &reading->writes->table->modules[reading->module];
}

static void *read_new(struct remote *remote, uint64_t address, uint64_t size)
{
	void *bytes = malloc(size ? size : 1);

	if (bytes && remote_read(remote, address, bytes, size))
		return bytes;
	free(bytes);
	return NULL;
}

static enum kymo_status damaged(struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM,
			   "the table of kymo's library in the process cannot be read");
}

static enum kymo_status read_module(struct reading *reading, struct problem *problem)
{
	const struct patchattach_module *module = textwrites_module_of(reading);
	struct remote *remote = reading->writes->remote;

	if (module->plan_size > PLAN_BYTES_MAX)
		return damaged(problem);
	reading->bytes = read_new(remote, module->plan, module->plan_size);
	if (!reading->bytes || !plan_read(reading->bytes, module->plan_size, true, &reading->plan))
		return damaged(problem);
	reading->choice = read_new(remote, module->choice, reading->plan.header->function_count);
	return reading->choice ? KYMO_OK : damaged(problem);
}

static void textwrites_release(struct reading *reading)
{
	free(reading->bytes);
	free(reading->choice);
	reading->bytes = reading->choice = NULL;
}

/* Calls that end within the changed bytes. */

static bool textwrites_is_call(const struct instruction *instruction)
{
	return instruction->map == 1 && !instruction->is_vector &&
	       (instruction->opcode == 0xe8 ||
		(instruction->opcode == 0xff && (instruction->reg == 2 || instruction->reg == 3)));
}

/* An instruction whose last bytes are not changed still ends after the write. */
static bool textwrites_has_inner_call(const struct plan_write *write)
{
	uint8_t bytes[PLAN_PATCH_MAX + LENGTH_MAX] = {0};
	struct instruction instruction;

	memcpy(bytes, write->before, write->size);
	for (size_t at = 0; at < write->size; at += instruction.length) {
		if (!instruction_decode(bytes + at, sizeof(bytes) - at, &instruction))
			return true;
		if (textwrites_is_call(&instruction) && at + instruction.length < write->size)
			return true;
	}
	return false;
}

static bool textwrites_is_chosen(const struct reading *reading, uint32_t function)
{
	return function < reading->plan.header->function_count &&
	       reading->choice[function] == CHOICE_TAKEN &&
	       reading->plan.functions[function].way != PLAN_WAY_NONE;
}

/* Remove it from the choice, there and here. */
static void textwrites_exclude(struct textwrites *writes, uint32_t module, uint32_t function)
{
	const uint8_t left = CHOICE_LEFT;

	if (remote_write(writes->remote, writes->table->modules[module].choice + function, &left,
			 sizeof(left)))
		writes->excluded_count++;
}

static void take_out_calls(struct reading *reading)
{
	const struct plan *plan = &reading->plan;

	for (uint32_t i = 0; i < plan->header->function_count; i++) {
		const struct plan_function *function = &plan->functions[i];

		for (unsigned k = 0; k < function->write_count && textwrites_is_chosen(reading, i);
		     k++) {
			if (!textwrites_has_inner_call(&plan->writes[function->first_write + k]))
				continue;
			textwrites_exclude(reading->writes, reading->module, i);
			reading->choice[i] = CHOICE_LEFT;
		}
	}
}

static bool keep_writes(struct reading *reading)
{
	struct textwrites *writes = reading->writes;
	const struct plan *plan = &reading->plan;
	size_t capacity = writes->count + plan->header->write_count;
	struct textwrite *grown = realloc(writes->writes, (capacity + 1) * sizeof(*grown));

	if (!grown)
		return false;
	writes->writes = grown;
	for (uint32_t i = 0; i < plan->header->function_count; i++) {
		const struct plan_function *function = &plan->functions[i];

		if (!textwrites_is_chosen(reading, i))
			continue;
		writes->functions++;
		for (unsigned k = 0; k < function->write_count; k++) {
			const struct plan_write *write = &plan->writes[function->first_write + k];
			uint64_t start = plan_write_address(plan->header, write) +
					 textwrites_module_of(reading)->bias;

			grown[writes->count++] =
				(struct textwrite){start, start + write->size, reading->module, i};
		}
	}
	return true;
}

static int textwrites_by_address(const void *a, const void *b)
{
	const struct textwrite *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

static enum kymo_status textwrites_read_modules(struct textwrites *writes, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 0; status == KYMO_OK && i < writes->table->count; i++) {
		struct reading reading = {.writes = writes, .module = i};

		status = read_module(&reading, problem);
		if (status == KYMO_OK) {
			take_out_calls(&reading);
			if (!keep_writes(&reading))
				status = problem_set(problem, KYMO_MEMORY, "out of memory");
		}
		textwrites_release(&reading);
	}
	return status;
}

enum kymo_status textwrites_open(struct textwrites *writes, struct remote *remote, uint64_t address,
				 struct problem *problem)
{
	enum kymo_status status;

	*writes = (struct textwrites){.remote = remote};
	writes->table = read_new(remote, address, sizeof(*writes->table));
	if (!writes->table || writes->table->version != PATCHATTACH_VERSION ||
	    writes->table->count > PATCHATTACH_MODULES_MAX)
		status = damaged(problem);
	else
		status = textwrites_read_modules(writes, problem);
	if (status < 0)
		textwrites_close(writes);
	else if (writes->count > 0)
		qsort(writes->writes, writes->count, sizeof(*writes->writes),
		      textwrites_by_address);
	return status;
}

void textwrites_close(struct textwrites *writes)
{
	free(writes->table);
	free(writes->writes);
	*writes = (struct textwrites){0};
}

bool textwrites_are_in_code(const struct textwrites *writes, const struct stop_all *stop)
{
	for (uint32_t i = 0; i < writes->table->count; i++) {
		const struct patchattach_module *module = &writes->table->modules[i];

		for (size_t k = 0; k < stop->all.count; k++)
			if (stop->all.threads[k].registers.pc - module->code <
			    module->code_end - module->code)
				return true;
	}
	return false;
}

/* The write with address in [start + skip, end). */
static const struct textwrite *textwrites_find(const struct textwrites *writes, uint64_t address,
					       unsigned skip)
{
	size_t at = partition_point(writes->count, i, writes->writes[i].end <= address);

	return at < writes->count && writes->writes[at].start + skip <= address
		       ? &writes->writes[at]
		       : NULL;
}

/* Step out, past the changed bytes.  False: it is blocked in there. */
static bool step_out(const struct textwrites *writes, struct threadstop_thread *thread)
{
	if (thread->registers.is_in_call)
		return false;
	for (int i = 0; i < STEPS_MAX; i++) {
		if (!textwrites_find(writes, thread->registers.pc, 1))
			return true;
		if (!threadstop_step(thread))
			return false;
	}
	return !textwrites_find(writes, thread->registers.pc, 1);
}

static void textwrites_check_thread(struct textwrites *writes, struct threadstop_thread *thread)
{
	const struct textwrite *write = textwrites_find(writes, thread->registers.pc, 1);

	if (write && !step_out(writes, thread))
		textwrites_exclude(writes, write->module, write->function);
	/* A restarted system call begins two bytes earlier. */
	write = textwrites_find(writes, thread->registers.pc - SYSCALL_BYTES, 1);
	if (write && thread->registers.is_in_call)
		textwrites_exclude(writes, write->module, write->function);
}

static uint64_t textwrites_stack_end(const struct targetmaps *maps, uint64_t sp)
{
	for (size_t i = 0; i < maps->count; i++)
		if (sp >= maps->maps[i].start && sp < maps->maps[i].end)
			return maps->maps[i].end;
	return sp;
}

static void textwrites_check_words(struct textwrites *writes, const uint64_t *words, size_t count)
{
	uint64_t low = writes->writes[0].start, high = writes->writes[writes->count - 1].end;

	for (size_t i = 0; i < count; i++) {
		const struct textwrite *write;

		if (words[i] < low || words[i] >= high)
			continue;
		write = textwrites_find(writes, words[i], 1);
		if (write)
			textwrites_exclude(writes, write->module, write->function);
	}
}

static void check_stack(struct textwrites *writes, const struct threadstop_thread *thread,
			const struct targetmaps *maps)
{
	static uint64_t words[PIECE_WORDS];
	uint64_t at = thread->registers.sp & ~UINT64_C(7), end = textwrites_stack_end(maps, at);

	if (end - at > STACK_BYTES_MAX)
		end = at + STACK_BYTES_MAX;
	while (at < end) {
		uint64_t size = end - at < sizeof(words) ? end - at : sizeof(words);

		if (!remote_read(writes->remote, at, words, size))
			return;
		textwrites_check_words(writes, words, size / sizeof(*words));
		at += size;
	}
}

void textwrites_clear(struct textwrites *writes, struct stop_all *stop,
		      const struct targetmaps *maps)
{
	if (writes->count == 0)
		return;
	for (size_t i = 0; i < stop->all.count; i++) {
		textwrites_check_thread(writes, &stop->all.threads[i]);
		check_stack(writes, &stop->all.threads[i], maps);
	}
}

void textwrites_release_jumps(struct textwrites *writes, struct stop_all *stop)
{
	for (size_t i = 0; i < stop->all.count; i++) {
		struct threadstop_thread *thread = &stop->all.threads[i];
		uint64_t pc = thread->registers.pc;
		const struct textwrite *write = textwrites_find(writes, pc, 0);
		unsigned char code[JUMP_BYTES];
		int32_t distance;

		/* A thread in a system call may be set back to its beginning. */
		if (!write || write->start != pc || thread->registers.is_in_call ||
		    !remote_read(writes->remote, pc, code, sizeof(code)) || code[0] != JUMP)
			continue;
		memcpy(&distance, code + 1, sizeof(distance));
		threadstop_set_pc(thread, pc + JUMP_BYTES + (uint64_t)(int64_t)distance);
	}
}
