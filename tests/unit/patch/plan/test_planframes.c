/* Unwinding through trampolines: at every single instruction of them, for every cost and way,
 * from a signal handler the caller is found, and what it keeps in registers.  Return points
 * and slow routines are unwound by backtraces from inside. */
#include "plan_fixture.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include <cmocka.h>

#include "object/unwind/unwind.h"

#define HIDDEN __attribute__((visibility("hidden")))

enum { DWARF_RBX = 3, DWARF_RBP = 6, DWARF_R12 = 12 };
#define TRAP_FLAG 0x100

__asm__(".pushsection .text.unwound, \"ax\", @progbits\n"
	".balign 4096\n"
	"un_start:\n"
	/* 0: calls what it is given, behind pushes of all that it must keep */
	"un_outer: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	" push %rbx\n .cfi_def_cfa_offset 24\n .cfi_offset %rbx, -24\n"
	" push %r12\n .cfi_def_cfa_offset 32\n .cfi_offset %r12, -32\n"
	" xor %ebx, %ebx\n mov $7, %ebp\n mov %rdi, %r12\n xor %r12d, %r12d\n call *%rdi\n"
	"un_outer_at: pop %r12\n .cfi_def_cfa_offset 24\n pop %rbx\n .cfi_def_cfa_offset 16\n"
	" pop %rbp\n .cfi_def_cfa_offset 8\n"
	"un_outer_ret: ret\n un_outer_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 1: a leaf that ends by a jump */
	"un_tail: .cfi_startproc\n lea 1(%rax), %rax\n nop\n"
	"un_tail_jmp: {disp32} jmp un_leaf\n un_tail_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	/* 2: a frame pointer from its first bytes on */
	"un_leaf: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	" mov %rsp, %rbp\n .cfi_def_cfa_register %rbp\n push %rbx\n .cfi_offset %rbx, -24\n"
	" xor %ebx, %ebx\n sub $24, %rsp\n nop\n"
	"un_leaf_at: mov -8(%rbp), %rbx\n leave\n .cfi_def_cfa %rsp, 8\n"
	"un_leaf_ret: ret\n un_leaf_end:\n .cfi_endproc\n .balign 16, 0xcc\n"
	".balign 4096\n"
	"un_end:\n"
	/* Calls *rdi with rdi = rsi, one step at a time. */
	"un_step: .cfi_startproc\n push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset %rbp, -16\n"
	" push %rbx\n .cfi_def_cfa_offset 24\n .cfi_offset %rbx, -24\n"
	" push %r12\n .cfi_def_cfa_offset 32\n .cfi_offset %r12, -32\n"
	" mov %rdi, %rax\n mov %rsi, %rdi\n"
	" movabs $0x1122334455667788, %rbx\n lea 0x777(%rbx), %rbp\n lea 0x999(%rbx), %r12\n"
	" pushfq\n .cfi_adjust_cfa_offset 8\n or %rdx, (%rsp)\n popfq\n"
	" .cfi_adjust_cfa_offset -8\n"
	" call *%rax\n"
	"un_stepped: pushfq\n .cfi_adjust_cfa_offset 8\n andq $~0x100, (%rsp)\n popfq\n"
	" .cfi_adjust_cfa_offset -8\n"
	" pop %r12\n .cfi_def_cfa_offset 24\n pop %rbx\n .cfi_def_cfa_offset 16\n pop %rbp\n"
	" .cfi_def_cfa_offset 8\n ret\n .cfi_endproc\nun_step_end:\n"
	".popsection\n");

extern HIDDEN char un_start[], un_end[];
extern HIDDEN const char un_outer[], un_outer_end[], un_outer_at[], un_outer_ret[], un_tail[],
	un_tail_end[], un_tail_jmp[], un_leaf[], un_leaf_end[], un_leaf_at[], un_leaf_ret[],
	un_stepped[], un_step_end[];
extern HIDDEN void un_step(const void *function, const void *argument, uint64_t flags);
void __register_frame(void *frames);
void __deregister_frame(void *frames);

