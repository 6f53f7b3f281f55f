/* Instructions are read as they are in memory, including specialised and instrumented ones. */
#include "bytecode.h"

#include <opcode.h>

#if PY_VERSION_HEX >= 0x030b0000

#define OPARG_PLACE 3 /* of RESUME: 0 at a function's start; other bits are flags */

static const unsigned char *instruction(const PyCodeObject *code, int offset)
{
	return (const unsigned char *)code->co_code_adaptive + offset;
}

static bool bytecode_is_inside(const PyCodeObject *code, int offset)
{
	return offset >= 0 && offset < (int)(Py_SIZE(code) * (Py_ssize_t)sizeof(_Py_CODEUNIT));
}

bool bytecode_is_resume(const PyCodeObject *code, int offset)
{
	if (!bytecode_is_inside(code, offset))
		return false;
	switch (*instruction(code, offset)) {
	case RESUME:
#ifdef RESUME_QUICK
	case RESUME_QUICK:
#endif
#ifdef RESUME_CHECK
	case RESUME_CHECK:
#endif
#ifdef INSTRUMENTED_RESUME
	case INSTRUMENTED_RESUME:
#endif
		return true;
	}
	return false;
}

static bool is_yield(const PyCodeObject *code, int offset)
{
	if (!bytecode_is_inside(code, offset))
		return false;
	switch (*instruction(code, offset)) {
	case YIELD_VALUE:
#ifdef INSTRUMENTED_YIELD_VALUE
	case INSTRUMENTED_YIELD_VALUE:
#endif
		return true;
	}
	return false;
}

/* Frame offsets that look like a call may be inline data of an instruction: both instructions are
 * checked. */
bool bytecode_is_suspended(const PyCodeObject *code, int offset)
{
	const int unit = (int)sizeof(_Py_CODEUNIT);

	return (is_yield(code, offset) && bytecode_is_resume(code, offset + unit)) ||
	       (is_yield(code, offset - unit) && bytecode_is_resume(code, offset));
}

/* Frame evaluation sees a generator at the instruction before: the one that created it, or its
 * yield; the other instrumenters see both at RESUME. */
int bytecode_entry(const PyCodeObject *code, int offset)
{
	const int unit = (int)sizeof(_Py_CODEUNIT);

	if (!bytecode_is_inside(code, offset) || *instruction(code, offset) == RETURN_GENERATOR)
		return 0;
	if (!bytecode_is_resume(code, offset) && bytecode_is_resume(code, offset + unit))
		offset += unit;
	if (bytecode_is_resume(code, offset) && (instruction(code, offset)[1] & OPARG_PLACE) == 0)
		return 0;
	return offset;
}

#else

bool bytecode_is_resume(const PyCodeObject *code, int offset)
{
	(void)code, (void)offset;
	return false;
}

bool bytecode_is_suspended(const PyCodeObject *code, int offset)
{
	(void)code, (void)offset;
	return false;
}

int bytecode_entry(const PyCodeObject *code, int offset)
{
	(void)code;
	return offset < 0 ? 0 : offset;
}

#endif
