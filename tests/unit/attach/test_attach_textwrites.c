/* Who is in the way when the code of a process is about to be written: a child with threads in
 * all the places that matter, and a plan that would write there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <elf.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/functions/textwrites.h"

#ifdef __x86_64__

#define WRITE_BYTES 5u
#define PAGE	    4096u
#define TEXT_SPAN   (1u << 24) /* from one of the places to any other is less */

/* Each begins with five bytes that are to be written. */
/* clang-format off */
__asm__(".pushsection .text\n.balign 64\n"
	"spin_in:	nop\n1:	pause\n	jmp 1b\n	ret\n"
	".balign 64\n"
	"walk:	inc %eax\n	inc %ecx\n	nop\n	jmp walk\n"
	".balign 64\n"
	"wait_in:	nop\n	syscall\n	nop\n	nop\n	ret\n"
	".balign 64\n"
	"call_in:	push %rax\n	call *%rbx\n	pop %rax\n	ret\n"
	".balign 64\n"
	"call_last:	call call_in\n	ret\n"
	".balign 64\n"
	"named:	.byte 0x0f, 0x1f, 0x44, 0, 0\n	ret\n"
	".balign 64\n"
	"plain:	.byte 0x0f, 0x1f, 0x44, 0, 0\n	ret\n"
	".balign 64\n"
	"cave:	jmp landed\n.skip 300\n"
	"landed:	jmp landed\n"
	".balign 64\n.popsection\n");
/* clang-format on */
void spin_in(void), walk(void), call_in(void), call_last(void), named(void), plain(void);
void cave(void), landed(void);
long wait_in(void);

enum { SPIN_IN, WALK, WAIT_IN, CALL_IN, CALL_LAST, NAMED, PLAIN, CAVE, FUNCTIONS };
static const uintptr_t places[FUNCTIONS] = {
	[SPIN_IN] = (uintptr_t)spin_in,	    [WALK] = (uintptr_t)walk,
	[WAIT_IN] = (uintptr_t)wait_in,	    [CALL_IN] = (uintptr_t)call_in,
	[CALL_LAST] = (uintptr_t)call_last, [NAMED] = (uintptr_t)named,
	[PLAIN] = (uintptr_t)plain,	    [CAVE] = (uintptr_t)cave,
};

/* What the process says of itself, at the same places in this process and in its child. */
static struct patchattach_table table;
static uint8_t choice[FUNCTIONS];
static _Alignas(PAGE) struct {
	struct plan_header header;
	_Alignas(16) struct plan_function functions[FUNCTIONS];
	_Alignas(16) struct plan_write writes[FUNCTIONS];
	_Alignas(16) char names[16];
	_Alignas(PAGE) char code[PAGE];
} plan;

static int told[2], says[2];

static void make_header(void)
{
	plan.header = (struct plan_header){
		.version = PLAN_VERSION,
		.machine = EM_X86_64,
		.cost = PATCH_COST_FULL,
		.size = sizeof(plan),
		.image_start = places[0] - TEXT_SPAN,
		.image_end = places[0] + TEXT_SPAN,
		.text_start = places[0] - TEXT_SPAN,
		.text_end = places[0] + TEXT_SPAN,
		.code_address = PAGE,
		.code_size = PAGE,
		.code_offset = (uint64_t)(plan.code - (char *)&plan),
		.vector_address = 2 * PAGE,
		.switch_address = 2 * PAGE + PATCH_SWITCH_DISTANCE,
		.frames_address = 2 * PAGE + PATCH_SWITCH_DISTANCE + PATCH_SWITCH_SIZE,
		.functions_offset = (uint64_t)((char *)plan.functions - (char *)&plan),
		.function_count = FUNCTIONS,
		.writes_offset = (uint64_t)((char *)plan.writes - (char *)&plan),
		.write_count = FUNCTIONS,
		.names_offset = (uint64_t)(plan.names - (char *)&plan),
		.names_size = sizeof(plan.names),
	};
	plan.header.fixups_offset = plan.header.frames_offset = plan.header.header_offset =
		plan.header.names_offset;
	memcpy(plan.header.magic, PLAN_MAGIC, sizeof(plan.header.magic));
}

static void make_plan(void)
{
	make_header();
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		plan.functions[i] = (struct plan_function){.address = places[i],
							   .first_write = i,
							   .write_count = 1,
							   .way = PLAN_WAY_EXITS};
		plan.writes[i] = (struct plan_write){
			.offset = (uint32_t)(places[i] - plan.header.text_start),
			.size = WRITE_BYTES};
		memcpy(plan.writes[i].before, (const void *)places[i], WRITE_BYTES);
		choice[i] = CHOICE_TAKEN;
	}
	table = (struct patchattach_table){.version = PATCHATTACH_VERSION, .count = 1};
	table.modules[0] = (struct patchattach_module){
		.plan = (uintptr_t)&plan, .plan_size = sizeof(plan), .choice = (uintptr_t)choice};
}

static void *run(void *place)
{
	((void (*)(void))place)();
	return NULL;
}

static void *wait_there(void *unused)
{
	char byte;
	long result;

	/* read(told[0], &byte, 1), by the system call within the function */
	__asm__ volatile("call wait_in"
			 : "=a"(result)
			 : "a"(0L), "D"((long)told[0]), "S"(&byte), "d"(1L)
			 : "rcx", "r11", "memory");
	return result == 1 ? unused : NULL;
}

static void begin(void *(*routine)(void *), uintptr_t place)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, routine, (void *)place) != 0)
		_exit(1);
}

