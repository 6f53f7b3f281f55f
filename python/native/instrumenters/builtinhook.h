/* Hooking a builtin function below Python: the C function in its method table is replaced.
 * Everything that a program can inspect is unchanged: the object, its names, its documentation, how
 * it is pickled.  A table is shared by all interpreters of the process.  Call with the GIL held. */
#ifndef KYMO_BUILTINHOOK_H
#define KYMO_BUILTINHOOK_H

#include "compat.h"

#include <stdbool.h>

#define BUILTIN_PLAIN	METH_VARARGS
#define BUILTIN_KEYWORD (METH_VARARGS | METH_KEYWORDS)
#define BUILTIN_FAST	(METH_FASTCALL | METH_KEYWORDS)

struct builtin_hook {
	const char *module, *name;
	/* The replacement, by the calling convention that the function has here; NULL = not hooked
	 * then.  It may be called by other interpreters, and briefly after it was removed. */
	PyCFunction plain;
	PyCFunctionWithKeywords keyword;
#if PY_VERSION_HEX >= 0x030d0000
	PyCFunctionFastWithKeywords fast;
#else
	_PyCFunctionFastWithKeywords fast;
#endif
	PyMethodDef *method; /* while it is installed */
	/* From the first installation on. */
	PyCFunction original;
	int convention;
};

/* False if the module is not loaded, or has no such function with a convention that the hook
 * supports.  No exception either way. */
bool builtinhook_install(struct builtin_hook *hook);
/* Only if the function there is still the replacement. */
void builtinhook_remove(struct builtin_hook *hook);

/* Call the original function by its convention. */
PyObject *builtinhook_call(const struct builtin_hook *hook, PyObject *self, PyObject *arguments,
			   PyObject *keywords);
PyObject *builtinhook_call_fast(const struct builtin_hook *hook, PyObject *self,
				PyObject *const *arguments, Py_ssize_t count, PyObject *names);

#endif
