/* The trampolines' assembler, byte for byte against what the system's assembler makes. */
#include "patch/plan/x86_64/planasm.h"
#include "patch/plan/x86_64/planarithmetic.h"
#include "patch/plan/x86_64/planpieces.h"
#include "patch/plan/x86_64/planshared.h"
#include "patch/plan/planaddresses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The same instructions; distances are zero here, and are what they lead to in the blob. */
__asm__(".pushsection .rodata\n"
	"asm_expected:\n"
	".intel_syntax noprefix\n"
	" mov [rsp - 16], rax\n mov rdx, [rsp - 24]\n lea rcx, [rsp + 8]\n lea rdx, [rsp - 8]\n"
	" mov rax, fs:[rcx + 24]\n mov fs:[rcx + 8], rdx\n sub rax, fs:[rcx + 24]\n"
	" cmp rdx, fs:[rcx + 16]\n mov rax, fs:[rax + 32]\n cmp rsp, fs:[rcx + 40]\n"
	" cmp qword ptr fs:[rcx + 8], 0\n mov qword ptr fs:[rcx + 8], 0\n"
	" mov qword ptr fs:[rcx + 8], 3\n"
	" mov rcx, [rip]\n add rax, [rip]\n cmp rsp, [rip]\n call [rip]\n"
	" cmp qword ptr [rip], 0\n cmp byte ptr [rip], 0\n"
	" {disp32} jmp 1f\n1: call 1f\n1: {disp32} jb 1f\n1: {disp32} jae 1f\n1: {disp32} je 1f\n"
	"1: {disp32} jne 1f\n1:\n"
	" mov eax, 0x12345678\n mov edx, 7\n movabs rax, 0x1122334455667788\n"
	" cmp rax, 511\n lea rsp, [rsp + 8]\n lea rsp, [rsp - 8]\n lea rsp, [rsp - 128]\n"
	" lea rsp, [rsp + 128]\n"
	" seto al\n lahf\n add al, 127\n sahf\n"
	".att_syntax\n"
	"asm_expected_end:\n"
	".popsection\n");

extern __attribute__((visibility("hidden"))) const uint8_t asm_expected[], asm_expected_end[];

static void write_all(struct plan_out to)
{
	asm_stack(to, ASM_STORE, ASM_RAX, -16);
	asm_stack(to, ASM_LOAD, ASM_RDX, -24);
	asm_stack(to, ASM_LEA, ASM_RCX, 8);
	asm_stack(to, ASM_LEA, ASM_RDX, -8);
	asm_thread(to, ASM_LOAD, ASM_RAX, ASM_RCX, 24);
	asm_thread(to, ASM_STORE, ASM_RDX, ASM_RCX, 8);
	asm_thread(to, ASM_SUB, ASM_RAX, ASM_RCX, 24);
	asm_thread(to, ASM_CMP, ASM_RDX, ASM_RCX, 16);
	asm_thread(to, ASM_LOAD, ASM_RAX, ASM_RAX, 32);
	asm_thread(to, ASM_CMP, ASM_RSP, ASM_RCX, 40);
	asm_thread_compare(to, 8, 0);
	asm_thread_set(to, 8, 0);
	asm_thread_set(to, 8, 3);
	asm_vector(to, ASM_LOAD, ASM_RCX, 0);
	asm_vector(to, ASM_ADD, ASM_RAX, 0);
	asm_vector(to, ASM_CMP, ASM_RSP, 0);
	asm_vector_call(to, 0);
	asm_vector_compare(to, 0);
	asm_switch_compare(to);
	asm_jump(to, PLAN_TO_FILE, 0);
	asm_call(to, PLAN_TO_FILE, 0);
	asm_branch(to, ASM_BELOW, PLAN_TO_FILE, 0);
	asm_branch(to, ASM_ABOVE_EQUAL, PLAN_TO_FILE, 0);
	asm_branch(to, ASM_EQUAL, PLAN_TO_FILE, 0);
	asm_branch(to, ASM_NOT_EQUAL, PLAN_TO_FILE, 0);
	asm_value(to, ASM_RAX, 0x12345678);
	asm_value(to, ASM_RDX, 7);
	asm_value_long(to, ASM_RAX, UINT64_C(0x1122334455667788));
	asm_compare_rax(to, 511);
	asm_step(to, 8);
	asm_step(to, -8);
	asm_step(to, -128);
	asm_step(to, 128);
	asm_save_flags(to);
	asm_restore_flags(to);
}

