/* The interrupted thread's name in Python.  It is read from the thread's outermost frame, which
 * holds the object meanwhile: other threads may rename the thread concurrently, so memory is
 * read with checked copies and an invalid name is skipped until the next time. */
#include "collectors/sampler/python/sampler_names.h"

#include "collectors/sampler/sampler_state.h"
#include "object/unwind/unwind.h"
#include "pystack/pythreadname.h"
#include "runtime/control/sampling.h"

#define NAME_BYTES 256u

static bool names_read_checked(void *unused, uint64_t address, void *to, size_t size)
{
	(void)unused;
	return unwind_copy(address, to, size);
}

static const struct pymemory checked = {.read = names_read_checked};

bool sampler_name_is_due(struct sampler_thread *self)
{
	uint32_t count = ++self->name.python_count;

	return (count & (count - 1)) == 0;
}

void sampler_name_read(struct sampler_thread *self, const struct pyruntime *runtime,
		       const struct pyframe *outermost, uint64_t address)
{
	struct pyobjects objects;
	char name[NAME_BYTES];
	uint64_t object;

	if (!pyobjects_init(&objects, runtime, &checked))
		return;
	object = pythreadname_object(&objects, outermost, address);
	if (object && pythreadname_read(&objects, object, name, sizeof(name)))
		(void)kymo_sample_name(self->thread, name, &self->name.given);
}
