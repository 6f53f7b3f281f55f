/* Putting a plan into memory: a module of one page and a plan that are made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patch/apply/patchapply.h"
#include "patch/apply/patchapply_space.h"
#include "patch/apply/patchapply_texts.h"

#define PAGE	   4096u
#define TEXT	   UINT64_C(0x1000) /* of the file */
#define CODE	   UINT64_C(0x40000000)
#define FUNCTIONS  2u
#define ENTRY_SIZE 16u

struct made { /* a module in memory and its plan */
	unsigned char *text;
	struct patch_applied applied;
	struct plan_header header;
	struct plan_function functions[FUNCTIONS];
	struct plan_write writes[FUNCTIONS];
	uint32_t fixups[1];
	unsigned char code[PAGE], is_written[FUNCTIONS];
};

/* mov eax, value; ret; int3 … */
static void put_function(unsigned char *at, uint32_t value)
{
	memset(at, 0xcc, ENTRY_SIZE);
	at[0] = 0xb8;
	memcpy(at + 1, &value, sizeof(value));
	at[5] = 0xc3;
}

/* The trampoline: mov eax, 7; jmp to the function's ret. */
static void make_code(struct made *made)
{
	int32_t distance = (int32_t)(TEXT + 5 - (CODE + 10));

	made->code[0] = 0xb8;
	made->code[1] = 7;
	made->code[5] = 0xe9;
	memcpy(made->code + 6, &distance, sizeof(distance));
	made->fixups[0] = 6;
}

static void make_writes(struct made *made)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct plan_write *write = &made->writes[i];
		uint64_t address = TEXT + i * ENTRY_SIZE;
		int32_t distance = (int32_t)(CODE - (address + 5));

		made->functions[i] = (struct plan_function){.address = address,
							    .first_write = i,
							    .write_count = 1,
							    .way = PLAN_WAY_ENTRIES};
		write->place = (uint32_t)(address - TEXT);
		write->size = 5;
		write->distance_at = 1;
		memcpy(write->before, made->text + i * ENTRY_SIZE, 5);
		write->after[0] = 0xe9;
		memcpy(write->after + 1, &distance, sizeof(distance));
	}
}

static struct made *make(uint64_t text_at)
{
	struct made *made = calloc(1, sizeof(*made));

	made->text = mmap((void *)(uintptr_t)text_at, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(made->text != MAP_FAILED);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(made->text + i * ENTRY_SIZE, 40 + i);
	assert_int_equal(mprotect(made->text, PAGE, PROT_READ | PROT_EXEC), 0);
	make_code(made);
	make_writes(made);
	made->header = (struct plan_header){.image_start = TEXT,
					    .image_end = TEXT + PAGE,
					    .text_start = TEXT,
					    .text_end = TEXT + PAGE,
					    .code_address = CODE,
					    .code_size = PAGE,
					    .vector_address = CODE + PAGE,
					    .switch_address = CODE + PAGE + PATCH_SWITCH_DISTANCE,
					    .frames_address = CODE + PAGE + PATCH_SWITCH_DISTANCE +
							      PATCH_SWITCH_SIZE,
					    .function_count = FUNCTIONS,
					    .write_count = FUNCTIONS,
					    .fixup_count = 1};
	made->applied.plan = (struct plan){.header = &made->header,
					   .functions = made->functions,
					   .writes = made->writes,
					   .fixups = made->fixups,
					   .code = made->code};
	made->applied.bias = (uint64_t)(uintptr_t)made->text - TEXT;
	made->applied.is_written = made->is_written;
	return made;
}

static void drop(struct made *made)
{
	patchapply_unmap(&made->applied);
	munmap(made->text, PAGE);
	free(made);
}

static int call(const struct made *made, unsigned function)
{
	int (*code)(void);
	void *at = made->text + function * ENTRY_SIZE;

	memcpy(&code, &at, sizeof(code));
	return code();
}

static bool find_protection(const struct space_mapping *mapping, void *context)
{
	uint64_t *wanted = context;

	if (*wanted < mapping->start || *wanted >= mapping->end)
		return true;
	*wanted = (uint64_t)mapping->protection;
	return false;
}

static int protection_of(const void *address)
{
	uint64_t answer = (uint64_t)(uintptr_t)address;

	assert_int_equal(space_each(find_protection, &answer), 0);
	return (int)answer;
}

static const struct patch_vector vector = {.first_id = 16};

static void test_jumps_are_written_and_taken_back(void **unused)
{
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(made->applied.vector->first_id, 16);
	assert_int_equal(made->applied.gate->is_off, 0);
	assert_int_equal(protection_of(made->applied.vector), PROT_READ);
	assert_int_equal(protection_of((void *)(uintptr_t)made->applied.code),
			 PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(call(made, 1), 7);
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_unwrite(&made->applied), 0);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 41);
	assert_false(made->is_written[0] || made->is_written[1]);
	drop(made);
}

