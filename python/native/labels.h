/* Regions of Python functions, C functions and users' names. */
#ifndef KYMO_LABELS_H
#define KYMO_LABELS_H

#include "codecache.h"

/* A str as UTF-8, or encoded with errors ("surrogatepass", "surrogateescape") if that is not
 * possible: then *keep is a new reference to be released, else NULL.  NULL without an exception:
 * not possible either way. */
const char *text_borrow(PyObject *unicode, const char *errors, PyObject **keep);

/* Take label switches from a dict: include_line, include_filename, full_filepath. */
void labels_configure(PyObject *config);

/* Region of a code object; arguments "(n=5)" or NULL.  0 when the recording is full. */
uint32_t label_intern_code(PyCodeObject *code, const char *arguments);

/* Region of the call that runs in frame, with its arguments; falls back to the region
 * without them.  Runs Python code, with the thread blocked. */
uint32_t label_intern_call(struct kymo_thread *thread, PyCodeObject *code, PyFrameObject *frame);

/* Region of the import of a module; 0: name is no str, or the recording is full. */
uint32_t label_intern_import(PyObject *name);
/* True for a module of the package, which is not shown. */
bool label_is_own_import(PyObject *name);

/* What is known of a C function or method. */
struct c_label {
	uint32_t region;	 /* 0 = not to be recorded */
	enum code_action action; /* CODE_UNDECIDED = its caller's module decides */
};

/* Owned by its definition until labels_renew(); NULL when it is no C function. */
const struct c_label *label_intern_c(PyObject *callable);
/* True if the result of label_intern_c() is known already: *label_out. */
bool label_find_c(PyObject *callable, const struct c_label **label_out);
/* After a configuration change. */
void labels_renew(void);

#endif
