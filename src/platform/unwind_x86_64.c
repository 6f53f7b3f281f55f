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

/* A row's word, in parts: see struct cfi_row. */
#define ROW_CFA(word)	 ((uint8_t)((word) >> 48))
#define ROW_OFFSET(word) ((uint64_t)(int64_t)(int32_t)(word))
#define ROW_FRAME(word)	 ((int16_t)((word) >> 32))
#define ROW_RETURN(word) ((int8_t)((word) >> 56))

struct reader {
	bool (*read)(void *context, uint64_t address, uint64_t *word_out);
	uint64_t (*row)(void *context, uint64_t at, uint64_t next); /* 0 = none */
	/* The row that is true now, for one that may not be any more. */
	uint64_t (*confirm)(void *context, uint64_t at, uint64_t next, uint64_t word);
	bool (*saved)(void *context, uint64_t pc, unsigned number, int32_t *offset_out);
	bool (*is_code)(void *context, uint64_t address);
	bool (*is_return)(void *context, uint64_t address); /* it stands behind a call */
	/* The same, and what is called can be the code at pc. */
	bool (*is_return_of)(void *context, uint64_t address, uint64_t pc);
	void *context;
};

/* The frames so far, the last of which is left by a step. */
struct walked {
	const struct unwind_registers *from;
	const struct unwind_frame *frames;
	size_t count;
};

enum step {
	STEP_CALLER,
	STEP_INTERRUPTED,
	STEP_COMPLETE,
	STEP_LOST,
	STEP_TORN,
	STEP_NOWHERE, /* it is no frame at all: its address is not in code */
};

/* ---- registers ---------------------------------------------------------------------------- */

/* Where a register is in a saved context, by its DWARF number. */
static const uint8_t places[16] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* A handler's frame begins with the context that its return will restore. */
static uint64_t place_in_context(uint64_t context, unsigned place)
{
	return context + offsetof(ucontext_t, uc_mcontext.gregs) + sizeof(greg_t) * place;
}

/* The value of a register in the last frame walked to: from the innermost frame outwards,
 * it is what it was there unless a frame between has saved it. */
static bool recover(const struct reader *reader, const struct walked *walked, unsigned number,
		    uint64_t *value_out)
{
	const struct unwind_frame *frames = walked->frames;
	bool is_known = walked->from->context != NULL;
	int32_t offset;

	if (is_known)
		*value_out = (uint64_t)((const ucontext_t *)walked->from->context)
				     ->uc_mcontext.gregs[places[number]];
	for (size_t i = 0; i + 1 < walked->count; i++) {
		uint64_t word = reader->row(reader->context, frames[i].address, frames[i].address);
		uint64_t place;

		if (ROW_CFA(word & ~UNWIND_ROW_LATE) == CFI_CFA_SIGNAL) {
			place = place_in_context(frames[i].low, places[number]);
		} else if (!reader->saved(reader->context, frames[i].address, number, &offset)) {
			is_known = false; /* until a frame that saved it */
			continue;
		} else if (offset == CFI_FRAME_KEPT) {
			continue;
		} else {
			place = frames[i + 1].low + (uint64_t)(int64_t)offset;
		}
		is_known = reader->read(reader->context, place, value_out);
	}
	return is_known;
}

/* ---- steps that are rare -------------------------------------------------------------------- */

static enum step leave_handler(const struct reader *reader, struct unwind_registers *at)
{
	struct unwind_registers to = {.pc = 0};

	if (!reader->read(reader->context, place_in_context(at->sp, REG_RIP), &to.pc) ||
	    !reader->read(reader->context, place_in_context(at->sp, REG_RSP), &to.sp) ||
	    !reader->read(reader->context, place_in_context(at->sp, REG_RBP), &to.fp))
		return STEP_TORN;
	if (to.pc == 0)
		return STEP_COMPLETE;
	*at = to;
	return STEP_INTERRUPTED;
}

#define CALL_MAX 7u /* bytes that a call may have, without prefixes */

#define NEAR (64u << 10) /* from where a function begins to an address in it */

