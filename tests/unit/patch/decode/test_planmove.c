/* Doing instructions elsewhere: the same instructions of a real file, moved, come to the same.
 * Jumps and operands lead where they led; all other bytes stay as they are. */
#include "patch/decode/x86_64/planmove.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>
#include <cmocka.h>

#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchanalyse.h"
#include "patch/plan/planaddresses.h"

#define MOVED_TO UINT64_C(0x30000000) /* away from where it was */

/* Where an instruction leads to, or what it reads, by the decoder's own reckoning. */
static bool absolute(const uint8_t *bytes, size_t size, uint64_t address, uint64_t *out,
		     ZydisMnemonic *mnemonic_out)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_true(ZYAN_SUCCESS(
		ZydisDecoderDecodeFull(&decoder, bytes, size, &instruction, operands)));
	*mnemonic_out = instruction.mnemonic;
	for (unsigned i = 0; i < instruction.operand_count_visible; i++)
		if (ZYAN_SUCCESS(
			    ZydisCalcAbsoluteAddress(&instruction, &operands[i], address, out)) &&
		    (operands[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE ||
		     operands[i].mem.base == ZYDIS_REGISTER_RIP))
			return true;
	return false;
}

static void check_moved(const struct move *move, const struct plan_blob *blob, uint64_t at)
{
	uint64_t before = 0, after = 0;
	ZydisMnemonic was, is;
	bool had = absolute(move->bytes, move->length, move->address, &before, &was);

	assert_int_equal(had, move->has_target || move->has_data);
	if (move->kind == MOVE_COUNTED) {
		/* to a jump 5 bytes behind, that leads there; else past it */
		assert_int_equal(blob->hot.size, move->length + 2u + 5u);
		assert_memory_equal(blob->hot.bytes, move->bytes, move->length - 1u);
		assert_memory_equal(blob->hot.bytes + move->length - 1, "\x02\xeb\x05\xe9", 4);
		assert_true(absolute(blob->hot.bytes + move->length + 2, 5, at + move->length + 2,
				     &after, &is));
		assert_int_equal(after, before);
		return;
	}
	assert_int_equal(absolute(blob->hot.bytes, blob->hot.size, at, &after, &is), had);
	assert_int_equal(is, was);
	if (had)
		assert_int_equal(after, before);
	if (!move->has_target) {
		assert_int_equal(blob->hot.size, move->length);
		for (unsigned i = 0; i < move->length; i++)
			if (!move->has_data || i < move->data_at || i >= move->data_at + 4u)
				assert_int_equal(blob->hot.bytes[i], move->bytes[i]);
	}
}

/* Every instruction of the functions of a file; how many were moved. */
static unsigned move_file(const char *path, unsigned *counted)
{
	struct problem problem = {""};
	struct patch_module *module;
	unsigned count = 0;

	if (patchmodule_open(path, &module, &problem) != KYMO_OK)
		return 0;
	assert_int_equal(patchanalyse(module, &problem), KYMO_OK);
	for (size_t i = 0; i < module->function_count; i++) {
		const struct patch_function *function = &module->functions[i];
		const uint8_t *bytes = patchmodule_at(module, function->address, function->size);
		struct move move;

		for (uint64_t at = 0; bytes && at < function->size; at += move.length) {
			const struct plan_addresses addresses = {.hot = module->image_end +
									MOVED_TO};
			struct plan_blob blob;
			uint32_t fixups[2];

			if (!move_decode(bytes + at, function->size - at, function->address + at,
					 &move))
				break;
			planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
			move_emit((struct plan_out){&blob, false}, &move);
			assert_int_equal(planaddresses_resolve(&blob, &addresses, NULL, fixups),
					 move.has_target || move.has_data);
			check_moved(&move, &blob, addresses.hot);
			planblob_release(&blob);
			counted[move.kind]++;
			count++;
		}
	}
	patchmodule_close(module);
	return count;
}

static void instructions_of_real_files_lead_where_they_led(void **state)
{
	unsigned counted[8] = {0};

	(void)state;
	assert_true(move_file("/proc/self/exe", counted) > 1000);
	move_file("/lib/x86_64-linux-gnu/libm.so.6", counted);
	assert_true(counted[MOVE_PLAIN] > 0 && counted[MOVE_CALL] > 0 && counted[MOVE_JUMP] > 0);
	assert_true(counted[MOVE_CONDITIONAL] > 0 && counted[MOVE_RETURN] > 0);
}

static bool decodes(const void *bytes, size_t size, struct move *out)
{
	return move_decode(bytes, size, 0x1000, out);
}

static void rare_forms_are_known(void **state)
{
	struct plan_blob blob;
	struct move move;

	(void)state;
	assert_true(decodes("\xe3\x10", 2, &move)); /* jrcxz */
	assert_int_equal(move.kind, MOVE_COUNTED);
	planblob_init(&blob, (struct plan_kind){PATCH_COST_FULL, 0});
	move_emit((struct plan_out){&blob, false}, &move);
	assert_int_equal(planaddresses_resolve(&blob, &(struct plan_addresses){.hot = 0x2000}, NULL,
					       (uint32_t[2]){0}),
			 1);
	check_moved(&move, &blob, 0x2000);
	planblob_release(&blob);
	assert_true(decodes("\x67\xe3\x10", 3, &move)); /* jecxz */
	assert_int_equal(move.kind, MOVE_COUNTED);
	assert_true(decodes("\xe2\xfe", 2, &move));	    /* loop */
	assert_true(decodes("\xff\x64\x24\xf8", 4, &move)); /* jmp [rsp - 8] */
	assert_true(move.kind == MOVE_INDIRECT && move.reads_below);
	assert_true(decodes("\xf3\xc3", 2, &move)); /* rep ret */
	assert_int_equal(move.kind, MOVE_RETURN);
	assert_true(decodes("\x2e\x74\x05", 3, &move)); /* a hint for jz */
	assert_true(move.kind == MOVE_CONDITIONAL && move.condition == ASM_EQUAL);
}

static void what_cannot_be_moved_is_refused(void **state)
{
	struct move move;

	(void)state;
	assert_false(decodes("\xc7\xf8\x10\x00\x00\x00", 6, &move));	 /* xbegin */
	assert_false(decodes("\xcc", 1, &move));			 /* int3 */
	assert_false(decodes("\x48\xcf", 2, &move));			 /* iretq */
	assert_false(decodes("\xcb", 1, &move));			 /* a far return */
	assert_false(decodes("\xff\x28", 2, &move));			 /* a far jump */
	assert_false(decodes("\x67\x8b\x05\x00\x00\x00\x00", 7, &move)); /* mov eax, [eip] */
	assert_false(decodes("\xe8\x00\x00", 3, &move));		 /* cut off */
	assert_false(decodes("\x06", 1, &move));			 /* none */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_real_files_lead_where_they_led),
		cmocka_unit_test(rare_forms_are_known),
		cmocka_unit_test(what_cannot_be_moved_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
