/* x86-64: the kernel returns the result in rax, which had the number, and changes rcx and r11. */
#include "object/code/callnumber.h"

#include <string.h>
#include <ucontext.h>

#include "object/code/codesource.h"
#include "object/code/x86_64/machine.h"
#include "object/unwind/rowcache.h"
#include "object/unwind/unwind_rows.h"
#include "platform/readable.h"

#define CALL_BYTES 5u /* call rel32 */
#define CODE_MAX   2048u
#define LEVELS_MAX 6u
#define ENTRIES	   256u

#define KEPT_BY_THE_KERNEL (0xffffu & ~(1u << RAX | 1u << RCX | 1u << R11))

/* Indexes of the registers in a context. */
static const uint8_t context_indices[REGISTERS] = {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

struct level {
	uint64_t at; /* the instruction that makes the call, or calls the function that does */
	unsigned number;
	bool is_innermost;
};

/* A cache: one slot per key, written by signal handlers of any thread, as in rowcache.h. */
static struct rowcache_entry entries[ENTRIES];

static struct rowcache_entry *callnumber_entry_of(uint64_t key)
{
	return &entries[(key ^ key >> 8) % ENTRIES];
}

static bool callnumber_recall(uint64_t key, uint64_t generation, struct codesource *out)
{
	uint64_t word;

	if (!rowcache_entry_get(callnumber_entry_of(key), key, generation, &word))
		return false;
	memcpy(out, &word, sizeof(*out));
	return true;
}

static void callnumber_keep(uint64_t key, uint64_t generation, const struct codesource *source)
{
	uint64_t word;

	_Static_assert(sizeof(*source) == sizeof(word), "one word");
	memcpy(&word, source, sizeof(word));
	rowcache_entry_put(callnumber_entry_of(key), key, generation, word);
}

static bool can_read(uint64_t from, uint64_t to)
{
	for (uint64_t page = from & ~(uint64_t)(READABLE_PAGE - 1); page < to;
	     page += READABLE_PAGE)
		if (!readable_page(page))
			return false;
	return true;
}

/* Start of the function that contains at; 0 = not known. */
static uint64_t begin_of(uint64_t at)
{
	uint64_t begin, end;

	return unwind_function(at, &begin, &end) ? begin : 0;
}

/* Code without a description is read from the beginning of its page on. */
static struct codesource callnumber_read_code(const struct level *level)
{
	uint64_t start = begin_of(level->at), least = level->at - CODE_MAX;
	bool is_function = start && start > least;

	if (!is_function)
		start = start ? least : level->at & ~(uint64_t)(READABLE_PAGE - 1);
	if (start < least)
		start = least;
	if (!can_read(start, level->at))
		return (struct codesource){CODESOURCE_NONE, 0, 0};
	return codesource_find((const uint8_t *)(uintptr_t)start,
			       (const uint8_t *)(uintptr_t)level->at, is_function, level->number,
			       level->is_innermost ? KEPT_BY_THE_KERNEL : 0);
}

static struct codesource callnumber_source_of(const struct level *level)
{
	uint64_t key = level->at ^ (uint64_t)(level->number + 1) << 48;
	uint64_t generation = rowcache_now();
	struct codesource source;

	if (callnumber_recall(key, generation, &source))
		return source;
	memset(&source, 0, sizeof(source));
	source = callnumber_read_code(level);
	callnumber_keep(key, generation, &source);
	return source;
}

/* A PLT stub: optional endbr64, optional bnd, jmp *displacement(%rip). */
static bool is_stub(uint64_t address)
{
	static const uint8_t marked[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t code[12];

	if (!unwind_is_code(address) || !readable_peek(address, code, sizeof(code)))
		return false;
	for (size_t at = memcmp(code, marked, sizeof(marked)) == 0 ? 4 : 0; at < 6; at++) {
		if (code[at] == 0xff && code[at + 1] == 0x25)
			return true;
		if (code[at] != 0xf2)
			return false;
	}
	return false;
}

/* A call that reaches the function through another one may have other arguments. */
static bool is_call_of(uint64_t back, uint64_t function, uint64_t *at_out)
{
	uint8_t code[6];
	int32_t distance;
	uint64_t target, place;

	if (!unwind_is_code(back - 1) || !readable_peek(back - sizeof(code), code, sizeof(code)))
		return false;
	memcpy(&distance, code + 2, sizeof(distance));
	if (code[1] == 0xe8) {
		target = back + (uint64_t)(int64_t)distance;
		*at_out = back - CALL_BYTES;
		return target == function || is_stub(target);
	}
	place = back + (uint64_t)(int64_t)distance;
	*at_out = back - sizeof(code);
	return code[0] == 0xff && code[1] == 0x15 &&
	       readable_peek(place, &target, sizeof(target)) && target == function;
}

static bool callnumber_read_word(uint64_t address, const struct unwind_stack *stack, uint32_t *out)
{
	if (address < stack->low || address + sizeof(*out) > stack->high || address & 3)
		return unwind_copy(address, out, sizeof(*out));
	*out = *(const volatile uint32_t *)(uintptr_t)address;
	return true;
}

static uint64_t register_of(const void *context, unsigned number)
{
	return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[context_indices[number]];
}

static uint32_t checked(uint64_t number)
{
	return number < CALLNUMBER_MAX ? (uint32_t)number : CALLNUMBER_UNKNOWN;
}

/* The value of source, where sp is the stack pointer at its level. */
static uint32_t callnumber_value_of(const struct codesource *source, const void *context,
				    uint64_t sp, const struct unwind_stack *stack)
{
	uint64_t base = source->number == RSP ? sp : register_of(context, source->number);
	uint32_t word;

	switch (source->kind) {
	case CODESOURCE_CONSTANT:
		return checked((uint32_t)source->value);
	case CODESOURCE_REGISTER:
		return checked((uint32_t)register_of(context, source->number));
	case CODESOURCE_MEMORY:
		if (callnumber_read_word(base + (uint64_t)(int64_t)source->value, stack, &word))
			return checked(word);
		return CALLNUMBER_UNKNOWN;
	default:
		return CALLNUMBER_UNKNOWN;
	}
}

/* From the function that received it as an argument outwards. */
static uint32_t callnumber_find_outside(const void *context, const struct unwind_stack *stack,
					struct level level, struct codesource source)
{
	struct unwind_frame frames[LEVELS_MAX];
	struct unwind_registers registers;
	enum unwind_end end;
	size_t count;

	unwind_from_context(context, &registers);
	count = unwind_self(&registers, stack, frames, LEVELS_MAX, &end);
	for (size_t i = 1; i < count; i++) {
		uint64_t function = begin_of(level.at);

		level = (struct level){.number = source.number};
		if (!is_call_of(frames[i].address + 1, function, &level.at))
			return CALLNUMBER_UNKNOWN;
		source = callnumber_source_of(&level);
		if (source.kind != CODESOURCE_ARGUMENT)
			return callnumber_value_of(&source, context, frames[i].low, stack);
	}
	return CALLNUMBER_UNKNOWN;
}

uint32_t callnumber_find(const void *context, uint64_t at, const struct unwind_stack *stack)
{
	const struct level level = {.at = at, .number = RAX, .is_innermost = true};
	struct codesource source = callnumber_source_of(&level);

	if (source.kind != CODESOURCE_ARGUMENT)
		return callnumber_value_of(&source, context, register_of(context, RSP), stack);
	return callnumber_find_outside(context, stack, level, source);
}