static void test_ready_changes_nothing(void **unused)
{
	struct made *made = make(0);
	uint8_t choice[FUNCTIONS] = {CHOICE_TAKEN, CHOICE_LEFT};
	unsigned char before[PAGE];
	uint64_t count;

	(void)unused;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	memcpy(before, made->text, PAGE);
	patchapply_ready(&made->applied, true);
	assert_true(made->applied.has_text);
	assert_memory_equal(made->text, before, PAGE);
	assert_false(made->is_written[0] || made->is_written[1]);
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_write(&made->applied, choice, true, &count), 0);
	assert_int_equal(count, 1);
	assert_false(made->applied.has_text);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(call(made, 1), 41);
	patchapply_ready(&made->applied, false);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(patchapply_unwrite(&made->applied), 0);
	assert_memory_equal(made->text, before, PAGE);
	drop(made);
}

static void test_the_choice_decides(void **unused)
{
	static const uint8_t choice[FUNCTIONS] = {CHOICE_LEFT, CHOICE_TAKEN};
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, choice, true, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	drop(made);
}

static void test_other_bytes_are_left_alone(void **unused)
{
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	made->writes[0].before[3] ^= 1;
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	drop(made);
}

static void test_what_is_not_code_is_not_written(void **unused)
{
	struct made *made = make(0);
	uint64_t count;

	(void)unused;
	assert_int_equal(mprotect(made->text, PAGE, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(made->text[0], 0xb8);
	drop(made);
}

/* The plan's own place is taken: the code lies elsewhere within reach and works there. */
static void test_code_is_moved_where_its_place_is_taken(void **unused)
{
	struct made *made = make(0);
	uint64_t wanted = CODE + made->applied.bias, count;
	void *taken = mmap((void *)(uintptr_t)wanted, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	int64_t distance;

	(void)unused;
	assert_true(taken != MAP_FAILED);
	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	if ((uint64_t)(uintptr_t)taken == wanted)
		assert_true(made->applied.moved != 0);
	distance = (int64_t)(made->applied.code - (uint64_t)(uintptr_t)made->text);
	assert_true(distance == (int32_t)distance);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(call(made, 0), 7);
	munmap(taken, PAGE);
	drop(made);
}

static void test_places_that_cannot_be_are_refused(void **unused)
{
	struct made *made = make(0);

	(void)unused;
	made->header.vector_address = CODE; /* in the code */
	assert_int_not_equal(patchapply_map(&made->applied, -1, &vector), 0);
	made->header.vector_address = CODE + PAGE;
	made->header.switch_address = CODE + (UINT64_C(1) << 40);
	assert_int_not_equal(patchapply_map(&made->applied, -1, &vector), 0);
	drop(made);
}

static void test_gaps(void **unused)
{
	struct space_wish wish = {.size = 16 * PAGE};
	uint64_t own = (uint64_t)(uintptr_t)test_gaps, at;

	(void)unused;
	wish.near = own;
	wish.low = own - (UINT64_C(1) << 30);
	wish.high = own + (UINT64_C(1) << 30);
	at = space_reserve(&wish);
	assert_true(at >= wish.low && at + wish.size <= wish.high);
	assert_int_equal(protection_of((void *)(uintptr_t)at), PROT_NONE);
	assert_false(space_reserve_at(at, PAGE));
	munmap((void *)(uintptr_t)at, wish.size);
	assert_true(space_reserve_at(at, PAGE));
	munmap((void *)(uintptr_t)at, PAGE);
	wish.low = wish.high = 0;
	assert_int_equal(space_reserve(&wish), 0);
}

static struct made *make_written(void)
{
	struct made *made = make(0);
	uint64_t count;

	assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
	assert_int_equal(patchapply_write(&made->applied, NULL, true, &count), 0);
	assert_int_equal(count, FUNCTIONS);
	return made;
}

static void test_lifts_and_puts_back(void **unused)
{
	struct made *made = make_written();
	uint64_t left = 1;

	(void)unused;
	assert_int_equal(patchapply_lift(&made->applied), 0);
	assert_int_equal(call(made, 0), 7); /* nobody has said that it can be lifted */
	patchapply_pin(&made->applied);
	assert_int_equal(patchapply_lift(&made->applied), 0);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		assert_int_equal(call(made, i), 40 + i);
		assert_false(patchapply_is_in_place(made->is_written[i]));
	}
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(call(made, 0), 7);
	assert_int_equal(call(made, 1), 7);
	assert_int_equal(protection_of(made->text), PROT_READ | PROT_EXEC);
	assert_int_equal(patchapply_unwrite(&made->applied), 0);
	assert_int_equal(call(made, 0), 40);
	drop(made);
}

static void test_what_is_held_is_put_back_later(void **unused)
{
	struct made *made = make_written();
	uint64_t text = (uint64_t)(uintptr_t)made->text, left;
	uint8_t *bits = calloc(1, patchapply_inner_bytes(&made->applied));

	(void)unused;
	patchapply_pin(&made->applied);
	assert_int_equal(patchapply_lift(&made->applied), 0);
	patchapply_inner_mark(&made->applied, bits);
	for (unsigned i = 0; i < ENTRY_SIZE; i++)
		assert_int_equal(patchapply_is_inner(&made->applied, bits, text + i),
				 i >= 1 && i < 5);
	assert_false(patchapply_is_inner(&made->applied, bits, text - 1));
	assert_false(patchapply_is_inner(&made->applied, bits, text + PAGE));
	patchapply_hold(&made->applied, text + 4);
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 1);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(call(made, 0), 7);
	free(bits);
	drop(made);
}

/* A call that ends among the bytes would come back to them: call rax; nop; nop; nop. */
static void test_calls_inside_are_never_lifted(void **unused)
{
	static const unsigned char inside[] = {0xff, 0xd0, 0x90, 0x90, 0x90};
	struct made *made = make_written();

	(void)unused;
	memcpy(made->writes[1].before, inside, sizeof(inside));
	patchapply_pin(&made->applied);
	assert_int_equal(patchapply_lift(&made->applied), 0);
	assert_int_equal(made->is_written[0], PATCHAPPLY_LIFTED);
	assert_int_equal(made->is_written[1], PATCHAPPLY_PINNED);
	assert_int_equal(call(made, 0), 40);
	assert_int_equal(call(made, 1), 7);
	drop(made);
}

/* A debugger's breakpoint, say: neither taken out nor written over. */
static void test_what_others_changed_stays(void **unused)
{
	struct made *made = make_written();
	uint64_t left;

	(void)unused;
	patchapply_pin(&made->applied);
	assert_int_equal(mprotect(made->text, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	made->text[1] ^= 1;
	assert_int_equal(patchapply_lift(&made->applied), 0);
	assert_int_equal(made->text[0], 0xe9);
	assert_int_equal(call(made, 1), 41);
	made->text[ENTRY_SIZE] = 0xcc;
	assert_int_equal(patchapply_put_back(&made->applied, &left), 0);
	assert_int_equal(left, 1);
	assert_int_equal(made->text[ENTRY_SIZE], 0xcc);
	drop(made);
}

#define LOAD(what)	  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define ANSWER(what)	  BPF_STMT(BPF_RET | BPF_K, what)
#define SKIP_IF(what, by) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, what, by, 0)
#define W_AND_X		  (PROT_WRITE | PROT_EXEC)

enum refused { REFUSE_BOTH = 1, REFUSE_FILE = 2, REFUSE_PROTECTION = 4 };

/* Making text writable and executable at once kills; writing to files and changing protections
 * are refused where asked for. */
static void refuse(unsigned what)
{
	const unsigned file = what & REFUSE_FILE ? SECCOMP_RET_ERRNO | EPERM : SECCOMP_RET_ALLOW;
	const unsigned plain =
		what & REFUSE_PROTECTION ? SECCOMP_RET_ERRNO | EACCES : SECCOMP_RET_ALLOW;
	struct sock_filter code[] = {
		LOAD(nr),
		SKIP_IF(SYS_pwrite64, 8), /* to file */
		SKIP_IF(SYS_mmap, 1),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 5),
		LOAD(args[2]),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, W_AND_X),
		SKIP_IF(W_AND_X, 4), /* to the end of it */
		LOAD(nr),
		SKIP_IF(SYS_mprotect, 3), /* to plain */
		ANSWER(SECCOMP_RET_ALLOW),
		ANSWER(file),
		ANSWER(SECCOMP_RET_KILL_PROCESS),
		ANSWER(plain),
	};
	struct sock_fprog filter = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		_exit(100);
}

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			_exit(__LINE__ % 90 + 1);                                                  \
	} while (0)

