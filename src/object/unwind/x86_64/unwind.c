/* Unwinding stacks of x86-64.  One loop for this process and for others: they differ in how words
 * are read and where rows come from, and the compiler generates two variants. */
#include "object/unwind/unwind.h"

#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "object/unwind/rowcache.h"
#include "object/unwind/unwind_rows.h"
#include "object/unwind/x86_64/unwind_step.h"
#include "platform/readable.h"

#define always_inline static inline __attribute__((always_inline))
#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)

#define RED_ZONE  128u	     /* below the stack pointer, preserved by signal handlers */
#define FRAME_MAX (1u << 20) /* if the stack's bounds are not known */

#define NEAR (64u << 10) /* from a function's beginning to an address in it */

typedef bool (*read_fn)(void *context, uint64_t address, uint64_t *word_out);
typedef uint64_t (*row_fn)(void *context, uint64_t at, uint64_t next);

/* The rows of nearly all code, written so that values stay in registers.  False: another kind, or
 * it cannot be followed; nothing has changed then. */
always_inline bool take_common_step(read_fn read, void *context, uint64_t word,
				    struct unwind_registers *at)
{
	uint64_t cfa, back, frame = at->fp;

	if (likely(ROW_CFA(word) == CFI_CFA_STACK))
		cfa = at->sp + ROW_OFFSET(word);
	else if (likely(ROW_CFA(word) == CFI_CFA_FRAME && !(at->fp & 7)))
		cfa = at->fp + ROW_OFFSET(word);
	else
		return false;
	if (unlikely(ROW_RETURN(word) != -8 || cfa <= at->sp) ||
	    unlikely(!read(context, cfa - 8, &back)))
		return false;
	if (ROW_FRAME(word) != CFI_FRAME_KEPT &&
	    unlikely(!read(context, cfa + (uint64_t)(int64_t)ROW_FRAME(word), &frame)))
		return false;
	if (unlikely(back == 0))
		return false;
	at->pc = back;
	at->sp = cfa;
	at->fp = frame;
	return true;
}

/* read and row are those of reader, as compile-time constants. */
always_inline size_t walk(read_fn read, row_fn row, const struct reader *reader,
			  const struct unwind_registers *from, struct unwind_frame *frames,
			  size_t capacity, enum unwind_end *end_out)
{
	static const enum unwind_end ends[] = {
		[STEP_COMPLETE] = UNWIND_COMPLETE,
		[STEP_LOST] = UNWIND_LOST,
		[STEP_TORN] = UNWIND_TORN,
		[STEP_NOWHERE] = UNWIND_LOST,
	};
	struct unwind_registers at = *from;
	uint64_t is_exact = 1;
	size_t count = 0;

	while (count < capacity) {
		uint64_t address = at.pc - !is_exact, word;
		struct unwind_registers rare;
		enum step taken;

		frames[count].address = address;
		frames[count].low = at.sp;
		count++;
		word = row(reader->context, address, at.pc);
		if (likely(take_common_step(read, reader->context, word, &at))) {
			is_exact = 0;
			continue;
		}
		rare = at; /* a copy: variables whose address is taken are not kept in registers */
		taken = unwind_step_rare(reader, word, &(struct walked){from, frames, count},
					 &rare);
		if (taken > STEP_INTERRUPTED) {
			*end_out = ends[taken];
			return taken == STEP_NOWHERE && count > 1 ? count - 1 : count;
		}
		if (taken == STEP_THROUGH && count > 1)
			count--;
		at = rare;
		is_exact = taken == STEP_INTERRUPTED;
	}
	*end_out = UNWIND_CUT;
	return count;
}

/* Memory around the stack pointer that is known to be readable. */
struct window {
	uint64_t low, high; /* words that begin in [low, high) */
	const struct unwind_stack *own;
	uint64_t generation; /* of the rows, at the beginning */
	/* The module that was confirmed last: neighbouring frames are often in the same one. */
	uint64_t confirmed_start, confirmed_end;
};

/* Another stack, or beyond the bounds: extended page by page upwards, or replaced by a new one if
 * it is far away. */
