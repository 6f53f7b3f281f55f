/* threading._active: the handle of each thread that threading knows, and its object, which has the
 * name as an attribute. */
#include "attach/python/pythonnames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"
#include "pystack/pythreadname.h"

#define NAMES_MAX 65536u
#define AGAIN_NS  UINT64_C(400000000)  /* threads are rarely renamed */
#define FIND_NS	  UINT64_C(2000000000) /* modules are hardly ever replaced */

static void pythonnames_add(struct pythonnames *names, const struct pyobjects *objects,
			    uint64_t key, uint64_t thread)
{
	struct pythonname *grown =
		array_grow(names->names, &names->capacity, names->count + 1, sizeof(*grown));
	struct pythonname *name = grown ? &grown[names->count] : NULL;
	bool is_negative;

	if (!grown)
		return;
	names->names = grown;
	if (!pyobject_integer(objects, key, &name->handle, &is_negative) || is_negative)
		return;
	if (pythreadname_read(objects, thread, name->name, sizeof(name->name)))
		names->count++;
}

/* Searching all modules takes a hundred times as long as reading the names. */
static uint64_t find_active(struct pythonnames *names, const struct pyobjects *objects,
			    uint64_t interpreter, uint64_t now_ns)
{
	size_t slot = (interpreter >> 4) % PYTHONNAMES_INTERPRETERS;
	struct pydict module;

	if (names->found[slot].interpreter != interpreter ||
	    now_ns - names->found[slot].found_ns >= FIND_NS) {
		names->found[slot].interpreter = interpreter;
		names->found[slot].found_ns = now_ns;
		names->found[slot].active =
			pyobject_module(objects, interpreter, "threading", &module)
				? pydict_find(objects, module, "_active")
				: 0;
	}
	return names->found[slot].active;
}

static void read_interpreter(struct pythonnames *names, const struct pyobjects *objects,
			     uint64_t interpreter, uint64_t now_ns)
{
	struct pydict active;
	uint64_t key, thread;

	if (!pydict_open(objects, find_active(names, objects, interpreter, now_ns), &active))
		return;
	for (unsigned i = 0; i < NAMES_MAX && pydict_next(objects, &active, &key, &thread); i++)
		pythonnames_add(names, objects, key, thread);
}

static int by_handle(const void *a, const void *b)
{
	const struct pythonname *one = a, *other = b;

	return (one->handle > other->handle) - (one->handle < other->handle);
}

/* Handles are soon reused. */
static uint64_t pythonnames_hash_of(const struct pythonthreads *threads)
{
	uint64_t hash = HASH_SEED;

	for (size_t i = 0; i < threads->count; i++) {
		const uint64_t words[] = {threads->threads[i].handle,
					  (uint64_t)threads->threads[i].id};

		hash = hash_bytes(hash, words, sizeof(words));
	}
	return hash;
}

void pythonnames_read(struct pythonnames *names, const struct pythontarget *python,
		      const struct pymemory *memory, const struct pythonthreads *threads,
		      uint64_t now_ns)
{
	struct pyobjects objects;
	uint64_t last = 0, hash = pythonnames_hash_of(threads);

	if ((now_ns - names->read_ns < AGAIN_NS && names->threads == hash) ||
	    !pyobjects_init(&objects, &python->runtime, memory))
		return;
	names->count = 0;
	names->read_ns = now_ns;
	names->threads = hash;
	for (size_t i = 0; i < threads->count; i++) {
		if (threads->threads[i].interpreter == last) /* threads of one interpreter are
							      * adjacent */
			continue;
		last = threads->threads[i].interpreter;
		read_interpreter(names, &objects, last, now_ns);
	}
	if (names->count > 1)
		qsort(names->names, names->count, sizeof(*names->names), by_handle);
}

const char *pythonnames_find(const struct pythonnames *names, uint64_t handle)
{
	const struct pythonname key = {.handle = handle};
	const struct pythonname *found =
		names->count ? bsearch(&key, names->names, names->count, sizeof(key), by_handle)
			     : NULL;

	return found ? found->name : NULL;
}

void pythonnames_release(struct pythonnames *names)
{
	free(names->names);
	*names = (struct pythonnames){0};
}
