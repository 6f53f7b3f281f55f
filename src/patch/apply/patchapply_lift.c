/* Taking the jumps out of running text and putting them back, while all threads are stopped.
 *
 * Original bytes can be restored anywhere at any time: no thread is in the middle of a jump, and a
 * thread in a trampoline continues after the displaced instructions.  When the jumps are put back a
 * thread may be at a byte that is about to change, or return to one: from a call, from a signal
 * handler. Calls are recognised in the bytes themselves, so such functions are never lifted; for
 * the others whoever stops the threads has to check. */
#include "patch/apply/patchapply_lift.h"

#include <elf.h>

#include "object/code/x86_64/instruction.h"
#include "platform/code/codepages.h"
#include "platform/code/rawmemory.h"
#include "patch/apply/patchapply_texts.h"

#define LENGTH_MAX 15u /* of an instruction */

static bool lift_is_call(const struct instruction *instruction)
{
	return instruction->map == 1 && !instruction->is_vector &&
	       (instruction->opcode == 0xe8 ||
		(instruction->opcode == 0xff && (instruction->reg == 2 || instruction->reg == 3)));
}

/* An instruction whose last bytes are not changed still ends after the write. */
static bool lift_has_inner_call(uint16_t machine, const struct plan_write *write)
{
	uint8_t bytes[PLAN_PATCH_MAX + LENGTH_MAX];
	struct instruction instruction;

	if (machine == EM_AARCH64)
		return false; /* one instruction */
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i < write->size && i < PLAN_PATCH_MAX ? write->before[i] : 0;
	for (size_t at = 0; at < write->size; at += instruction.length) {
		if (at >= PLAN_PATCH_MAX ||
		    !instruction_decode(bytes + at, sizeof(bytes) - at, &instruction))
			return true;
		if (lift_is_call(&instruction) && at + instruction.length < write->size)
			return true;
	}
	return false;
}

static bool can_lift(const struct patch_applied *applied, const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++)
		if (lift_has_inner_call(applied->plan.header->machine, &write[i]))
			return false;
	return true;
}

void patchapply_pin(struct patch_applied *applied)
{
	const struct plan *plan = &applied->plan;

	for (uint64_t i = 0; i < plan->header->function_count; i++)
		if (applied->is_written[i] == PATCHAPPLY_WRITTEN)
			applied->is_written[i] = can_lift(applied, &plan->functions[i])
							 ? PATCHAPPLY_LIFTABLE
							 : PATCHAPPLY_PINNED;
}

struct lifting { /* of all functions of a plan, while its text is writable */
	struct patch_applied *applied;
	struct texts texts;
	uint64_t left;
};

typedef void lift_fn(struct lifting *lifting, const struct plan_function *function, uint8_t *state);

/* Inlined: no call through a pointer while the text is open. */
static inline __attribute__((always_inline)) int lift_each(struct lifting *lifting, lift_fn *act)
{
	struct patch_applied *applied = lifting->applied;
	const struct plan *plan = &applied->plan;
	int result = texts_find(applied, &lifting->texts);

	if (result == 0)
		result = texts_open(&lifting->texts, true);
	if (result != 0)
		return result;
	for (uint64_t i = 0; i < plan->header->function_count; i++) {
		texts_expect(applied, i);
		act(lifting, &plan->functions[i], &applied->is_written[i]);
	}
	return texts_close(&lifting->texts);
}

static void lift_one(struct lifting *lifting, const struct plan_function *function, uint8_t *state)
{
	if (*state != PATCHAPPLY_LIFTABLE || !texts_are_written(lifting->applied, function))
		return;
	texts_restore(lifting->applied, &lifting->texts, function);
	*state = PATCHAPPLY_LIFTED;
}

int patchapply_lift(struct patch_applied *applied)
{
	struct lifting lifting; /* large: not cleared */

	lifting.applied = applied;
	return lift_each(&lifting, lift_one);
}

static void put_one_back(struct lifting *lifting, const struct plan_function *function,
			 uint8_t *state)
{
	if (*state == PATCHAPPLY_HELD ||
	    (*state == PATCHAPPLY_LIFTED &&
	     !texts_can_write(lifting->applied, &lifting->texts, function))) {
		*state = PATCHAPPLY_LIFTED;
		lifting->left++;
	} else if (*state == PATCHAPPLY_LIFTED) {
		texts_write(lifting->applied, &lifting->texts, function);
		*state = PATCHAPPLY_LIFTABLE;
	}
}

int patchapply_put_back(struct patch_applied *applied, uint64_t *left_out)
{
	struct lifting lifting;
	int result;

	lifting.applied = applied;
	lifting.left = 0;
	result = lift_each(&lifting, put_one_back);
	*left_out = lifting.left;
	return result;
}

uint64_t patchapply_inner_bytes(const struct patch_applied *applied)
{
	const struct plan_header *header = applied->plan.header;

	return (header->text_end - header->text_start) / 8 + 1;
}

void patchapply_inner_mark(const struct patch_applied *applied, uint8_t *bits)
{
	const struct plan *plan = &applied->plan;
	uint64_t size = plan->header->text_end - plan->header->text_start;

	for (uint64_t i = 0; i < plan->header->function_count; i++) {
		const struct plan_write *write = plan->writes + plan->functions[i].first_write;
		const struct plan_write *end = write + plan->functions[i].write_count;

		if (applied->is_written[i] != PATCHAPPLY_LIFTED &&
		    applied->is_written[i] != PATCHAPPLY_HELD)
			continue;
		for (; write < end; write++)
			for (uint64_t at = write->offset + UINT64_C(1);
			     at < write->offset + (uint64_t)write->size && at < size; at++)
				bits[at / 8] |= (uint8_t)(1u << at % 8);
	}
}

bool patchapply_is_inner(const struct patch_applied *applied, const uint8_t *bits, uint64_t address)
{
	const struct plan_header *header = applied->plan.header;
	uint64_t at = address - applied->bias - header->text_start;

	return at < header->text_end - header->text_start && (bits[at / 8] >> at % 8 & 1);
}

static bool has_byte(const struct patch_applied *applied, const struct plan_function *function,
		     uint64_t own)
{
	const struct plan *plan = &applied->plan;
	const struct plan_write *write = plan->writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (own - plan_write_address(plan->header, write) < write->size)
			return true;
	return false;
}

void patchapply_hold(struct patch_applied *applied, uint64_t address)
{
	const struct plan *plan = &applied->plan;

	for (uint64_t i = 0; i < plan->header->function_count; i++)
		if (applied->is_written[i] == PATCHAPPLY_LIFTED &&
		    has_byte(applied, &plan->functions[i], address - applied->bias))
			applied->is_written[i] = PATCHAPPLY_HELD;
}
