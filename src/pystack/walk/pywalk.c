/* What walks of both kinds of frames share: detection of cycles, and the shape of a code object. */
#include "pystack/walk/pywalk.h"

#define STEPS_MAX (1u << 20)
#define UNITS_MAX (UINT64_C(1) << 30)
#define SHAPE_MAX 256u /* bytes of a code object that are needed */

bool pywalk_is_cycle(struct pywalk *walk, uint64_t frame)
{
	if (frame == walk->earlier || ++walk->steps > STEPS_MAX)
		return true;
	if ((walk->steps & (walk->steps - 1)) == 0)
		walk->earlier = frame;
	return false;
}

bool pywalk_measure(const struct pyruntime *runtime, struct pyreader *reader, uint64_t code,
		    struct pycode_shape *out)
{
	const struct pylayout *layout = &runtime->layout;
	const bool has_units = layout->code.first_traceable != PYLAYOUT_NONE;
	unsigned char buffer[SHAPE_MAX];
	const unsigned char *head;
	uint64_t units;
	size_t size = has_units ? layout->code.first_traceable + 4 : layout->object.type + 8;

	if (!pyread_is_object(code))
		return false;
	if (reader->memory && reader->memory->shape &&
	    reader->memory->shape(reader->memory->context, code, out))
		return true;
	head = size <= SHAPE_MAX ? pyread_at(reader, code, buffer, size) : NULL;
	if (!head ||
	    (runtime->code_type && pyread_field(head, layout->object.type) != runtime->code_type))
		return false;
	*out = (struct pycode_shape){.units = 0};
	if (!has_units)
		return true;
	units = pyread_field(head, layout->object.bytes_size);
	out->units = (uint32_t)units;
	out->first_traceable = pyread_field32(head, layout->code.first_traceable);
	return units > 0 && units < UNITS_MAX;
}

bool pycode_measure(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		    struct pycode_shape *out)
{
	struct pyreader reader;

	pyreader_begin(&reader, memory);
	return pywalk_measure(runtime, &reader, code, out);
}
