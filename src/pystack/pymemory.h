/* A running interpreter, in this process or another, and how its memory is read.  Context: any. */
#ifndef KYMO_PYMEMORY_H
#define KYMO_PYMEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pystack/pylayout.h"

struct pycode_shape {		  /* what a walk needs of each code object */
	uint32_t units;		  /* of instructions, from 3.11 on; before 0 */
	uint32_t first_traceable; /* units, from 3.11 on; before 0 */
};

struct pycall {			 /* from Python to Python */
	uint64_t caller, callee; /* code objects */
	uint32_t offset;	 /* of the calling instruction */
};

struct pyrunning { /* how to read a thread that runs concurrently */
	/* The contents of address after everything had been read once; NULL = unreadable.  Valid
	 * until the next call. */
	const unsigned char *(*later)(void *context, uint64_t address, size_t size);
	/* Record a certain call, and the distance from its caller's frame to the callee's; 0 = not
	 * adjacent. */
	void (*learn)(void *context, const struct pycall *call, uint32_t distance);
	/* Was that call recorded before? */
	bool (*knows)(void *context, const struct pycall *call);
	/* The distance recorded last for a caller, 0 = none. */
	uint32_t (*distance)(void *context, uint64_t caller);
};

struct pymemory { /* how to read; NULL read = the process itself, directly */
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
	/* Not NULL: called first for known code objects, to avoid reading them; false = it has to
	 * be read.  The callee ensures that it has not changed. */
	bool (*shape)(void *context, uint64_t code, struct pycode_shape *out);
	const struct pyrunning *running; /* NULL = the thread is stopped */
	/* Of the process itself: the interrupted thread's registers, which contain values that an
	 * evaluation in its prologue has not stored yet. */
	const uint64_t *words;
	size_t word_count;
	int system_id;	 /* of the calling thread, if known: saves a system call */
	bool is_outside; /* the interrupted thread executes outside of the evaluation function */
};

struct pyruntime { /* a running interpreter */
	struct pylayout layout;
	uint64_t runtime;     /* address of _PyRuntime */
	uint64_t evaluate;    /* address of _PyEval_EvalFrameDefault, 0 = not known */
	uint64_t code_type;   /* address of PyCode_Type: the type of code objects */
	uint64_t none;	      /* address of None, 0 = not known */
	uint64_t this_thread; /* PyGILState_GetThisThreadState, in the process itself; else 0 */
	uint32_t hexversion;  /* PY_VERSION_HEX; before 3.11 only major and minor */
};

/* The addresses of an interpreter's exported symbols, 0 = there is no such symbol. */
enum pysymbol {
	PYSYMBOL_RUNTIME,     /* _PyRuntime */
	PYSYMBOL_EVALUATE,    /* _PyEval_EvalFrameDefault */
	PYSYMBOL_CODE_TYPE,   /* PyCode_Type */
	PYSYMBOL_NONE,	      /* _Py_NoneStruct */
	PYSYMBOL_THIS_THREAD, /* PyGILState_GetThisThreadState */
	PYSYMBOL_VERSION,     /* Py_Version, from 3.11 on */
	PYSYMBOL_SINCE_3_10,  /* Py_NewRef: these symbols identify versions before 3.11 */
	PYSYMBOL_SINCE_3_9,   /* PyFrame_GetCode */
	PYSYMBOL_SINCE_3_8,   /* PyCode_NewWithPosOnlyArgs */
	PYSYMBOL_COUNT,
};

#endif