/* All that changes text, with the program stopped or not. */
static void change_all(struct made *made, bool is_alone)
{
	uint64_t count, left;

	CHECK(patchapply_write(&made->applied, NULL, is_alone, &count) == 0 && count == FUNCTIONS);
	CHECK(call(made, 0) == 7 && call(made, 1) == 7);
	patchapply_pin(&made->applied);
	CHECK(patchapply_lift(&made->applied) == 0);
	CHECK(call(made, 0) == 40 && call(made, 1) == 41);
	CHECK(patchapply_put_back(&made->applied, &left) == 0 && left == 0);
	CHECK(call(made, 0) == 7 && call(made, 1) == 7);
	CHECK(patchapply_unwrite(&made->applied) == 0);
	CHECK(call(made, 0) == 40 && call(made, 1) == 41);
	CHECK(protection_of(made->text) == (PROT_READ | PROT_EXEC));
}

static void change_nothing(struct made *made, bool is_alone)
{
	uint64_t count = 0;

	CHECK(patchapply_write(&made->applied, NULL, is_alone, &count) != 0 && count == 0);
	CHECK(call(made, 0) == 40 && call(made, 1) == 41);
	CHECK(!made->is_written[0] && !made->is_written[1]);
	CHECK(protection_of(made->text) == (PROT_READ | PROT_EXEC));
}

