/* Instructions of x86-64, by Zydis.  Serves late.h. */
#include "platform/late/late.h"

#include <Zydis/Zydis.h>

static struct late_library library = {.file = LATE_ZYDIS,
				      .package = "libzydis4.0 or libzydis4.1",
				      .without = "no native functions are instrumented"};

LATE_FUNCTION(&library, ZyanStatus, ZydisDecoderDecodeFull,
	      (const ZydisDecoder *decoder, const void *buffer, ZyanUSize length,
	       ZydisDecodedInstruction *instruction, ZydisDecodedOperand operands[10]),
	      (decoder, buffer, length, instruction, operands), ZYAN_STATUS_FAILED)

LATE_FUNCTION(&library, ZyanStatus, ZydisDecoderDecodeInstruction,
	      (const ZydisDecoder *decoder, ZydisDecoderContext *context, const void *buffer,
	       ZyanUSize length, ZydisDecodedInstruction *instruction),
	      (decoder, context, buffer, length, instruction), ZYAN_STATUS_FAILED)

LATE_FUNCTION(&library, ZyanStatus, ZydisDecoderInit,
	      (ZydisDecoder * decoder, ZydisMachineMode machine_mode, ZydisStackWidth stack_width),
	      (decoder, machine_mode, stack_width), ZYAN_STATUS_FAILED)

LATE_FUNCTION(&library, ZyanStatus, ZydisFormatterFormatInstruction,
	      (const ZydisFormatter *formatter, const ZydisDecodedInstruction *instruction,
	       const ZydisDecodedOperand *operands, ZyanU8 operand_count, char *buffer,
	       ZyanUSize length, ZyanU64 runtime_address, void *user_data),
	      (formatter, instruction, operands, operand_count, buffer, length, runtime_address,
	       user_data),
	      ZYAN_STATUS_FAILED)

LATE_FUNCTION(&library, ZyanStatus, ZydisFormatterInit,
	      (ZydisFormatter * formatter, ZydisFormatterStyle style), (formatter, style),
	      ZYAN_STATUS_FAILED)
