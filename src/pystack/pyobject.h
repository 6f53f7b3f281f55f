/* Objects of an interpreter: numbers, attributes, dictionaries, read from memory as in pystack.h,
 * 3.8 to 3.15.
 *
 * The memory may change concurrently, or be forged: every size is limited, and inconsistent data is
 * rejected.  Nothing of the interpreter is called.  Context: any if memory is read with checked
 * copies, which objects always need. */
#ifndef KYMO_PYOBJECT_H
#define KYMO_PYOBJECT_H

#include "pystack/pystack.h"

struct pyobject_offsets;

struct pyobjects { /* how to read */
	const struct pyruntime *runtime;
	const struct pymemory *memory;
	const struct pyobject_offsets *offsets;
};

/* False: objects of this version cannot be read. */
bool pyobjects_init(struct pyobjects *objects, const struct pyruntime *runtime,
		    const struct pymemory *memory);

bool pyobject_word(const struct pyobjects *objects, uint64_t address, uint64_t *out);
bool pyobject_type(const struct pyobjects *objects, uint64_t object, uint64_t *type_out);
/* The type's name: "dict", "_thread.lock". */
bool pyobject_type_name(const struct pyobjects *objects, uint64_t type, char *name, size_t size);
/* Py_TPFLAGS_*: which built-in type it is or derives from. */
#define PYOBJECT_LONG  (UINT64_C(1) << 24)
#define PYOBJECT_LIST  (UINT64_C(1) << 25)
#define PYOBJECT_TUPLE (UINT64_C(1) << 26)
#define PYOBJECT_BYTES (UINT64_C(1) << 27)
#define PYOBJECT_TEXT  (UINT64_C(1) << 28)
#define PYOBJECT_DICT  (UINT64_C(1) << 29)
#define PYOBJECT_TYPE  (UINT64_C(1) << 31)
/* Offset of the items of tuples: from 3.14 on their hash precedes them. */
uint32_t pyobjects_tuple_items(const struct pyobjects *objects);
bool pyobject_flags(const struct pyobjects *objects, uint64_t type, uint64_t *flags_out);

bool pyobject_text(const struct pyobjects *objects, uint64_t object, char *text, size_t size);
/* An int of at most 64 bits: its magnitude and its sign.  False: larger, or no int. */
bool pyobject_integer(const struct pyobjects *objects, uint64_t object, uint64_t *out,
		      bool *is_negative_out);

struct pydict {
	uint64_t entries, values; /* values: separate from the keys; 0 = in the entries */
	uint32_t entry_bytes, key_at;
	uint64_t count, next; /* entries, including deleted ones; the next one */
	uint64_t used;	      /* items */
};
bool pydict_open(const struct pyobjects *objects, uint64_t object, struct pydict *dict);
/* The attributes stored in the object itself. */
bool pydict_open_instance(const struct pyobjects *objects, uint64_t object, struct pydict *dict);
/* False: the end, or unreadable. */
bool pydict_next(const struct pyobjects *objects, struct pydict *dict, uint64_t *key_out,
		 uint64_t *value_out);
/* The value of a string key of less than 64 bytes; 0 = there is none. */
uint64_t pydict_find(const struct pyobjects *objects, struct pydict dict, const char *key);
uint64_t pyobject_attribute(const struct pyobjects *objects, uint64_t object, const char *name);

/* The dictionary of a module that an interpreter has imported. */
bool pyobject_module(const struct pyobjects *objects, uint64_t interpreter, const char *name,
		     struct pydict *out);

#endif
