/* threading._active: the handle of each thread that threading knows, and its object, whose name
 * is an attribute. */
#include "attach/pythonnames.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "pystack/pyobject.h"

#define NAMES_MAX 65536u

static void add(struct pythonnames *names, const struct pyobjects *objects, uint64_t key,
		uint64_t thread)
{
	struct pythonname *grown =
		array_grow(names->names, &names->capacity, names->count + 1, sizeof(*grown));
	struct pythonname *name = grown ? &grown[names->count] : NULL;
	bool is_negative;
	uint64_t text;

	if (!grown)
		return;
	names->names = grown;
	if (!pyobject_integer(objects, key, &name->handle, &is_negative) || is_negative)
		return;
	text = pyobject_attribute(objects, thread, "_name");
	if (text && pyobject_text(objects, text, name->name, sizeof(name->name)) && name->name[0])
		names->count++;
}

static void read_interpreter(struct pythonnames *names, const struct pyobjects *objects,
			     uint64_t interpreter)
{
	struct pydict module, active;
	uint64_t key, thread;

	if (!pyobject_module(objects, interpreter, "threading", &module) ||
	    !pydict_open(objects, pydict_find(objects, module, "_active"), &active))
		return;
	while (names->count < NAMES_MAX && pydict_next(objects, &active, &key, &thread))
		add(names, objects, key, thread);
}

static int by_handle(const void *a, const void *b)
{
	const struct pythonname *one = a, *other = b;

	return (one->handle > other->handle) - (one->handle < other->handle);
}

void pythonnames_read(struct pythonnames *names, const struct pythontarget *python,
		      const struct pymemory *memory, const struct pythonthreads *threads)
{
	struct pyobjects objects;
	uint64_t last = 0;

	names->count = 0;
	if (!pyobjects_init(&objects, &python->runtime, memory))
		return;
	for (size_t i = 0; i < threads->count; i++) {
		if (threads->threads[i].interpreter == last) /* they lie together */
			continue;
		last = threads->threads[i].interpreter;
		read_interpreter(names, &objects, last);
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