/* What a signal handler's frame has: a place in the middle of a function, on the stack. */
static __attribute__((noreturn, noinline)) void wait_with_word(void)
{
	volatile uintptr_t word = places[NAMED] + 3;
	char byte;

	if (write(says[1], "r", 1) != 1)
		_exit(1);
	(void)!read(told[0], &byte, 1);
	_exit(word != places[NAMED] + 3);
}

static pid_t start(void)
{
	char byte;
	pid_t pid;

	make_plan();
	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(says), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		begin(run, places[SPIN_IN]);
		begin(run, places[WALK]);
		begin(run, (uintptr_t)landed);
		begin(wait_there, 0);
		wait_with_word();
	}
	assert_int_equal(read(says[0], &byte, 1), 1);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* All threads are where they are to be: stop them until that is so. */
static void halt_in_place(struct stop_all *stop, pid_t pid)
{
	struct problem problem;
	bool has_spun, has_waited, has_walked, has_landed;

	stop_all_init(stop, pid);
	do {
		stop_all_end(stop);
		assert_int_equal(stop_all_begin(stop, 0, &problem), KYMO_OK);
		has_spun = has_waited = has_walked = has_landed = false;
		for (size_t i = 0; i < stop->all.count; i++) {
			uintptr_t pc = stop->all.threads[i].registers.pc;

			has_spun |= pc - places[SPIN_IN] < WRITE_BYTES;
			has_waited |= pc - places[WAIT_IN] < WRITE_BYTES;
			has_walked |= pc - places[WALK] - 1 < WRITE_BYTES - 1;
			has_landed |= pc == (uintptr_t)landed;
		}
	} while (!has_spun || !has_waited || !has_walked || !has_landed || stop->all.count != 5);
}

static void test_what_is_in_the_way_is_left_alone(void **state)
{
	static const bool is_left[FUNCTIONS] = {
		[SPIN_IN] = true, [WAIT_IN] = true, [CALL_IN] = true, [NAMED] = true};
	pid_t pid = start();
	struct textwrites writes;
	struct targetmaps maps;
	struct remote remote;
	struct stop_all stop;
	struct problem problem;
	uint8_t now[FUNCTIONS];

	(void)state;
	remote_init(&remote, pid);
	assert_int_equal(textwrites_open(&writes, &remote, (uintptr_t)&table, &problem), KYMO_OK);
	assert_int_equal(writes.functions, FUNCTIONS - 1);
	assert_int_equal(targetmaps_read(&maps, &remote), 0);
	halt_in_place(&stop, pid);
	textwrites_clear(&writes, &stop, &maps);
	assert_true(remote_read(&remote, (uintptr_t)choice, now, sizeof(now)));
	for (int i = 0; i < FUNCTIONS; i++)
		assert_int_equal(now[i], is_left[i] ? CHOICE_LEFT : CHOICE_TAKEN);
	for (size_t i = 0; i < stop.all.count; i++)
		assert_false(stop.all.threads[i].registers.pc - places[WALK] - 1 < WRITE_BYTES - 1);
	stop_all_release(&stop);
	textwrites_close(&writes);
	targetmaps_release(&maps);
	remote_release(&remote);
	end(pid);
}

static void test_jumps_are_released(void **state)
{
	pid_t pid = start();
	struct textwrites writes;
	struct remote remote;
	struct stop_all stop;
	struct problem problem;
	struct threadregs registers;
	int released = 0;

	(void)state;
	remote_init(&remote, pid);
	assert_int_equal(textwrites_open(&writes, &remote, (uintptr_t)&table, &problem), KYMO_OK);
	halt_in_place(&stop, pid);
	for (size_t i = 0; i < stop.all.count; i++) {
		struct threadstop_thread *thread = &stop.all.threads[i];

		if (thread->registers.pc != (uintptr_t)landed)
			continue;
		threadregs_set_pc(thread->id, places[CAVE]);
		thread->registers.pc = places[CAVE];
		textwrites_release_jumps(&writes, &stop);
		assert_true(threadregs_read(thread->id, &registers));
		assert_int_equal(registers.pc, (uintptr_t)landed);
		released++;
	}
	assert_int_equal(released, 1);
	stop_all_release(&stop);
	textwrites_close(&writes);
	remote_release(&remote);
	end(pid);
}

/* Whatever the process says: a line, or what is there. */
static void test_nonsense_is_refused(void **state)
{
	pid_t pid = start();
	struct textwrites writes;
	struct remote remote;
	struct problem problem;

	(void)state;
	remote_init(&remote, pid);
	assert_int_equal(textwrites_open(&writes, &remote, 4096, &problem), KYMO_SYSTEM);
	assert_int_equal(textwrites_open(&writes, &remote, (uintptr_t)places, &problem),
			 KYMO_SYSTEM);
	table.modules[0].plan_size = UINT64_MAX;
	assert_true(remote_write(&remote, (uintptr_t)&table, &table, sizeof(table)));
	assert_int_equal(textwrites_open(&writes, &remote, (uintptr_t)&table, &problem),
			 KYMO_SYSTEM);
	table.modules[0].plan_size = sizeof(plan);
	table.count = PATCHATTACH_MODULES_MAX + 1;
	assert_true(remote_write(&remote, (uintptr_t)&table, &table, sizeof(table)));
	assert_int_equal(textwrites_open(&writes, &remote, (uintptr_t)&table, &problem),
			 KYMO_SYSTEM);
	remote_release(&remote);
	end(pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_in_the_way_is_left_alone),
		cmocka_unit_test(test_jumps_are_released),
		cmocka_unit_test(test_nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
	return 0;
}

#endif
