/* Composing region names.  Texts are copied by the runtime, so that nothing here outlives the
 * call. */
#include "labels.h"

#include <string.h>

#include "base/hashset.h"
#include "filter.h"
#include "userregions.h"

static uint32_t label_flags;	 /* KYMO_REGION_LABEL_* */
static struct hashset c_regions; /* by method definition: struct c_region */

struct c_region {
	const PyMethodDef *definition;
	const char *name;
	struct c_label label;
};

static bool labels_is_set(PyObject *config, const char *key)
{
	PyObject *value = PyDict_GetItemString(config, key);

	return value && PyObject_IsTrue(value) > 0;
}

void labels_configure(PyObject *config)
{
	label_flags = 0;
	if (labels_is_set(config, "include_filename"))
		label_flags |= KYMO_REGION_LABEL_FILE;
	if (labels_is_set(config, "include_line"))
		label_flags |= KYMO_REGION_LABEL_LINE;
	if (labels_is_set(config, "full_filepath"))
		label_flags |= KYMO_REGION_LABEL_FULL_PATH;
}

const char *text_borrow(PyObject *unicode, const char *errors, PyObject **keep)
{
	const char *text = PyUnicode_AsUTF8(unicode);

	*keep = NULL;
	if (text)
		return text;
	PyErr_Clear();
	*keep = PyUnicode_AsEncodedString(unicode, "utf-8", errors);
	if (*keep)
		return PyBytes_AS_STRING(*keep);
	PyErr_Clear();
	return NULL;
}

/* Lone surrogates are passed through. */
static const char *labels_text_of(PyObject *unicode, PyObject **keep)
{
	const char *text = text_borrow(unicode, "surrogatepass", keep);

	return text ? text : "?";
}

uint32_t label_intern_code(PyCodeObject *code, const char *arguments)
{
	PyObject *keep_name, *keep_file, *keep_qualname = NULL;
	struct kymo_region_spec spec = {
		.kind = KYMO_REGION_PYTHON,
		.flags = label_flags,
		.name = labels_text_of(code->co_name, &keep_name),
		.file = labels_text_of(code->co_filename, &keep_file),
		.arguments = arguments,
		.line = (uint32_t)code->co_firstlineno,
		.argument_count = (uint16_t)code->co_argcount,
		.local_count = (uint16_t)code->co_nlocals,
		.stack_size = (uint32_t)code->co_stacksize,
	};
	uint32_t region;

#if PY_VERSION_HEX >= 0x030b0000
	spec.qualname = labels_text_of(code->co_qualname, &keep_qualname);
#endif
	if (code->co_flags & CODE_IS_GENERATOR)
		spec.flags |= KYMO_REGION_GENERATOR;
	region = kymo_region_intern(&spec);
	Py_XDECREF(keep_name);
	Py_XDECREF(keep_file);
	Py_XDECREF(keep_qualname);
	return region;
}

/* "(n=5)" as a new str, or NULL without an exception. */
static PyObject *format_arguments(PyFrameObject *frame)
{
	static PyObject *formatter; /* kymo._labels.format_arguments, never freed */
	PyObject *text;

	if (!formatter) {
		PyObject *module = PyImport_ImportModule("kymo._labels");

		formatter = module ? PyObject_GetAttrString(module, "format_arguments") : NULL;
		Py_XDECREF(module);
	}
	text = formatter ? PyObject_CallFunctionObjArgs(formatter, (PyObject *)frame, NULL) : NULL;
	if (text && !PyUnicode_Check(text))
		Py_CLEAR(text);
	PyErr_Clear();
	return text;
}

uint32_t label_intern_call(struct kymo_thread *thread, PyCodeObject *code, PyFrameObject *frame)
{
	PyObject *type, *value, *traceback, *text, *keep = NULL;
	uint32_t region;

	if (!frame)
		return label_intern_code(code, NULL);
	PyErr_Fetch(&type, &value, &traceback);
	thread->blocked++;
	text = format_arguments(frame);
	region = label_intern_code(code, text ? labels_text_of(text, &keep) : NULL);
	Py_XDECREF(keep);
	Py_XDECREF(text);
	thread->blocked--;
	PyErr_Restore(type, value, traceback);
	return region;
}

bool label_is_own_import(PyObject *name)
{
	static const char package[] = "kymo";
	size_t length = sizeof(package) - 1;
	PyObject *keep;
	const char *module;
	bool is_own;

	if (filter_includes_internal() || !name || !PyUnicode_Check(name))
		return false;
	module = labels_text_of(name, &keep);
	is_own = strncmp(module, package, length) == 0 &&
		 (module[length] == '\0' || module[length] == '.');
	Py_XDECREF(keep);
	return is_own;
}

uint32_t label_intern_import(PyObject *name)
{
	struct kymo_region_spec spec = {.kind = KYMO_REGION_PYTHON, .flags = label_flags};
	PyObject *type, *value, *traceback, *text, *keep = NULL;
	uint32_t region = 0;

	if (!name || !PyUnicode_Check(name))
		return 0;
	PyErr_Fetch(&type, &value, &traceback);
	text = PyUnicode_FromFormat(FILTER_IMPORT " %U", name);
	if (text) {
		spec.name = labels_text_of(text, &keep);
		region = kymo_region_intern(&spec);
	}
	Py_XDECREF(keep);
	Py_XDECREF(text);
	PyErr_Restore(type, value, traceback);
	return region;
}

