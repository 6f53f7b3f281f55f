/* Walking stacks of x86-64.
 * One loop for this process and for others: what differs is how words are read and where
 * rows come from, and the compiler makes two of it. */
#include "platform/unwind.h"

#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "platform/readable.h"
#include "platform/rowcache.h"
#include "platform/unwind_rows.h"

#define always_inline static inline __attribute__((always_inline))
#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)

#define RED_ZONE     128u	 /* below the stack pointer, and kept by signal handlers */
#define FRAME_MAX    (1u << 20)	 /* where the stack's bounds are not known */
#define FOLLOWED_MAX (16u << 20) /* from the stack pointer to a frame pointer */

struct reader {
	bool (*read)(void *context, uint64_t address, uint64_t *word_out);
	bool (*row)(void *context, uint64_t at, uint64_t next, struct cfi_row *row_out);
	bool (*is_code)(void *context, uint64_t address);
	void *context;
};

/* ---- one frame ---------------------------------------------------------------------------- */

enum step { STEP_CALLER, STEP_INTERRUPTED, STEP_COMPLETE, STEP_LOST, STEP_TORN };

/* Registers as the handler's return will restore them: its frame begins with the context. */
static enum step leave_handler(const struct reader *reader, struct unwind_registers *at)
{
	const uint64_t general = at->sp + offsetof(ucontext_t, uc_mcontext.gregs);
	struct unwind_registers to;

	if (!reader->read(reader->context, general + 8 * REG_RIP, &to.pc) ||
	    !reader->read(reader->context, general + 8 * REG_RSP, &to.sp) ||
	    !reader->read(reader->context, general + 8 * REG_RBP, &to.fp) ||
	    !reader->read(reader->context, general + 8 * REG_RDI, &to.link) ||
	    !reader->read(reader->context, general + 8 * REG_R10, &to.scratch))
		return STEP_TORN;
	if (to.pc == 0)
		return STEP_COMPLETE;
	*at = to;
	return STEP_INTERRUPTED;
}

/* No row: the frame pointer may show the way, where all about it is as it must be. */
static enum step follow_frame(const struct reader *reader, struct unwind_registers *at)
{
	uint64_t frame = at->fp, saved, back;

	if (!reader->is_code(reader->context, at->pc))
		return STEP_LOST;
	if (frame == 0)
		return STEP_COMPLETE; /* as the ABI marks the outermost frame */
	if ((frame & 7) || frame < at->sp || frame - at->sp > FOLLOWED_MAX ||
	    !reader->read(reader->context, frame, &saved) ||
	    !reader->read(reader->context, frame + 8, &back))
		return STEP_LOST;
	if (back == 0)
		return STEP_COMPLETE;
	if ((saved != 0 && saved <= frame) || !reader->is_code(reader->context, back - 1))
		return STEP_LOST;
	at->pc = back;
	at->sp = frame + 16;
	at->fp = saved;
	return STEP_CALLER;
}

/* Rows that are rare: where the CFA is, or how the walk goes on. */
static __attribute__((noinline)) enum step find_rare_cfa(const struct reader *reader,
							 const struct cfi_row *row,
							 const struct unwind_registers *at,
							 uint64_t *cfa_out)
{
	uint64_t offset = (uint64_t)(int64_t)row->cfa_offset;

	switch (row->cfa) {
	case CFI_CFA_FRAME_DEREF:
		return reader->read(reader->context, at->fp + offset, cfa_out) ? STEP_CALLER
									       : STEP_TORN;
	case CFI_CFA_STACK_DEREF:
		if (!reader->read(reader->context, at->sp + offset, cfa_out))
			return STEP_TORN;
		*cfa_out += 8;
		return STEP_CALLER;
	case CFI_CFA_SCRATCH:
		*cfa_out = at->scratch + offset;
		return STEP_CALLER;
	case CFI_CFA_PLT:
		*cfa_out = at->sp + ((at->pc & 15) >= offset ? 16 : 8);
		return STEP_CALLER;
	case CFI_CFA_OUTERMOST:
		return STEP_COMPLETE;
	default:
		return STEP_LOST;
	}
}

/* From the frame in *at to its caller's. */
always_inline enum step step(const struct reader *reader, bool is_exact,
			     struct unwind_registers *at)
{
	uint64_t cfa, back, frame_base;
	struct cfi_row row;

	if (unlikely(!reader->row(reader->context, at->pc - !is_exact, at->pc, &row)))
		return follow_frame(reader, at);
	if (likely(row.cfa == CFI_CFA_STACK)) {
		frame_base = cfa = at->sp + (uint64_t)(int64_t)row.cfa_offset;
	} else if (likely(row.cfa == CFI_CFA_FRAME)) {
		frame_base = cfa = at->fp + (uint64_t)(int64_t)row.cfa_offset;
	} else if (row.cfa == CFI_CFA_NONE) {
		return follow_frame(reader, at);
	} else if (row.cfa == CFI_CFA_SIGNAL) {
		return leave_handler(reader, at);
	} else {
		enum step found = find_rare_cfa(reader, &row, at, &cfa);

		if (found != STEP_CALLER)
			return found;
		frame_base =
			row.cfa == CFI_CFA_FRAME_DEREF || row.cfa == CFI_CFA_SCRATCH ? at->fp : cfa;
	}
	if (unlikely(cfa <= at->sp || (cfa & 7)) &&
	    !(cfa == at->sp && row.return_offset == INT8_MIN))
		return STEP_TORN;
	if (unlikely(row.return_offset == INT8_MIN)) {
		if (!is_exact)
			return STEP_TORN; /* a call has used the register since */
		back = at->link;
	} else if (unlikely(!reader->read(reader->context,
					  cfa + (uint64_t)(int64_t)row.return_offset, &back))) {
		return STEP_TORN;
	}
	if (row.frame_offset != CFI_FRAME_KEPT &&
	    unlikely(!reader->read(reader->context,
				   frame_base + (uint64_t)(int64_t)row.frame_offset, &at->fp)))
		return STEP_TORN;
	if (unlikely(back == 0))
		return STEP_COMPLETE;
	at->pc = back;
	at->sp = cfa;
	return STEP_CALLER;
}

