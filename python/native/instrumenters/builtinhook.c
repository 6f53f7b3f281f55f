/* Replacing the C function of a builtin.  Every call reads it from the method table, including
 * specialised calls (methodobject.c, bytecodes.c of 3.8 to 3.15). */
#include "instrumenters/builtinhook.h"

#include <string.h>

/* Cast by a type without arguments, as in the interpreter itself. */
#define AS_FUNCTION(pointer) ((PyCFunction)(void (*)(void))(pointer))

static PyMethodDef *builtinhook_find_in(PyMethodDef *method, const char *name)
{
	for (; method && method->ml_name; method++)
		if (strcmp(method->ml_name, name) == 0)
			return method;
	return NULL;
}

/* The method of the module's attribute, if that is the module's own function. */
static PyMethodDef *method_of_attribute(PyObject *module, const char *name)
{
	PyObject *function = PyObject_GetAttrString(module, name);
	PyMethodDef *method = NULL;

	if (function && PyCFunction_Check(function) && PyCFunction_GET_SELF(function) == module)
		method = ((PyCFunctionObject *)function)->m_ml;
	Py_XDECREF(function);
	return method && strcmp(method->ml_name, name) == 0 ? method : NULL;
}

/* The module's table comes first: the attribute may have been replaced, for example by gevent. */
static PyMethodDef *find_method(const struct builtin_hook *hook)
{
	PyObject *module = PyDict_GetItemString(PyImport_GetModuleDict(), hook->module);
	PyModuleDef *definition = module && PyModule_Check(module) ? PyModule_GetDef(module) : NULL;
	PyMethodDef *method =
		definition ? builtinhook_find_in(definition->m_methods, hook->name) : NULL;

	if (!method && module)
		method = method_of_attribute(module, hook->name);
	PyErr_Clear();
	return method;
}

static PyCFunction replacement_for(const struct builtin_hook *hook, int convention)
{
	switch (convention) {
	case BUILTIN_PLAIN:
		return hook->plain;
	case BUILTIN_KEYWORD:
		return AS_FUNCTION(hook->keyword);
	case BUILTIN_FAST:
		return AS_FUNCTION(hook->fast);
	default:
		return NULL;
	}
}

bool builtinhook_install(struct builtin_hook *hook)
{
	PyMethodDef *method = hook->method ? hook->method : find_method(hook);
	PyCFunction replacement = method ? replacement_for(hook, method->ml_flags) : NULL;

	if (!replacement)
		return false;
	if (method->ml_meth != replacement) {
		hook->original = method->ml_meth;
		hook->convention = method->ml_flags;
		method->ml_meth = replacement;
	}
	hook->method = method;
	return true;
}

void builtinhook_remove(struct builtin_hook *hook)
{
	if (!hook->method)
		return;
	if (hook->method->ml_meth == replacement_for(hook, hook->method->ml_flags))
		hook->method->ml_meth = hook->original;
	hook->method = NULL;
}

PyObject *builtinhook_call(const struct builtin_hook *hook, PyObject *self, PyObject *arguments,
			   PyObject *keywords)
{
	if (hook->convention == BUILTIN_PLAIN)
		return hook->original(self, arguments);
	return ((PyCFunctionWithKeywords)(void (*)(void))hook->original)(self, arguments, keywords);
}

PyObject *builtinhook_call_fast(const struct builtin_hook *hook, PyObject *self,
				PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
	__typeof__(hook->fast) original = (__typeof__(hook->fast))(void (*)(void))hook->original;

	return original(self, arguments, count, names);
}