static void bytes_are_the_assemblers(void **state)
{
	struct plan_blob blob;
	size_t size = (size_t)(asm_expected_end - asm_expected);

	(void)state;
	for (unsigned is_cold = 0; is_cold < 2; is_cold++) {
		planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
		write_all((struct plan_out){&blob, is_cold != 0});
		assert_false(blob.is_failed);
		assert_int_equal(is_cold ? blob.cold.size : blob.hot.size, size);
		assert_memory_equal(is_cold ? blob.cold.bytes : blob.hot.bytes, asm_expected, size);
		planblob_release(&blob);
	}
}

static bool is_at(const struct plan_stretch *code, size_t at, const uint8_t bytes[3])
{
	return at + 3 <= code->size && memcmp(code->bytes + at, bytes, 3) == 0;
}

/* lfences of the code that ends calls, and readings of the clock, "f" and "t" in their order. */
static const char *order_of_shared(struct plan_kind kind)
{
	static const uint8_t lfence[] = {0x0f, 0xae, 0xe8}, rdtsc[] = {0x0f, 0x31, 0x48},
			     clock[] = {0x48, 0x8b, 0x00};
	static char found[64];
	struct plan_blob blob;
	size_t count = 0;

	planblob_init(&blob, kind);
	planemit_shared(&blob);
	assert_false(blob.is_failed);
	for (size_t at = 0; at < blob.hot.size && count < sizeof(found) - 1; at++) {
		if (is_at(&blob.hot, at, lfence))
			found[count++] = 'f';
		else if (is_at(&blob.hot, at, kind.cost == PATCH_COST_FULL ? rdtsc : clock))
			found[count++] = 't';
	}
	found[count] = '\0';
	planblob_release(&blob);
	return found;
}

/* Around each of the five ends: what comes before is done, and what comes behind has not begun. */
static void serialized_records_have_fences_around(void **state)
{
	static const enum patch_cost costs[] = {PATCH_COST_COARSE, PATCH_COST_FULL};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(order_of_shared((struct plan_kind){costs[i], 0}), "ttttt");
		assert_string_equal(
			order_of_shared((struct plan_kind){costs[i], PLAN_VARIANT_SERIALIZED}),
			"ftfftfftfftfftf");
	}
}

static void distances_end_behind_their_instruction(void **state)
{
	const struct plan_addresses addresses = {
		.hot = 0x10000, .cold = 0x20000, .vector = 0x30000, .gate = 0x40000};
	struct plan_blob blob;
	uint32_t fixups[8];
	int32_t distance;
	size_t link;

	(void)state;
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	asm_switch_compare((struct plan_out){&blob, false});		 /* 7 bytes, 5 behind */
	asm_jump((struct plan_out){&blob, false}, PLAN_TO_FILE, 0x1000); /* 7 to 12 */
	link = asm_branch_ahead((struct plan_out){&blob, false}, ASM_EQUAL);
	asm_call((struct plan_out){&blob, true}, PLAN_TO_FILE, 0x2000);
	asm_vector((struct plan_out){&blob, true}, ASM_LOAD, ASM_RCX, 8);
	asm_land((struct plan_out){&blob, false}, link);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups), 2);
	assert_int_equal(fixups[0], 8);
	assert_int_equal(fixups[1], 0x10001);
	memcpy(&distance, blob.hot.bytes + 2, 4);
	assert_int_equal(0x10007 + distance, 0x40000);
	memcpy(&distance, blob.hot.bytes + 8, 4);
	assert_int_equal(0x1000c + distance, 0x1000);
	memcpy(&distance, blob.hot.bytes + 14, 4);
	assert_int_equal(distance, 0); /* right behind itself */
	memcpy(&distance, blob.cold.bytes + 1, 4);
	assert_int_equal(0x20005 + distance, 0x2000);
	memcpy(&distance, blob.cold.bytes + 8, 4);
	assert_int_equal(0x2000c + distance, 0x30008);
	asm_jump((struct plan_out){&blob, false}, PLAN_TO_FILE, UINT64_C(1) << 40);
	assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups), SIZE_MAX);
	planblob_release(&blob);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_the_assemblers),
		cmocka_unit_test(serialized_records_have_fences_around),
		cmocka_unit_test(distances_end_behind_their_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