/* The type that defines a bound method of a built-in type: as in cProfile, except for a method that
 * a Python class has overridden. */
static const char *type_of_bound(PyCFunctionObject *function)
{
	PyObject *name = PyUnicode_FromString(function->m_ml->ml_name);
	PyObject *bases = Py_TYPE(function->m_self)->tp_mro;
	const char *type = NULL;

	for (Py_ssize_t i = 0; name && bases && !type && i < PyTuple_GET_SIZE(bases); i++) {
		PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(bases, i);
		PyObject *found = _PyType_Lookup(base, name);

		if (found && Py_TYPE(found) == &PyMethodDescr_Type &&
		    ((PyMethodDescrObject *)found)->d_method == function->m_ml)
			type = ((PyMethodDescrObject *)found)->d_common.d_type->tp_name;
	}
	Py_XDECREF(name);
	return type;
}

/* The name of the type a method belongs to; NULL for a function of a module. */
static const char *owner_type(PyObject *callable)
{
	PyCFunctionObject *function = (PyCFunctionObject *)callable;

	if (Py_TYPE(callable) == &PyMethodDescr_Type)
		return ((PyMethodDescrObject *)callable)->d_common.d_type->tp_name;
	if (!function->m_self || PyModule_Check(function->m_self))
		return NULL;
	return type_of_bound(function);
}

static const char *module_name(PyObject *callable)
{
	PyObject *module = Py_TYPE(callable) == &PyMethodDescr_Type
				   ? NULL
				   : ((PyCFunctionObject *)callable)->m_module;
	const char *name = NULL;

	if (module && PyUnicode_Check(module))
		name = PyUnicode_AsUTF8(module);
	else if (module && PyModule_Check(module))
		name = PyModule_GetName(module);
	PyErr_Clear();
	return name;
}

/* A wrapper of another function, such as those that start threads, is reported under its name. */
static PyObject *original_of(PyObject *callable)
{
	PyCFunctionObject *function = (PyCFunctionObject *)callable;
	bool is_function = PyCFunction_Check(callable);

	if (is_function && !function->m_module && function->m_self &&
	    PyCFunction_Check(function->m_self))
		return function->m_self;
	return callable;
}

/* Kymo's own would be entered before they change what is open, and left after. */
static bool labels_is_own(PyObject *callable, const char *type)
{
	return (type && !strcmp(type, REGION_TYPE_NAME)) ||
	       (PyCFunction_Check(callable) &&
		((PyCFunctionObject *)callable)->m_self == collector.module);
}

static struct c_label intern_c(PyObject *callable, const PyMethodDef *definition)
{
	PyObject *original = original_of(callable);
	const char *type = owner_type(original);
	struct kymo_region_spec spec = {
		.kind = type ? KYMO_REGION_PYTHON_METHOD : KYMO_REGION_PYTHON_C,
		.flags = label_flags,
		.name = definition->ml_name,
		.module = type ? type : module_name(original),
	};
	struct c_label label = {0, filter_decide_c(definition->ml_name)};

	if (labels_is_own(callable, type))
		label.action = CODE_SKIP;
	if (label.action == CODE_RECORD || label.action == CODE_UNDECIDED)
		label.region = kymo_region_intern(&spec);
	return label;
}

static bool c_region_matches(uint64_t value, const void *key)
{
	const struct c_region *entry = (const struct c_region *)(uintptr_t)value;
	const PyMethodDef *definition = key;

	return entry->definition == definition && entry->name == definition->ml_name;
}

/* The definition of a callable that counts as a C function; NULL = another kind. */
static const PyMethodDef *definition_of(PyObject *callable)
{
	if (PyCFunction_Check(callable))
		return ((PyCFunctionObject *)callable)->m_ml;
	if (Py_TYPE(callable) == &PyMethodDescr_Type)
		return ((PyMethodDescrObject *)callable)->d_method;
	return NULL;
}

bool label_find_c(PyObject *callable, const struct c_label **label_out)
{
	const PyMethodDef *definition = definition_of(callable);
	const struct c_region *entry;

	*label_out = NULL;
	if (!definition)
		return true;
	entry = (const struct c_region *)(uintptr_t)hashset_find(
		&c_regions, (uint64_t)(uintptr_t)definition, c_region_matches, definition);
	if (entry)
		*label_out = &entry->label;
	return entry != NULL;
}

const struct c_label *label_intern_c(PyObject *callable)
{
	const PyMethodDef *definition = definition_of(callable);
	uint64_t hash = (uint64_t)(uintptr_t)definition;
	PyObject *type, *value, *traceback;
	struct c_region *entry;

	if (!definition)
		return NULL;
	entry = (struct c_region *)(uintptr_t)hashset_find(&c_regions, hash, c_region_matches,
							   definition);
	if (entry)
		return &entry->label;
	PyErr_Fetch(&type, &value, &traceback);
	entry = malloc(sizeof(*entry));
	if (entry) {
		*entry = (struct c_region){definition, definition->ml_name,
					   intern_c(callable, definition)};
		hashset_insert(&c_regions, hash, (uint64_t)(uintptr_t)entry);
	}
	PyErr_Restore(type, value, traceback);
	return entry ? &entry->label : NULL;
}

void labels_renew(void)
{
	for (size_t i = 0; i < c_regions.capacity; i++)
		free((void *)(uintptr_t)c_regions.slots[i].value);
	hashset_release(&c_regions);
}
