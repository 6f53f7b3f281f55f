/* Disassembly of x86-64 in Intel syntax: the destination first. */
#include "patch/decode/patchtext.h"

#include <Zydis/Zydis.h>

size_t patchtext(const unsigned char *code, size_t bytes, uint64_t address,
		 char text[PATCHTEXT_SIZE])
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction instruction;
	ZydisFormatter formatter;
	ZydisDecoder decoder;

	if (ZYAN_FAILED(
		    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    ZYAN_FAILED(ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL)) ||
	    ZYAN_FAILED(ZydisDecoderDecodeFull(&decoder, code, bytes, &instruction, operands)) ||
	    ZYAN_FAILED(ZydisFormatterFormatInstruction(&formatter, &instruction, operands,
							instruction.operand_count_visible, text,
							PATCHTEXT_SIZE, address, NULL)))
		return 0;
	return instruction.length;
}
