/* Instructions by our own decoder: forms byte by byte, and all code of this machine's C library
 * and of this program as another decoder has it. */
#include "patch/decode/x86_64/patchcode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchfunctions.h"
#include "patch/decode/x86_64/patchflags.h"
#include "patch/decode/x86_64/patchskip.h"

struct form {
	const char *bytes;
	uint8_t size;
	uint8_t kind;
	enum patch_code_flags flags;
};

#define FORM(text, kind, flags)                                                                    \
	{                                                                                          \
		text, sizeof(text) - 1, PATCH_CODE_##kind, PATCH_FLAGS_##flags                     \
	}

static const struct form forms[] = {
	FORM("\xc3", RETURN, NONE),
	FORM("\xf3\xc3", RETURN, NONE),
	FORM("\xf2\xc3", RETURN, NONE),
	FORM("\xc2\x10\x00", RETURN, NONE),
	FORM("\xeb\x05", JUMP, NONE),
	FORM("\xe9\x00\x01\x00\x00", JUMP, NONE),
	FORM("\xf2\xe9\x00\x01\x00\x00", JUMP, NONE),
	FORM("\x74\x05", CONDITIONAL, READS),
	FORM("\x0f\x84\x05\x00\x00\x00", CONDITIONAL, READS),
	FORM("\xe3\x05", LOOP, NONE),
	FORM("\xe2\x05", LOOP, NONE),
	FORM("\xc7\xf8\x05\x00\x00\x00", LOOP, NONE), /* xbegin */
	FORM("\xe8\x00\x01\x00\x00", CALL, NONE),
	FORM("\xff\xd0", CALL_INDIRECT, NONE),
	FORM("\xff\x15\x00\x01\x00\x00", CALL_INDIRECT, NONE),
	FORM("\xff\xe0", JUMP_INDIRECT, NONE),
	FORM("\x3e\xff\xe0", JUMP_INDIRECT, NONE), /* notrack */
	FORM("\xff\x24\xc5\x00\x10\x40\x00", JUMP_INDIRECT, NONE),
	FORM("\x0f\x0b", STOP, NONE),
	FORM("\xf4", STOP, NONE),
	FORM("\xcc", TRAP, NONE),
	FORM("\xcb", UNSUPPORTED, NONE),
	FORM("\x48\xcf", UNSUPPORTED, NONE),
	FORM("\x48\x83\xd0\x01", PLAIN, READS), /* adc */
	FORM("\x48\x39\xc8", PLAIN, COMPARE),
	FORM("\xf9", PLAIN, SOME),
	FORM("\x48\xff\xc0", PLAIN, SOME),
	FORM("\x48\x01\xc8", PLAIN, WRITES),
	FORM("\x48\x8d\x05\x00\x01\x00\x00", PLAIN, NONE),
	FORM("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", PLAIN, NONE),
	FORM("\x66\xc7\x00\x01\x02", PLAIN, NONE),
	FORM("\x66\x48\xc7\x00\x01\x02\x03\x04", PLAIN, NONE),
	FORM("\xf6\x00\x01", PLAIN, COMPARE),
	FORM("\xf6\x18", PLAIN, WRITES),
	FORM("\xc5\xf8\x77", PLAIN, NONE),			   /* vzeroupper */
	FORM("\x62\xf1\x7c\x48\x28\x44\x24\x01", PLAIN, NONE),	   /* vmovaps zmm0 */
	FORM("\x8f\xe8\x78\xc2\xc0\x01", PLAIN, NONE),		   /* vprotd */
	FORM("\x67\xa1\x01\x02\x03\x04", PLAIN, NONE),		   /* 32-bit address */
	FORM("\xa1\x01\x02\x03\x04\x05\x06\x07\x08", PLAIN, NONE), /* 64-bit address */
};

static void decodes_each_form(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct form *form = &forms[i];
		struct patch_code code;

		if (!patchcode_decode((const uint8_t *)form->bytes, form->size, &code) ||
		    code.length != form->size || code.kind != form->kind ||
		    patchcode_flags(&code) != form->flags)
			fail_msg("form %zu: length %u, kind %u, flags %u", i, code.length,
				 code.kind, patchcode_flags(&code));
	}
}

static void refuses_what_is_cut_or_none(void **state)
{
	static const char *const none[] = {"\x06", "\x0f\x04", "\x9a", "\xd4", "\x82\xc0\x01"};
	struct patch_code code;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint8_t bytes[16];
		size_t size = forms[i].size - 1u; /* exactly there, for a sanitizer */

		memcpy(bytes + sizeof(bytes) - size, forms[i].bytes, size);
		if (patchcode_decode(bytes + sizeof(bytes) - size, size, &code))
			assert_true(code.length <= size);
		if (size == 0)
			assert_false(patchcode_decode(bytes, size, &code));
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(patchcode_decode((const uint8_t *)none[i], strlen(none[i]), &code));
}

