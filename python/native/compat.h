/* CPython, 3.8 to 3.15, with the internals that the instrumenters need and a single name for
 * functions that were renamed between versions. */
#ifndef KYMO_COMPAT_H
#define KYMO_COMPAT_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1 /* frames and interpreter state are private */
#endif
#include <Python.h>

#include <frameobject.h>
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_code.h"
#include "internal/pycore_frame.h"
#include "internal/pycore_interp.h"
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_interpframe.h"
#endif
#elif PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#else
#include "internal/pycore_pystate.h"
#endif

#ifdef Py_GIL_DISABLED
#error "free-threaded builds are refused at configure time"
#endif

/* The frame that PEP 523 passes to an evaluation function. */
#if PY_VERSION_HEX >= 0x030b0000
typedef struct _PyInterpreterFrame eval_frame;
#else
typedef PyFrameObject eval_frame;
#endif

#if PY_VERSION_HEX >= 0x030e0000
#define EVAL_FRAME_CODE(frame) _PyFrame_GetCode((eval_frame *)(frame))
#elif PY_VERSION_HEX >= 0x030d0000
#define EVAL_FRAME_CODE(frame) ((PyCodeObject *)(frame)->f_executable)
#else
#define EVAL_FRAME_CODE(frame) ((frame)->f_code)
#endif

#if PY_VERSION_HEX >= 0x030c0000
#define code_set_extra	   PyUnstable_Code_SetExtra
#define code_get_extra	   PyUnstable_Code_GetExtra
#define code_request_extra PyUnstable_Eval_RequestCodeExtraIndex
#else
#define code_set_extra	   _PyCode_SetExtra
#define code_get_extra	   _PyCode_GetExtra
#define code_request_extra _PyEval_RequestCodeExtraIndex
#endif

/* A new reference to a frame object's code. */
static inline PyCodeObject *frame_code(PyFrameObject *frame)
{
#if PY_VERSION_HEX >= 0x03090000
	return PyFrame_GetCode(frame);
#else
	Py_INCREF(frame->f_code);
	return frame->f_code;
#endif
}

static inline int frame_last_instruction(PyFrameObject *frame)
{
#if PY_VERSION_HEX >= 0x030b0000
	return PyFrame_GetLasti(frame);
#elif PY_VERSION_HEX >= 0x030a0000
	return frame->f_lasti < 0 ? -1 : frame->f_lasti * (int)sizeof(_Py_CODEUNIT);
#else
	return frame->f_lasti;
#endif
}

#if PY_VERSION_HEX >= 0x030b0000

/* The innermost frame of this thread, without creating a frame object for it. */
static inline eval_frame *innermost_frame(void)
{
#if PY_VERSION_HEX >= 0x030d0000
	return PyThreadState_Get()->current_frame;
#else
	return PyThreadState_Get()->cframe->current_frame;
#endif
}

static inline eval_frame *frame_of_object(PyFrameObject *frame)
{
	return frame->f_frame;
}

#else

static inline eval_frame *innermost_frame(void)
{
	return PyThreadState_Get()->frame;
}

static inline eval_frame *frame_of_object(PyFrameObject *frame)
{
	return frame;
}

#endif

/* The first argument of a call whose frame begins; borrowed, NULL = it has none. */
static inline PyObject *frame_first_argument(const eval_frame *frame)
{
#if PY_VERSION_HEX >= 0x030e0000
	return PyStackRef_AsPyObjectBorrow(frame->localsplus[0]);
#elif PY_VERSION_HEX >= 0x030b0000
	return frame->localsplus[0];
#else
	return frame->f_localsplus[0];
#endif
}

#define CODE_IS_GENERATOR (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)

#endif
