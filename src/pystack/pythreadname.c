/* A thread of threading's begins in Thread._bootstrap(self), in all versions: the first local
 * variable of that frame is the object, as long as the thread runs. */
#include "pystack/pythreadname.h"

#include <string.h>

#include "pystack/pycode.h"

#define FIRST_FUNCTION "_bootstrap"
#define FIRST_FILE     "threading.py"
#define FILE_MAX       1024u
#define FIRST_TAGGED   0x030eu
#define TAG_BITS       UINT64_C(3) /* of a tagged reference, from 3.14 on */

bool pythreadname_read(const struct pyobjects *objects, uint64_t thread_object, char *text,
		       size_t size)
{
	uint64_t name = pyobject_attribute(objects, thread_object, "_name");

	return name && pyobject_text(objects, name, text, size) && text[0];
}

static bool pythreadname_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && strcmp(text + length - size, end) == 0;
}

static bool is_first_function(const struct pyobjects *objects, uint64_t code)
{
	struct pycode_identity identity;
	char text[FILE_MAX];

	return pycode_identify(objects->runtime, objects->memory, code, &identity) &&
	       pyobject_text(objects, identity.name, text, sizeof(text)) &&
	       strcmp(text, FIRST_FUNCTION) == 0 &&
	       pyobject_text(objects, identity.filename, text, sizeof(text)) &&
	       pythreadname_ends_with(text, FIRST_FILE);
}

uint64_t pythreadname_object(const struct pyobjects *objects, const struct pyframe *outermost,
			     uint64_t address)
{
	const struct pylayout *layout = &objects->runtime->layout;
	uint64_t object;

	if (!is_first_function(objects, outermost->code) ||
	    !pyobject_word(objects, address + layout->frame.size, &object))
		return 0;
	return layout->version < FIRST_TAGGED ? object : object & ~TAG_BITS;
}