static __attribute__((noinline)) bool extend_window(struct window *window, uint64_t address)
{
	const struct unwind_stack *own = window->own;
	uint64_t page = address & ~(uint64_t)(READABLE_PAGE - 1);

	if (address & 7)
		return false;
	if (address >= own->low && address < own->high) {
		/* Reached from another stack: below its stack pointer it may end anywhere, but not
		 * above an address that is readable. */
		if (!readable_page(address))
			return false;
		window->low = page;
		window->high = own->high - 7;
		return true;
	}
	if (window->high > window->low && page >= window->high &&
	    address - window->high <= FRAME_MAX) {
		for (uint64_t next = (window->high + 7) & ~(uint64_t)(READABLE_PAGE - 1);
		     next <= page; next += READABLE_PAGE)
			if (!readable_page(next))
				return false;
		window->high = page + READABLE_PAGE - 7;
		return true;
	}
	if (!readable_page(address))
		return false;
	window->low = page;
	window->high = page + READABLE_PAGE - 7;
	return true;
}

always_inline bool read_self(void *context, uint64_t address, uint64_t *word_out)
{
	struct window *window = context;

	if (unlikely(address < window->low || address >= window->high) &&
	    !extend_window(window, address))
		return false;
	/* Not a C load: the owner and the type of this memory are not known. */
	__asm__("movq %1, %0" : "=r"(*word_out) : "m"(*(const uint64_t *)(uintptr_t)address));
	return true;
}

always_inline uint64_t row_self(void *context, uint64_t at, uint64_t next)
{
	const struct window *window = context;
	uint64_t word;

	if (likely(rowcache_get(at, window->generation, &word)))
		return word;
	return unwind_row_find(at, next);
}

static uint64_t confirm_self(void *context, uint64_t at, uint64_t next, uint64_t word)
{
	struct window *window = context;

	if ((at >= window->confirmed_start && at < window->confirmed_end) ||
	    unwind_is_current(at, window->generation, &window->confirmed_start,
			      &window->confirmed_end))
		return word & ~UNWIND_ROW_LATE;
	return unwind_row_find(at, next);
}

static bool saved_self(void *context, uint64_t pc, unsigned number, int32_t *offset_out)
{
	(void)context;
	return unwind_row_register(pc, number, offset_out);
}

static bool is_code_self(void *context, uint64_t address)
{
	(void)context;
	return unwind_is_code(address);
}

static bool unwind_read_call(uint64_t address, uint8_t before[UNWIND_CALL_MAX])
{
	return unwind_is_code(address - 1) &&
	       readable_peek(address - UNWIND_CALL_MAX, before, UNWIND_CALL_MAX);
}

static bool is_return_self(void *context, uint64_t address)
{
	uint8_t before[UNWIND_CALL_MAX];

	(void)context;
	return unwind_read_call(address, before) &&
	       (unwind_called_directly(before, address) != 0 || unwind_is_indirect_call(before));
}

/* Code without a description in a module with descriptions is hand-written, and usually preserves
 * its caller's frame pointer: then an address found by it is the return address of the caller. */
static bool is_return_of_self(void *context, uint64_t address, uint64_t pc)
{
	uint8_t before[UNWIND_CALL_MAX];
	uint64_t called;

	if (!unwind_has_tables(pc))
		return is_return_self(context, address);
	called = unwind_read_call(address, before) ? unwind_called_directly(before, address) : 0;
	return called != 0 && called <= pc && pc - called < NEAR;
}

size_t unwind_self(const struct unwind_registers *registers, const struct unwind_stack *stack,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	struct window window = {.own = stack, .generation = rowcache_now()};
	const struct reader reader = {read_self,    row_self,	    confirm_self,      saved_self,
				      is_code_self, is_return_self, is_return_of_self, &window};

	if (registers->sp >= stack->low && registers->sp < stack->high) {
		const uint64_t page = registers->sp & ~(uint64_t)(READABLE_PAGE - 1);

		window.low = registers->sp - page < RED_ZONE ? page : registers->sp - RED_ZONE;
		window.high = stack->high - 7;
	}
	return walk(read_self, row_self, &reader, registers, frames, capacity, end_out);
}

static bool read_space(void *context, uint64_t address, uint64_t *word_out)
{
	const struct unwind_space *space = context;

	return space->read(space->context, address, word_out, sizeof(*word_out));
}