#define KEPT_RBX UINT64_C(0x1122334455667788)

static struct fixture fixture;
static unsigned step_count, inside_count, failure_count;
static uint64_t first_failure;

struct found {
	bool is_caller; /* un_step was reached, with all it kept */
	unsigned depth;
	uint64_t address, next; /* of a frame that is looked for, and of its caller */
	bool is_next;
};

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *argument)
{
	struct found *found = argument;

	if (++found->depth > 64)
		return _URC_END_OF_STACK;
	if (found->is_next)
		found->next = _Unwind_GetIP(context);
	found->is_next = _Unwind_GetIP(context) == found->address;
	if (_Unwind_GetIP(context) != (uint64_t)un_stepped)
		return _URC_NO_REASON;
	found->is_caller = _Unwind_GetGR(context, DWARF_RBX) == KEPT_RBX &&
			   _Unwind_GetGR(context, DWARF_RBP) == KEPT_RBX + 0x777 &&
			   _Unwind_GetGR(context, DWARF_R12) == KEPT_RBX + 0x999;
	return _URC_END_OF_STACK;
}

static bool finds_caller(void)
{
	struct found found = {.depth = 0};

	_Unwind_Backtrace(look, &found);
	return found.is_caller;
}

static bool is_inside(uint64_t address)
{
	return address - (uint64_t)fixture.region < fixture.region_size;
}

static struct cfi_section tables_of_plan(void)
{
	const struct plan_header *header = fixture.plan.header;

	return (struct cfi_section){
		.header = (const uint8_t *)header->frames_address + header->frames_size,
		.header_size = header->header_size,
		.header_address = header->frames_address + header->frames_size,
		.frames = (const uint8_t *)header->frames_address,
		.frames_size = header->frames_size,
		.frames_address = header->frames_address,
	};
}

/* What the rows of our own walks say comes to the same. */
static bool is_row_right(const greg_t *registers, uint64_t next)
{
	const struct cfi_section section = tables_of_plan();
	struct cfi_row row;
	uint64_t cfa, place;

	if (!cfi_find(&section, (uint64_t)registers[REG_RIP], &row, NULL, NULL) ||
	    row.return_offset != -8)
		return false;
	cfa = (uint64_t)registers[row.cfa == CFI_CFA_FRAME ? REG_RBP : REG_RSP] +
	      (uint64_t)(int64_t)row.cfa_offset;
	place = row.cfa == CFI_CFA_SHADOW ? (cfa - 8) ^ CFI_SHADOW_BIT : cfa - 8;
	return (row.cfa == CFI_CFA_STACK || row.cfa == CFI_CFA_FRAME ||
		row.cfa == CFI_CFA_SHADOW) &&
	       *(const uint64_t *)place == next;
}

static bool read_own(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	memcpy(to, (const void *)address, size);
	return true;
}

static bool find_row(void *context, uint64_t pc, struct cfi_row *row)
{
	const struct cfi_section section = is_inside(pc) ? tables_of_plan() : fixture.module.frames;

	(void)context;
	return cfi_find(&section, pc, row, NULL, NULL);
}

/* Our own walk comes to the caller, and shows no return point as a frame. */
static bool walks_to_caller(const ucontext_t *where)
{
	const struct unwind_space space = {.read = read_own, .row = find_row};
	struct unwind_registers registers;
	struct unwind_frame frames[16];
	enum unwind_end end;
	size_t count;

	unwind_from_context(where, &registers);
	registers.context = NULL;
	count = unwind_walk(&space, &registers, frames, 16, &end);
	for (size_t i = 1; i < count; i++) {
		const void *next = (const void *)(frames[i].address + 1);

		if (frames[i].address + 1 == (uint64_t)un_stepped)
			return true;
		if (is_inside(frames[i].address) && memcmp(next, "\x0f\x1f\x84\x00KYMO", 8) == 0)
			return false;
	}
	return false;
}

