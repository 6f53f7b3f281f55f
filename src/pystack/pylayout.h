/* The layout of CPython's structures, by version: offsets in bytes.
 *
 * Those of 3.8 to 3.15 are in pylayout_table.def, written by tools/python_layouts.py from each
 * version's headers; 3.13 and later also publish most of theirs in _PyRuntime, and published ones
 * take precedence: so versions after 3.15 are supported, too.  A layout is used only after the data
 * found through it has been validated: it is never guessed.  Context: any. */
#ifndef KYMO_PYLAYOUT_H
#define KYMO_PYLAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define PYLAYOUT_NONE UINT32_MAX /* the version has no such field */

struct pylayout {
	uint16_t version; /* major << 8 | minor */
	struct {	  /* _PyRuntime */
		uint32_t size;
		uint32_t interpreters_head;
		uint32_t finalizing;
		uint32_t tstate_current; /* holder of the GIL, up to 3.11; else NONE */
		uint32_t gil;		 /* the GIL itself, up to 3.11; else NONE */
	} runtime;
	struct { /* PyInterpreterState */
		uint32_t next, threads_head, id;
		uint32_t gil; /* pointer to the GIL, from 3.12 on; else NONE */
	} interpreter;
	struct { /* struct _gil_runtime_state */
		uint32_t size, last_holder, locked, condition, switch_condition, switch_number;
	} gil;
	struct { /* PyThreadState */
		uint32_t size, next, interp, thread_id;
		uint32_t native_thread_id; /* from 3.11 on */
		uint32_t frame;		   /* PyFrameObject *, up to 3.10 */
		uint32_t cframe;	   /* on the C stack, 3.10 to 3.12 */
		uint32_t current_frame;	   /* _PyInterpreterFrame *, from 3.13 on */
		uint32_t datastack_chunk;  /* memory of frames, from 3.11 on */
		uint32_t datastack_top;	   /* end of the last of them */
	} thread;
	struct {
		uint32_t current_frame, previous;
	} cframe;
	struct { /* PyFrameObject up to 3.10, _PyInterpreterFrame from 3.11 on */
		uint32_t size, previous, code, instruction, owner, is_entry;
		uint32_t stack; /* depth of its value stack, from 3.11 on: saved while it calls */
		uint32_t return_offset; /* 16 bits: 0 until it calls, from 3.13 on */
		uint32_t running; /* a byte, up to 3.10: running_value while it is on the stack */
		uint8_t instruction_is_pointer; /* else an offset of instruction_unit bytes */
		uint8_t instruction_unit;
		uint8_t stack_is_pointer; /* NULL while it executes; else an int, -1 instead */
		uint8_t owner_generator;  /* value of owner in frames of generators */
		uint8_t owner_c_stack;	  /* values of owner from this one on: entries from C */
		uint8_t running_value;
		uint8_t code_is_tagged; /* low bits have to be masked, from 3.14 on */
	} frame;
	struct { /* PyCodeObject */
		uint32_t size, name, qualname, filename, first_line, flags, lines;
		uint32_t instructions; /* first byte of code from 3.11 on; before, bytes object */
		uint32_t first_traceable; /* before it a frame is being prepared, from 3.11 on */
	} code;
	struct { /* PyUnicodeObject, PyBytesObject, PyObject */
		uint32_t length, state, ascii_data, compact_data, type;
		uint32_t bytes_size, bytes_data;
		uint32_t kind_shift;   /* in state: three bits kind, then is compact, is ASCII */
		uint32_t unicode_data; /* pointer to the characters if it is not compact */
	} object;
};

/* Those of the processor, by version; ends with version 0. */
extern const struct pylayout pylayout_table[];

/* The layout of a version by its headers; NULL = not known. */
const struct pylayout *pylayout_find(uint16_t version);
/* The newest known one; NULL = none for this processor. */
const struct pylayout *pylayout_newest(void);

#endif