/* In a process of its own: filters stay, and what was learnt of the ways does. */
static void below(unsigned refused, void (*change)(struct made *made, bool is_alone))
{
	for (int is_alone = 0; is_alone < 2; is_alone++) {
		struct made *made = make(0);
		int status = 0;
		pid_t child;

		assert_int_equal(patchapply_map(&made->applied, -1, &vector), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			refuse(refused);
			change(made, is_alone);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		drop(made);
	}
}

static void test_text_is_never_writable_and_executable(void **unused)
{
	(void)unused;
	below(REFUSE_BOTH, change_all);
}

static void test_each_way_stands_in_for_the_other(void **unused)
{
	(void)unused;
	below(REFUSE_BOTH | REFUSE_FILE, change_all);
	below(REFUSE_BOTH | REFUSE_PROTECTION, change_all);
}

static void test_without_a_way_nothing_is_written(void **unused)
{
	(void)unused;
	below(REFUSE_BOTH | REFUSE_FILE | REFUSE_PROTECTION, change_nothing);
}

/* More pages than are kept beside at once, functions across their edges, each met again later. */
static void test_writes_are_gathered(void **unused)
{
	enum { PAGES = 40, ROUNDS = 3, BYTES = 5 };
	unsigned char *text = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *wanted = malloc(PAGES * PAGE);
	struct texts texts;

	(void)unused;
	assert_true(text != MAP_FAILED && wanted);
	for (unsigned i = 0; i < PAGES * PAGE; i++)
		wanted[i] = text[i] = (unsigned char)(i * 7 + i / PAGE);
	assert_int_equal(mprotect(text, PAGES * PAGE, PROT_READ | PROT_EXEC), 0);
	assert_int_equal(texts_find_at((uint64_t)(uintptr_t)text, PAGES * PAGE, &texts), 0);
	assert_int_equal(texts_open(&texts, false), 0);
	assert_non_null(texts.pages);
	for (unsigned i = 0; i < ROUNDS * (PAGES - 1); i++) {
		unsigned page = i * 11 % (PAGES - 1);
		/* In the middle, from behind to in front; and the last time across the edge. */
		unsigned at = page * PAGE +
			      (i < 2 * (PAGES - 1) ? 3000 - 1000 * (i / (PAGES - 1)) : PAGE - 2);

		uint64_t bytes = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);

		for (unsigned k = 0; k < BYTES; k++)
			wanted[at + k] = (unsigned char)(bytes >> 8 * k);
		texts_put(&texts, (uint64_t)(uintptr_t)text + at, bytes, BYTES);
	}
	assert_int_equal(texts_close(&texts), 0);
	assert_memory_equal(text, wanted, PAGES * PAGE);
	assert_int_equal(protection_of(text), PROT_READ | PROT_EXEC);
	munmap(text, PAGES * PAGE);
	free(wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* Before this process has learnt which ways there are. */
		cmocka_unit_test(test_text_is_never_writable_and_executable),
		cmocka_unit_test(test_each_way_stands_in_for_the_other),
		cmocka_unit_test(test_without_a_way_nothing_is_written),
		cmocka_unit_test(test_writes_are_gathered),
		cmocka_unit_test(test_jumps_are_written_and_taken_back),
		cmocka_unit_test(test_ready_changes_nothing),
		cmocka_unit_test(test_the_choice_decides),
		cmocka_unit_test(test_other_bytes_are_left_alone),
		cmocka_unit_test(test_what_is_not_code_is_not_written),
		cmocka_unit_test(test_code_is_moved_where_its_place_is_taken),
		cmocka_unit_test(test_places_that_cannot_be_are_refused),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_lifts_and_puts_back),
		cmocka_unit_test(test_what_is_held_is_put_back_later),
		cmocka_unit_test(test_calls_inside_are_never_lifted),
		cmocka_unit_test(test_what_others_changed_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