static void knows_nops(void **state)
{
	static const struct {
		const char *bytes;
		uint8_t size;
		bool is_nop;
	} cases[] = {
		{"\x90", 1, true},
		{"\x66\x90", 2, true},
		{"\x0f\x1f\x44\x00\x00", 5, true},
		{"\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10, true},
		{"\x48\x8d\x76\x00", 4, true},
		{"\xf3\x90", 2, false},		/* pause */
		{"\x41\x90", 2, false},		/* xchg r8d, eax: here xchg with REX */
		{"\x8d\x76\x00", 3, false},	/* clears the upper half */
		{"\x48\x8d\x76\x01", 4, false}, /* adds */
		{"\xf3\x0f\x1e\xfa", 4, false}, /* endbr64 */
	};
	struct patch_code code;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(
			patchcode_decode((const uint8_t *)cases[i].bytes, cases[i].size, &code));
		if (patchcode_is_nop(&code) != cases[i].is_nop)
			fail_msg("case %zu", i);
	}
}

static bool is_branch(const ZydisDecodedInstruction *other)
{
	/* Both go on behind them where no transaction was begun. */
	if (other->mnemonic == ZYDIS_MNEMONIC_XABORT || other->mnemonic == ZYDIS_MNEMONIC_XEND)
		return false;
	switch (other->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return true;
	default:
		return false;
	}
}

static bool is_same(const struct patch_code *code, const ZydisDecodedInstruction *other)
{
	bool goes = code->kind != PATCH_CODE_PLAIN && code->kind != PATCH_CODE_STOP &&
		    code->kind != PATCH_CODE_TRAP;

	if (code->length != other->length || goes != is_branch(other))
		return false;
	if (goes && other->raw.imm[0].is_relative)
		return code->immediate == (int64_t)other->raw.imm[0].value.s;
	return true;
}

static bool is_same_skipped(const uint8_t *bytes, const struct patch_code *code)
{
	struct patch_code_skip skipped;
	unsigned length = patchcode_skip(bytes, &skipped);

	if (length == 0)
		return true;
	return length == code->length && code->kind == PATCH_CODE_PLAIN &&
	       !patchcode_is_nop(code) && skipped.is_rip_relative == code->is_rip_relative &&
	       (!skipped.is_rip_relative || skipped.displacement == code->displacement) &&
	       !(code->opcode == 0x8d && code->map == 1);
}

static uint64_t compare_function(const ZydisDecoder *decoder, const struct patch_module *module,
				 const struct patch_function *function)
{
	const unsigned char *bytes = patchmodule_at(module, function->address, function->size);
	uint64_t count = 0;

	for (uint64_t at = 0; bytes && at < function->size; count++) {
		uint64_t left = function->size - at;
		ZydisDecodedInstruction other;
		struct patch_code code;

		if (!ZYAN_SUCCESS(
			    ZydisDecoderDecodeInstruction(decoder, NULL, bytes + at, left, &other)))
			return count;
		if (!patchcode_decode(bytes + at, left, &code) || !is_same(&code, &other))
			fail_msg("%s at %lx", module->path, (long)(function->address + at));
		if (left >= PATCH_CODE_BYTES && !is_same_skipped(bytes + at, &code))
			fail_msg("skipping in %s at %lx", module->path,
				 (long)(function->address + at));
		at += other.length;
	}
	return count;
}

static void compare_file(const char *path)
{
	struct patch_module *module;
	struct problem problem;
	ZydisDecoder decoder;
	uint64_t count = 0;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	assert_int_equal(patchmodule_open(path, &module, &problem), KYMO_OK);
	assert_int_equal(patchfunctions_find(module, &problem), KYMO_OK);
	for (size_t i = 0; i < module->function_count; i++)
		count += compare_function(&decoder, module, &module->functions[i]);
	assert_true(count > 10000);
	patchmodule_close(module);
}

static void agrees_with_another_decoder(void **state)
{
	Dl_info info;

	(void)state;
	compare_file("/proc/self/exe");
	assert_true(dladdr((void *)(uintptr_t)printf, &info) != 0);
	compare_file(info.dli_fname);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes_each_form),
		cmocka_unit_test(refuses_what_is_cut_or_none),
		cmocka_unit_test(knows_nops),
		cmocka_unit_test(agrees_with_another_decoder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
