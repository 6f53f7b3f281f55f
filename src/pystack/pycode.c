/* Code objects: their identity, names, lines and flags. */
#include <string.h>

#include "pystack/pycode.h"
#include "pystack/pystack.h"
#include "pystack/pyunicode.h"

#define CODE_SIZE_MAX 512u /* bytes of the fixed part of a code object */

static bool is_code(const struct pyruntime *runtime, uint64_t type)
{
	return runtime->code_type == 0 || type == runtime->code_type;
}

bool pycode_identify(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		     struct pycode_identity *out)
{
	const struct pylayout *layout = &runtime->layout;
	unsigned char head[CODE_SIZE_MAX];
	struct pyreader reader;

	/* The line table is the last field that is needed. */
	if (!pyread_is_object(code) || layout->code.lines + 8 > sizeof(head))
		return false;
	pyreader_begin(&reader, memory);
	if (!pyread(&reader, code, head, layout->code.lines + 8) ||
	    !is_code(runtime, pyread_field(head, layout->object.type)))
		return false;
	out->code = code;
	out->name = pyread_field(head, layout->code.name);
	out->filename = pyread_field(head, layout->code.filename);
	out->lines = pyread_field(head, layout->code.lines);
	out->first_line = pyread_field32(head, layout->code.first_line);
	return pyread_is_object(out->name) && pyread_is_object(out->filename);
}

/* The bytes of the line table; a malformed or too long one is ignored. */
static void pycode_find_lines(const struct pylayout *layout, struct pyreader *reader,
			      uint64_t bytes, struct pycode *code)
{
	uint64_t size;

	code->lines = 0;
	code->lines_size = 0;
	if (!pyread_is_object(bytes) ||
	    !pyread_checked(reader, bytes + layout->object.bytes_size, &size, sizeof(size)) ||
	    size > PYCODE_LINES_MAX)
		return;
	code->lines = bytes + layout->object.bytes_data;
	code->lines_size = (uint32_t)size;
}

static bool read_texts(const struct pylayout *layout, struct pyreader *reader,
		       const unsigned char *head, struct pycode *out)
{
	uint64_t type, other;

	if (!pyunicode_read(layout, reader, pyread_field(head, layout->code.name), out->name,
			    sizeof(out->name), &type) ||
	    !pyunicode_read(layout, reader, pyread_field(head, layout->code.filename),
			    out->filename, sizeof(out->filename), &other) ||
	    other != type)
		return false;
	out->qualname[0] = '\0';
	if (layout->code.qualname == PYLAYOUT_NONE)
		return true;
	return pyunicode_read(layout, reader, pyread_field(head, layout->code.qualname),
			      out->qualname, sizeof(out->qualname), &other) &&
	       other == type;
}

bool pycode_read(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t code,
		 struct pycode *out)
{
	const struct pylayout *layout = &runtime->layout;
	unsigned char head[CODE_SIZE_MAX];
	struct pyreader reader;

	if (!pyread_is_object(code) || layout->code.size > sizeof(head))
		return false;
	pyreader_begin(&reader, memory);
	if (!pyread_checked(&reader, code, head, layout->code.size) ||
	    !is_code(runtime, pyread_field(head, layout->object.type)) ||
	    !read_texts(layout, &reader, head, out))
		return false;
	out->first_line = pyread_field32(head, layout->code.first_line);
	out->flags = pyread_field32(head, layout->code.flags);
	pycode_find_lines(layout, &reader, pyread_field(head, layout->code.lines), out);
	return true;
}
