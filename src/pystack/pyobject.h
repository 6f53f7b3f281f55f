/* Objects of an interpreter: numbers, attributes, dictionaries, read from memory as
 * pystack.h has it, 3.8 to 3.15.
 *
 * Whatever is there may change meanwhile, or be made up: every size is bounded, and what makes
 * no sense is refused.  Nothing of the interpreter is called.  Context: any where memory is read
 * with checked copies, which objects need always. */
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
/* As the type has it: "dict", "_thread.lock". */
bool pyobject_type_name(const struct pyobjects *objects, uint64_t type, char *name, size_t size);
/* Py_TPFLAGS_*: what built-in type it is or comes from. */
#define PYOBJECT_LONG  (UINT64_C(1) << 24)
#define PYOBJECT_LIST  (UINT64_C(1) << 25)
#define PYOBJECT_TUPLE (UINT64_C(1) << 26)
#define PYOBJECT_BYTES (UINT64_C(1) << 27)
#define PYOBJECT_TEXT  (UINT64_C(1) << 28)
#define PYOBJECT_DICT  (UINT64_C(1) << 29)
#define PYOBJECT_TYPE  (UINT64_C(1) << 31)
/* Where the items of tuples begin: from 3.14 on they have their hash before them. */
uint32_t pyobjects_tuple_items(const struct pyobjects *objects);
bool pyobject_flags(const struct pyobjects *objects, uint64_t type, uint64_t *flags_out);

bool pyobject_text(const struct pyobjects *objects, uint64_t object, char *text, size_t size);
/* An int of at most 64 bits: its amount and its sign.  False: larger, or none. */
bool pyobject_integer(const struct pyobjects *objects, uint64_t object, uint64_t *out,
		      bool *is_negative_out);

struct pydict {
	uint64_t entries, values; /* values: apart from the keys; 0 = in the entries */
	uint32_t entry_bytes, key_at;
	uint64_t count, next; /* entries, with those that were deleted; the next one */
	uint64_t used;	      /* items */
};
bool pydict_open(const struct pyobjects *objects, uint64_t object, struct pydict *dict);
/* The attributes that an object has itself. */
bool pydict_open_instance(const struct pyobjects *objects, uint64_t object, struct pydict *dict);
/* False: that was all, or it cannot be read on. */
bool pydict_next(const struct pyobjects *objects, struct pydict *dict, uint64_t *key_out,
		 uint64_t *value_out);
/* The value of a key that is a text of less than 64 bytes; 0 = there is none. */
uint64_t pydict_find(const struct pyobjects *objects, struct pydict dict, const char *key);
uint64_t pyobject_attribute(const struct pyobjects *objects, uint64_t object, const char *name);

/* What an interpreter has imported under a name: the module's dictionary. */
bool pyobject_module(const struct pyobjects *objects, uint64_t interpreter, const char *name,
		     struct pydict *out);

#endif