static uint64_t row_space(void *context, uint64_t at, uint64_t next)
{
	const struct unwind_space *space = context;
	struct cfi_row row;

	(void)next;
	return space->row(space->context, at, &row) ? unwind_row_word(&row) : 0;
}

static uint64_t confirm_space(void *context, uint64_t at, uint64_t next, uint64_t word)
{
	(void)context, (void)at, (void)next;
	return word & ~UNWIND_ROW_LATE;
}

static bool saved_space(void *context, uint64_t pc, unsigned number, int32_t *offset_out)
{
	const struct unwind_space *space = context;

	return space->saved && space->saved(space->context, pc, number, offset_out);
}

/* Nothing is known: an invalid address ends the walk at the next frame. */
static bool is_code_space(void *context, uint64_t address)
{
	(void)context, (void)address;
	return true;
}

static bool is_return_space(void *context, uint64_t address)
{
	const struct unwind_space *space = context;
	uint8_t before[UNWIND_CALL_MAX];

	return space->read(space->context, address - UNWIND_CALL_MAX, before, sizeof(before)) &&
	       (unwind_called_directly(before, address) != 0 || unwind_is_indirect_call(before));
}

static bool is_return_of_space(void *context, uint64_t address, uint64_t pc)
{
	(void)pc;
	return is_return_space(context, address);
}

size_t unwind_walk(const struct unwind_space *space, const struct unwind_registers *registers,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	const struct reader reader = {read_space,	  row_space,	 confirm_space,
				      saved_space,	  is_code_space, is_return_space,
				      is_return_of_space, (void *)space};

	return walk(read_space, row_space, &reader, registers, frames, capacity, end_out);
}

void unwind_from_context(const void *ucontext, struct unwind_registers *out)
{
	const greg_t *general = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	out->pc = (uint64_t)general[REG_RIP];
	out->sp = (uint64_t)general[REG_RSP];
	out->fp = (uint64_t)general[REG_RBP];
	out->link = 0;
	out->context = ucontext;
}

size_t unwind_words(const void *ucontext, uint64_t words[UNWIND_WORDS_MAX])
{
	const mcontext_t *machine = &((const ucontext_t *)ucontext)->uc_mcontext;
	size_t count = 0;

	for (int i = REG_R8; i <= REG_RSP; i++)
		words[count++] = (uint64_t)machine->gregs[i];
	if (machine->fpregs) { /* two at a time are stored from vector registers */
		memcpy(words + count, machine->fpregs->_xmm, sizeof(machine->fpregs->_xmm));
		count += sizeof(machine->fpregs->_xmm) / (sizeof(words[0]));
	}
	return count;
}

/* In assembly, since compilers may use the frame pointer before it can be read. */
__asm__(".text\n"
	".globl unwind_from_here\n"
	".hidden unwind_from_here\n"
	".type unwind_from_here, @function\n"
	"unwind_from_here:\n"
	"	.cfi_startproc\n"
	"	movq (%rsp), %rax\n"
	"	leaq 8(%rsp), %rcx\n"
	"	movq %rax, (%rdi)\n"
	"	movq %rcx, 8(%rdi)\n"
	"	movq %rbp, 16(%rdi)\n"
	"	movq $0, 24(%rdi)\n"
	"	movq $0, 32(%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size unwind_from_here, . - unwind_from_here\n");

_Static_assert(offsetof(struct unwind_registers, sp) == 8 &&
		       offsetof(struct unwind_registers, fp) == 16 &&
		       offsetof(struct unwind_registers, link) == 24 &&
		       offsetof(struct unwind_registers, context) == 32,
	       "as above");

bool unwind_row_by_code(const uint8_t *code, size_t size, struct cfi_row *row_out)
{
	/* mov $15, %rax or %eax; syscall: musl has no description of its return from signals. */
	static const uint8_t wide[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t narrow[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};

	if ((size < sizeof(wide) || memcmp(code, wide, sizeof(wide)) != 0) &&
	    (size < sizeof(narrow) || memcmp(code, narrow, sizeof(narrow)) != 0))
		return false;
	row_out->cfa = CFI_CFA_SIGNAL;
	return true;
}