always_inline size_t walk(const struct reader *reader, const struct unwind_registers *from,
			  struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	static const enum unwind_end ends[] = {
		[STEP_COMPLETE] = UNWIND_COMPLETE,
		[STEP_LOST] = UNWIND_LOST,
		[STEP_TORN] = UNWIND_TORN,
	};
	struct unwind_registers at = *from;
	bool is_exact = true;
	size_t count = 0;

	while (count < capacity) {
		enum step taken;

		frames[count].address = at.pc - !is_exact;
		frames[count].low = at.sp;
		count++;
		taken = step(reader, is_exact, &at);
		if (unlikely(taken > STEP_INTERRUPTED)) {
			*end_out = ends[taken];
			return count;
		}
		is_exact = taken == STEP_INTERRUPTED;
	}
	*end_out = UNWIND_CUT;
	return count;
}

/* ---- this process -------------------------------------------------------------------------- */

/* What is known to be readable around the stack pointer. */
struct window {
	uint64_t low, high; /* words that begin in [low, high) */
	const struct unwind_stack *own;
};

/* Another stack, or beyond what was asked for: page by page upwards from where the window
 * is, or a new one where that is far. */
static __attribute__((noinline)) bool extend_window(struct window *window, uint64_t address)
{
	const struct unwind_stack *own = window->own;
	uint64_t page = address & ~(uint64_t)(READABLE_PAGE - 1);

	if (address & 7)
		return false;
	if (address >= own->low && address < own->high) {
		/* Reached from another stack: below its stack pointer it may end anywhere, but
		 * not above an address that can be read. */
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
	memcpy(word_out, (const void *)(uintptr_t)address, sizeof(*word_out));
	return true;
}

always_inline bool row_self(void *context, uint64_t at, uint64_t next, struct cfi_row *row_out)
{
	(void)context;
	return likely(rowcache_get(at, rowcache_now(), row_out)) ||
	       unwind_row_find(at, next, row_out);
}

static bool is_code_self(void *context, uint64_t address)
{
	(void)context;
	return unwind_is_code(address);
}

size_t unwind_self(const struct unwind_registers *registers, const struct unwind_stack *stack,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	struct window window = {0, 0, stack};
	const struct reader reader = {read_self, row_self, is_code_self, &window};

	if (registers->sp >= stack->low && registers->sp < stack->high) {
		const uint64_t page = registers->sp & ~(uint64_t)(READABLE_PAGE - 1);

		window.low = registers->sp - page < RED_ZONE ? page : registers->sp - RED_ZONE;
		window.high = stack->high - 7;
	}
	return walk(&reader, registers, frames, capacity, end_out);
}

/* ---- other processes ------------------------------------------------------------------------ */

static bool read_space(void *context, uint64_t address, uint64_t *word_out)
{
	const struct unwind_space *space = context;

	return space->read(space->context, address, word_out, sizeof(*word_out));
}

static bool row_space(void *context, uint64_t at, uint64_t next, struct cfi_row *row_out)
{
	const struct unwind_space *space = context;

	(void)next;
	return space->row(space->context, at, row_out);
}

/* Nothing is known: what makes no sense ends the walk at the next frame. */
static bool is_code_space(void *context, uint64_t address)
{
	(void)context, (void)address;
	return true;
}

size_t unwind_walk(const struct unwind_space *space, const struct unwind_registers *registers,
		   struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
{
	const struct reader reader = {read_space, row_space, is_code_space, (void *)space};

	return walk(&reader, registers, frames, capacity, end_out);
}

/* ---- registers and code ---------------------------------------------------------------------- */

void unwind_from_context(const void *ucontext, struct unwind_registers *out)
{
	const greg_t *general = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	out->pc = (uint64_t)general[REG_RIP];
	out->sp = (uint64_t)general[REG_RSP];
	out->fp = (uint64_t)general[REG_RBP];
	out->link = (uint64_t)general[REG_RDI];
	out->scratch = (uint64_t)general[REG_R10];
}

/* No compiler keeps its hands off the frame pointer before it can be read. */
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
		       offsetof(struct unwind_registers, scratch) == 32,
	       "as above");

bool unwind_row_by_code(const uint8_t *code, size_t size, struct cfi_row *row_out)
{
	/* mov $15, %rax or %eax; syscall: musl describes its return from signals nowhere. */
	static const uint8_t wide[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t narrow[] = {0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05};

	if ((size < sizeof(wide) || memcmp(code, wide, sizeof(wide)) != 0) &&
	    (size < sizeof(narrow) || memcmp(code, narrow, sizeof(narrow)) != 0))
		return false;
	row_out->cfa = CFI_CFA_SIGNAL;
	return true;
}