static bool is_indirect_call(const uint8_t before[CALL_MAX])
{
	static const uint8_t lengths[] = {2, 3, 4, 6, 7};

	for (size_t i = 0; i < sizeof(lengths); i++) {
		const uint8_t *code = before + CALL_MAX - lengths[i];

		if (code[0] == 0xff && (code[1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

/* What is called by the instruction in front of a return address; 0 = not by call rel32. */
static uint64_t called_directly(const uint8_t before[CALL_MAX], uint64_t address)
{
	int32_t distance;

	if (before[CALL_MAX - 5] != 0xe8)
		return 0;
	memcpy(&distance, before + CALL_MAX - 4, sizeof(distance));
	return address + (uint64_t)(int64_t)distance;
}

/* No row: the frame pointer may show the way, where all about it is as it must be. */
static enum step follow_frame(const struct reader *reader, struct unwind_registers *at)
{
	uint64_t frame = at->fp, saved, back;

	if (!reader->is_code(reader->context, at->pc))
		return STEP_NOWHERE;
	if (frame == 0)
		return STEP_COMPLETE; /* as the ABI marks the outermost frame */
	if ((frame & 7) || frame < at->sp || frame - at->sp > FOLLOWED_MAX ||
	    !reader->read(reader->context, frame, &saved) ||
	    !reader->read(reader->context, frame + 8, &back))
		return STEP_LOST;
	if (back == 0)
		return STEP_COMPLETE;
	if (!reader->is_return_of(reader->context, back, at->pc))
		return STEP_LOST;
	at->pc = back;
	at->sp = frame + 16;
	at->fp = saved;
	return STEP_CALLER;
}

static bool find_register(const struct reader *reader, const struct walked *walked,
			  const struct unwind_registers *at, unsigned number, uint64_t *value_out)
{
	if (places[number] != REG_RSP && places[number] != REG_RBP)
		return recover(reader, walked, number, value_out);
	*value_out = places[number] == REG_RSP ? at->sp : at->fp;
	return true;
}

static bool find_cfa(const struct reader *reader, const struct cfi_row *row,
		     const struct walked *walked, const struct unwind_registers *at,
		     uint64_t *cfa_out)
{
	uint64_t offset = (uint64_t)(int64_t)row->cfa_offset;

	switch (row->cfa) {
	case CFI_CFA_STACK:
		*cfa_out = at->sp + offset;
		return true;
	case CFI_CFA_FRAME:
		*cfa_out = at->fp + offset;
		return true;
	case CFI_CFA_FRAME_DEREF:
		return reader->read(reader->context, at->fp + offset, cfa_out);
	case CFI_CFA_STACK_DEREF:
		if (!reader->read(reader->context, at->sp + offset, cfa_out))
			return false;
		*cfa_out += 8;
		return true;
	case CFI_CFA_PLT:
		*cfa_out = at->sp + ((at->pc & 15) >= offset ? 16 : 8);
		return true;
	default: /* CFI_CFA_REGISTER, CFI_CFA_CODE */
		if (!find_register(reader, walked, at, row->cfa & 15, cfa_out))
			return false;
		*cfa_out += offset;
		return true;
	}
}

static bool find_return(const struct reader *reader, const struct cfi_row *row,
			const struct walked *walked, uint64_t cfa, uint64_t *back_out)
{
	if (row->return_offset < CFI_RETURN_MIN)
		return recover(reader, walked, (unsigned)(row->return_offset - INT8_MIN), back_out);
	return reader->read(reader->context, cfa + (uint64_t)(int64_t)row->return_offset, back_out);
}

static bool find_frame(const struct reader *reader, const struct cfi_row *row, uint64_t cfa,
		       struct unwind_registers *at)
{
	uint64_t offset = (uint64_t)(int64_t)row->frame_offset;

	if (row->frame_offset == CFI_FRAME_KEPT)
		return true;
	if (offset & 1)
		return reader->read(reader->context, at->fp + offset - 1, &at->fp);
	return reader->read(reader->context, cfa + offset, &at->fp);
}

/* Any row, from the frame in *at to its caller's. */
static __attribute__((noinline)) enum step take_rare_step(const struct reader *reader,
							  uint64_t word,
							  const struct walked *walked,
							  struct unwind_registers *at)
{
	uint64_t cfa, back;
	struct cfi_row row;

	if (word & UNWIND_ROW_LATE)
		word = reader->confirm(reader->context, walked->frames[walked->count - 1].address,
				       at->pc, word);
	memcpy(&row, &word, sizeof(row));
	if (row.cfa == CFI_CFA_NONE)
		return word == 0 ? follow_frame(reader, at) : STEP_LOST;
	if (row.cfa == CFI_CFA_SIGNAL)
		return leave_handler(reader, at);
	if (row.cfa == CFI_CFA_OUTERMOST)
		return STEP_COMPLETE;
	if (!find_cfa(reader, &row, walked, at, &cfa))
		return STEP_LOST;
	/* Only a function that took its return address from the stack may leave it as high. */
	if ((cfa & 7) || cfa < at->sp || (cfa == at->sp && row.return_offset >= CFI_RETURN_MIN) ||
	    !find_return(reader, &row, walked, cfa, &back) || !find_frame(reader, &row, cfa, at))
		return STEP_TORN;
	if (back == 0)
		return STEP_COMPLETE;
	if (row.cfa >= CFI_CFA_CODE && !reader->is_return(reader->context, back))
		return STEP_LOST;
	at->pc = back;
	at->sp = cfa;
	return STEP_CALLER;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* The rows that nearly all code has: registers stay in registers.  False: another one, or
 * nothing that can be followed; nothing has changed then. */
always_inline bool take_plain_step(const struct reader *reader, uint64_t word,
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
	    unlikely(!reader->read(reader->context, cfa - 8, &back)))
		return false;
	if (ROW_FRAME(word) != CFI_FRAME_KEPT &&
	    unlikely(!reader->read(reader->context, cfa + (uint64_t)(int64_t)ROW_FRAME(word),
				   &frame)))
		return false;
	if (unlikely(back == 0))
		return false;
	at->pc = back;
	at->sp = cfa;
	at->fp = frame;
	return true;
}

always_inline size_t walk(const struct reader *reader, const struct unwind_registers *from,
			  struct unwind_frame *frames, size_t capacity, enum unwind_end *end_out)
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
		word = reader->row(reader->context, address, at.pc);
		if (likely(take_plain_step(reader, word, &at))) {
			is_exact = 0;
			continue;
		}
		rare = at; /* a copy: what has an address is not kept in registers */
		taken = take_rare_step(reader, word, &(struct walked){from, frames, count}, &rare);
		if (taken > STEP_INTERRUPTED) {
			*end_out = ends[taken];
			return taken == STEP_NOWHERE && count > 1 ? count - 1 : count;
		}
		at = rare;
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
	uint64_t generation; /* of the rows, at the beginning */
	/* The module that was confirmed last: neighbours are often of the same one. */
	uint64_t confirmed_start, confirmed_end;
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
	/* Not a load of the language's: whose memory this is, and for what, is not known. */
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

static bool read_call(uint64_t address, uint8_t before[CALL_MAX])
{
	return unwind_is_code(address - 1) && readable_peek(address - CALL_MAX, before, CALL_MAX);
}

static bool is_return_self(void *context, uint64_t address)
{
	uint8_t before[CALL_MAX];

	(void)context;
	return read_call(address, before) &&
	       (called_directly(before, address) != 0 || is_indirect_call(before));
}

/* Code in a module whose other functions are described is hand-written, and mostly leaves
 * its caller's frame pointer alone: then an address found by it is where that caller
 * returns to. */
static bool is_return_of_self(void *context, uint64_t address, uint64_t pc)
{
	uint8_t before[CALL_MAX];
	uint64_t called;

	if (!unwind_has_tables(pc))
		return is_return_self(context, address);
	called = read_call(address, before) ? called_directly(before, address) : 0;
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
	return walk(&reader, registers, frames, capacity, end_out);
}

/* ---- other processes ------------------------------------------------------------------------ */

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

/* Nothing is known: what makes no sense ends the walk at the next frame. */
static bool is_code_space(void *context, uint64_t address)
{
	(void)context, (void)address;
	return true;
}

static bool is_return_space(void *context, uint64_t address)
{
	const struct unwind_space *space = context;
	uint8_t before[CALL_MAX];

	return space->read(space->context, address - CALL_MAX, before, sizeof(before)) &&
	       (called_directly(before, address) != 0 || is_indirect_call(before));
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

	return walk(&reader, registers, frames, capacity, end_out);
}

/* ---- registers and code ---------------------------------------------------------------------- */

void unwind_from_context(const void *ucontext, struct unwind_registers *out)
{
	const greg_t *general = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	out->pc = (uint64_t)general[REG_RIP];
	out->sp = (uint64_t)general[REG_RSP];
	out->fp = (uint64_t)general[REG_RBP];
	out->link = 0;
	out->context = ucontext;
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
		       offsetof(struct unwind_registers, context) == 32,
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