static void stepped(int number, siginfo_t *info, void *context)
{
	const ucontext_t *where = context;
	uint64_t address = (uint64_t)where->uc_mcontext.gregs[REG_RIP];
	struct found found = {.depth = 0};

	(void)number;
	(void)info;
	step_count++;
	inside_count += is_inside(address);
	if (address >= (uint64_t)un_step && address < (uint64_t)un_step_end)
		return; /* not there yet, or back */
	found.address = address;
	_Unwind_Backtrace(look, &found);
	if (found.is_caller && walks_to_caller(where) &&
	    (!is_inside(address) || is_row_right(where->uc_mcontext.gregs, found.next)))
		return;
	if (failure_count++ == 0)
		first_failure = is_inside(address) ? address - (uint64_t)fixture.region : address;
}

static void fill(enum plan_way way)
{
	fixture_init(&fixture, un_start, un_end);
	fixture_function(&fixture, un_outer, un_outer_end, way, 6, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, un_outer_at, un_outer_ret, 5, 5);
	fixture_function(&fixture, un_tail, un_tail_end, way, 5, false);
	fixture_exit(&fixture, PATCH_EXIT_JUMP, un_tail_jmp, un_tail_jmp, 5, 5);
	fixture_function(&fixture, un_leaf, un_leaf_end, way, 5, false);
	fixture_exit(&fixture, PATCH_EXIT_RETURN, un_leaf_at, un_leaf_ret, 6, 6);
}

static void begin(enum patch_cost cost, enum plan_way way)
{
	fill(way);
	fixture_apply(&fixture, cost, false);
	__register_frame((void *)fixture.plan.header->frames_address);
	step_count = inside_count = failure_count = 0;
	first_failure = 0;
}

static void end(void)
{
	__deregister_frame((void *)fixture.plan.header->frames_address);
	fixture_release(&fixture);
}

static void step_through(const void *function, const void *argument)
{
	struct sigaction action = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO}, before;

	finds_caller(); /* what is looked up once is looked up before */
	sigaction(SIGTRAP, &action, &before);
	un_step(function, argument, TRAP_FLAG);
	sigaction(SIGTRAP, &before, NULL);
	if (failure_count > 0)
		fail_msg("%u of %u steps not unwound, the first at 0x%lx", failure_count,
			 step_count, (unsigned long)first_failure);
	assert_true(inside_count > 8);
}

static void every_instruction_unwinds(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++)
			for (unsigned how = 0; how < 4; how++) {
				begin(cost, way);
				fixture.gate->is_off = how == 1;
				fixture_is_wanted = how == 3;
				if (how >= 2) { /* by the slow routines */
					fixture_pause(PATCH_STATE_NEW);
					memset(fixture_left, 0, sizeof(fixture_left));
				}
				step_through(un_outer, un_tail);
				end();
			}
}

static void long_records_unwind(void **state)
{
	(void)state;
	for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_CALL; way++) {
		begin(PATCH_COST_FULL, way);
		fixture_makes_ready = fixture_is_wanted = true;
		step_through(un_outer, un_tail);
		fixture_pause(PATCH_STATE_NEW); /* the exits are the long ones */
		step_through(un_outer, un_tail);
		end();
	}
}

static bool is_found;

static void look_back(void)
{
	is_found = finds_caller();
}

/* Past a return point, where the function's own return address is in its shadow slot. */
static void functions_that_were_called_see_their_callers(void **state)
{
	(void)state;
	for (enum patch_cost cost = PATCH_COST_COUNTS; cost <= PATCH_COST_FULL; cost++)
		for (enum plan_way way = PLAN_WAY_EXITS; way <= PLAN_WAY_ENTRIES; way++) {
			begin(cost, way);
			fixture_is_wanted = true;
			memset(fixture_left, 0, sizeof(fixture_left));
			is_found = false;
			un_step(un_outer, (const void *)(uintptr_t)look_back, 0);
			assert_true(is_found);
			end();
		}
}

static int put_back(void **state)
{
	(void)state;
	if (fixture.region)
		end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_instruction_unwinds, put_back),
		cmocka_unit_test_teardown(long_records_unwind, put_back),
		cmocka_unit_test_teardown(functions_that_were_called_see_their_callers, put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
