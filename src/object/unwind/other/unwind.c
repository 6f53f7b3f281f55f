/* Unwinding stacks by frame pointers only: on processors whose compilers keep them, as those for
 * aarch64 do.  A frame record is the caller's frame pointer and the return address. */
#include "object/unwind/unwind.h"

#include <string.h>
#include <ucontext.h>

#include "object/unwind/unwind_rows.h"
#include "platform/readable.h"

#define FOLLOWED_MAX (16u << 20) /* from one frame record to the next */

struct record {
	uint64_t caller;
	uint64_t back;
};

typedef bool (*read_fn)(void *context, uint64_t address, void *to, size_t size);

static size_t other_unwind_walk(read_fn read, void *context, const struct unwind_registers *from,
				struct unwind_frame *frames, size_t capacity,
				enum unwind_end *end_out)
{
	uint64_t frame = from->fp, low = from->sp;
	struct record record;
	size_t count = 1;

	frames[0] = (struct unwind_frame){from->pc, from->sp};
	for (;;) {
		*end_out = UNWIND_COMPLETE;
		if (frame == 0)
			return count;
		*end_out = UNWIND_TORN;
		if ((frame & 7) || frame < low || frame - low > FOLLOWED_MAX ||
		    !read(context, frame, &record, sizeof(record)))
			return count;
		*end_out = UNWIND_COMPLETE;
		if (record.back == 0)
			return count;
		*end_out = UNWIND_CUT;
		if (count == capacity)
			return count;
		low = frame + sizeof(record);
		frames[count++] = (struct unwind_frame){record.back - 1, low};
		frame = record.caller;
	}
}

static bool read_self(void *context, uint64_t address, void *to, size_t size)
{
	const struct unwind_stack *stack = context;

	if (address < stack->low || address + size > stack->high)
		return readable_copy(address, to, size);
	memcpy(to, (const void *)(uintptr_t)address, size);
	return true;
}

size_t unwind_self(const struct unwind_registers *registers, const struct unwind_stack *stack,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	struct unwind_stack readable = *stack;

	if (registers->sp >= stack->low && registers->sp < stack->high)
		readable.low = registers->sp;
	else
		readable.low = readable.high = 0;
	return other_unwind_walk(read_self, &readable, registers, frames, capacity, end_out);
}

size_t unwind_walk(const struct unwind_space *space, const struct unwind_registers *registers,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	return other_unwind_walk(space->read, space->context, registers, frames, capacity, end_out);
}

void unwind_from_context(const void *ucontext, struct unwind_registers *out)
{
	memset(out, 0, sizeof(*out));
#if defined(__aarch64__)
	const mcontext_t *machine = &((const ucontext_t *)ucontext)->uc_mcontext;

	out->pc = machine->pc;
	out->sp = machine->sp;
	out->fp = machine->regs[29];
	out->link = machine->regs[30];
#else
	(void)ucontext;
#endif
}

size_t unwind_words(const void *ucontext, uint64_t words[UNWIND_WORDS_MAX])
{
#if defined(__aarch64__)
	const mcontext_t *machine = &((const ucontext_t *)ucontext)->uc_mcontext;

	memcpy(words, machine->regs, sizeof(machine->regs));
	return sizeof(machine->regs) / sizeof(machine->regs[0]);
#else
	(void)ucontext, (void)words;
	return 0;
#endif
}

__attribute__((noinline)) void unwind_from_here(struct unwind_registers *out)
{
	struct record record;

	memset(out, 0, sizeof(*out));
	memcpy(&record, __builtin_frame_address(0), sizeof(record));
	out->pc = (uint64_t)(uintptr_t)__builtin_return_address(0);
	out->sp = (uint64_t)(uintptr_t)__builtin_frame_address(0) + sizeof(record);
	out->fp = record.caller;
}

bool unwind_row_by_code(const uint8_t *code, size_t size, struct cfi_row *row_out)
{
	(void)code, (void)size, (void)row_out;
	return false;
}
