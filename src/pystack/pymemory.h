/* A running interpreter, in this process or another, and how its memory is read.  Context: any. */
#ifndef KYMO_PYMEMORY_H
#define KYMO_PYMEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pystack/pylayout.h"

struct pycode_shape {		  /* what a walk asks of each code object */
	uint32_t units;		  /* of instructions, from 3.11 on; before 0 */
	uint32_t first_traceable; /* units, from 3.11 on; before 0 */
};

struct pycall {			 /* from Python to Python */
	uint64_t caller, callee; /* code objects */
	uint32_t offset;	 /* of the instruction that calls */
};

struct pyrunning { /* how to read a thread that runs on meanwhile */
	/* What was at address when all had been read once; NULL = it cannot be read.  Good until
	 * the next call. */
	const unsigned char *(*later)(void *context, uint64_t address, size_t size);
	/* A call that was seen for certain, and how far behind its caller's frame the callee's
	 * lies; 0 = apart. */
	void (*learn)(void *context, const struct pycall *call, uint32_t distance);
	/* Is it one of those that were learned? */
	bool (*knows)(void *context, const struct pycall *call);
	/* The distance learned last for a caller, 0 = none. */
	uint32_t (*distance)(void *context, uint64_t caller);
};

struct pymemory { /* how to read; NULL read = the process itself, directly */
	bool (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
	/* Not NULL: asked first whether a code object is known, to spare reading it; false =
	 * it is to be read.  Who answers sees to it that it still is the same. */
	bool (*shape)(void *context, uint64_t code, struct pycode_shape *out);
	const struct pyrunning *running; /* NULL = the thread is stopped */
	/* Of the process itself: what the interrupted thread has in its registers, where an
	 * evaluation that is just being entered has what it has not written yet. */
	const uint64_t *words;
	size_t word_count;
	int system_id;	 /* of the calling thread, where it is known: spares asking for it */
	bool is_outside; /* the interrupted thread executes outside of the evaluation function */
};

struct pyruntime { /* a running interpreter */
	struct pylayout layout;
	uint64_t runtime;     /* address of _PyRuntime */
	uint64_t evaluate;    /* address of _PyEval_EvalFrameDefault, 0 = not known */
	uint64_t code_type;   /* address of PyCode_Type: what a code object points to */
	uint64_t none;	      /* address of None, 0 = not known */
	uint64_t this_thread; /* PyGILState_GetThisThreadState, in the process itself; else 0 */
	uint32_t hexversion;  /* PY_VERSION_HEX; before 3.11 only its first two numbers */
};

/* The addresses of what an interpreter exports, 0 = there is no such symbol. */
enum pysymbol {
	PYSYMBOL_RUNTIME,     /* _PyRuntime */
	PYSYMBOL_EVALUATE,    /* _PyEval_EvalFrameDefault */
	PYSYMBOL_CODE_TYPE,   /* PyCode_Type */
	PYSYMBOL_NONE,	      /* _Py_NoneStruct */
	PYSYMBOL_THIS_THREAD, /* PyGILState_GetThisThreadState */
	PYSYMBOL_VERSION,     /* Py_Version, from 3.11 on */
	PYSYMBOL_SINCE_3_10,  /* Py_NewRef: which there is tells the version before 3.11 */
	PYSYMBOL_SINCE_3_9,   /* PyFrame_GetCode */
	PYSYMBOL_SINCE_3_8,   /* PyCode_NewWithPosOnlyArgs */
	PYSYMBOL_COUNT,
};

#endif
