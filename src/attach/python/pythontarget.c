/* Located by symbols first, then by the section that contains the runtime, which stripped programs
 * keep.  Not used before threads were found through it and a stack was walked. */
#include "attach/python/pythontarget.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "pystack/pycode.h"
#include "pystack/pylayout_published.h"
#include "pystack/walk/pystack_walk.h"

#define FIRST_WITH_VERSION   0x030bu /* Py_Version is exported */
#define FIRST_WITH_PUBLISHED 0x030du
#define THREADS_MAX	     4096
#define ATTEMPTS	     25 /* to walk stacks that change concurrently */
#define TYPE_NAME_OFFSET     24 /* of tp_name in a type, in all versions */

enum symbol_index { RUNTIME, VERSION, CODE_TYPE, NONE, EVALUATE, EVALUATE_COLD, SYMBOL_COUNT };

static bool pythontarget_read_word(struct remote *remote, uint64_t address, uint64_t *out)
{
	return remote_read(remote, address, out, sizeof(*out));
}

/* "libpython3.9.so.1.0", "python3.10": the version after the last "python"; 0 = none. */
static uint16_t version_of_name(const char *path)
{
	const char *name = path_base_name(path);
	const char *python = strstr(name, "python3.");
	unsigned long minor = python ? strtoul(python + 8, NULL, 10) : 0;

	return minor > 0 && minor < 100 ? (uint16_t)(3u << 8 | minor) : 0;
}

/* The string that Py_GetVersion() begins with, "3.9.18": between two zero bytes. */
static uint16_t version_of_text(const struct elfimage *image)
{
	const unsigned char *at = image->data, *end = at + image->size;

	while (end - at > 16) {
		const unsigned char *found = memmem(at, (size_t)(end - at),
						    "\0"
						    "3.",
						    3);
		unsigned minor, micro;
		int length = 0;

		if (!found || end - found < 16)
			return 0;
		at = found + 3;
		if (isdigit(*at) &&
		    sscanf((const char *)at, "%2u.%2u%n", &minor, &micro, &length) == 2 &&
		    at[length] == '\0' && minor >= 8 && minor <= 12)
			return (uint16_t)(3u << 8 | minor);
	}
	return 0;
}

static uint16_t find_version(const struct targetmodule *module, uint64_t address,
			     struct remote *remote, uint32_t *hexversion)
{
	uint16_t version;

	if (address && remote_read(remote, address, hexversion, sizeof(*hexversion)) &&
	    *hexversion >> 24 == 3)
		return (uint16_t)(*hexversion >> 16);
	version = version_of_name(module->path);
	if (!version && module->image)
		version = version_of_text(module->image);
	*hexversion = (uint32_t)version << 16;
	return version;
}

static bool find_runtime(struct targetmaps *maps, struct targetmodule *module,
			 struct remote *remote, struct elfimage_name *names)
{
	struct elfimage *image = targetmaps_image(maps, module, remote);
	struct elfimage_section section;

	names[RUNTIME] = (struct elfimage_name){.name = "_PyRuntime"};
	names[VERSION] = (struct elfimage_name){.name = "Py_Version"};
	names[CODE_TYPE] = (struct elfimage_name){.name = "PyCode_Type"};
	names[NONE] = (struct elfimage_name){.name = "_Py_NoneStruct"};
	names[EVALUATE] = (struct elfimage_name){.name = "_PyEval_EvalFrameDefault"};
	names[EVALUATE_COLD] = (struct elfimage_name){.name = "_PyEval_EvalFrameDefault.cold"};
	if (!image)
		return false;
	elfimage_symbols(image, names, SYMBOL_COUNT);
	if (!names[RUNTIME].value && elfimage_section(image, ".PyRuntime", &section))
		names[RUNTIME].value = section.address;
	return names[RUNTIME].value != 0;
}

/* Files whose names indicate it first: others are read only if there are none. */
static struct targetmodule *pythontarget_find_module(struct targetmaps *maps, struct remote *remote,
						     struct elfimage_name *names)
{
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < maps->module_count; i++) {
			struct targetmodule *module = &maps->modules[i];
			const char *slash = strrchr(module->path, '/');
			bool is_named = slash && strstr(slash, "python");

			if (is_named == (pass == 0) && find_runtime(maps, module, remote, names))
				return module;
		}
	}
	return NULL;
}

static void pythontarget_add_part(struct pymerge_evaluation *evaluation,
				  const struct elfimage_name *name, uint64_t bias)
{
	if (!name->value || !name->size)
		return;
	evaluation->start[evaluation->count] = name->value + bias;
	evaluation->end[evaluation->count++] = name->value + bias + name->size;
}

static enum pythontarget_state pythontarget_unknown(struct problem *reason,
						    const struct remote *remote, uint16_t version,
						    const char *why)
{
	problem_set(reason, KYMO_UNAVAILABLE, "Python %u.%u in process %d cannot be read: %s",
		    version >> 8, version & 0xffu, (int)remote->pid, why);
	return PYTHONTARGET_UNKNOWN;
}

static bool is_before_release(uint32_t hexversion)
{
	uint32_t level = hexversion >> 4 & 0xf;

	return level != 0 && level < 0xc;
}

static bool take_layout(struct pythontarget *python, struct remote *remote, const char **why)
{
	unsigned char bytes[PYLAYOUT_PUBLISHED_MAX];
	const struct pylayout *known;

	if (python->version >= FIRST_WITH_PUBLISHED)
		return remote_read(remote, python->runtime.runtime, bytes, sizeof(bytes)) &&
		       pylayout_published(bytes, sizeof(bytes), &python->runtime.layout, why);
	known = is_before_release(python->runtime.hexversion) ? NULL
							      : pylayout_find(python->version);
	if (known)
		python->runtime.layout = *known;
	return known != NULL;
}

/* A stripped interpreter has no symbol PyCode_Type; the code object of a frame refers to it. */
static bool learn_code_type(struct pythontarget *python, struct remote *remote, uint64_t code)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t type, name;
	char text[5];

	if (python->runtime.code_type)
		return true;
	if (!pythontarget_read_word(remote, code + layout->object.type, &type) ||
	    !pythontarget_read_word(remote, type + TYPE_NAME_OFFSET, &name) ||
	    !remote_read(remote, name, text, sizeof(text)) || memcmp(text, "code", 5) != 0)
		return false;
	python->runtime.code_type = type;
	return true;
}

enum proof { PROVEN, REFUTED, OPEN };

static enum proof try_thread(struct pythontarget *python, struct remote *remote, uint64_t thread)
{
	const struct pymemory memory = {.read = remote_read, .context = remote};
	struct pyframe frames[64];
	struct pycode code;
	size_t count;

	switch (pystack_walk(&python->runtime, &memory, thread, frames, 64, &count)) {
	case PYSTACK_NONE:
		return OPEN;
	case PYSTACK_TORN:
		return REFUTED;
	case PYSTACK_OK:
	case PYSTACK_CUT:
		break;
	}
	if (count == 0)
		return OPEN;
	return learn_code_type(python, remote, frames[count - 1].code) &&
			       pycode_read(&python->runtime, &memory, frames[count - 1].code,
					   &code) &&
			       code.name[0] && code.filename[0]
		       ? PROVEN
		       : REFUTED;
}

/* PROVEN when the stack of one thread is consistent; OPEN when no thread runs Python code. */
static enum proof try_threads(struct pythontarget *python, struct remote *remote)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t interpreter, thread, owner;
	enum proof proof = OPEN;

	if (!pythontarget_read_word(remote,
				    python->runtime.runtime + layout->runtime.interpreters_head,
				    &interpreter) ||
	    !pythontarget_read_word(remote, interpreter + layout->interpreter.threads_head,
				    &thread))
		return REFUTED;
	for (int i = 0; thread && i < THREADS_MAX; i++) {
		if (!pythontarget_read_word(remote, thread + layout->thread.interp, &owner) ||
		    owner != interpreter)
			return REFUTED;
		switch (try_thread(python, remote, thread)) {
		case PROVEN:
			return PROVEN;
		case REFUTED:
			proof = REFUTED;
			break;
		case OPEN:
			break;
		}
		if (!pythontarget_read_word(remote, thread + layout->thread.next, &thread))
			return REFUTED;
	}
	return proof;
}

enum pythontarget_state pythontarget_poll(const struct pythontarget *python, struct remote *remote)
{
	const struct pylayout *layout = &python->runtime.layout;
	uint64_t finalising = 0, interpreter = 0, thread = 0;

	if (!pythontarget_read_word(remote, python->runtime.runtime + layout->runtime.finalizing,
				    &finalising) ||
	    !pythontarget_read_word(remote,
				    python->runtime.runtime + layout->runtime.interpreters_head,
				    &interpreter))
		return PYTHONTARGET_NONE;
	if (finalising)
		return PYTHONTARGET_FINALISED;
	if (!interpreter)
		return PYTHONTARGET_EARLY;
	if (!pythontarget_read_word(remote, interpreter + layout->interpreter.threads_head,
				    &thread) ||
	    !thread)
		return PYTHONTARGET_EARLY;
	return PYTHONTARGET_READY;
}

static enum pythontarget_state validate(struct pythontarget *python, struct remote *remote,
					struct problem *reason)
{
	enum pythontarget_state state = pythontarget_poll(python, remote);
	enum proof proof = REFUTED;

	if (state != PYTHONTARGET_READY)
		return state;
	for (int i = 0; i < ATTEMPTS && proof == REFUTED; i++)
		proof = try_threads(python, remote);
	if (proof == REFUTED)
		return pythontarget_unknown(
			reason, remote, python->version,
			"what is found there makes no sense (an unusual build?)");
	return proof == PROVEN ? PYTHONTARGET_READY : PYTHONTARGET_EARLY;
}

enum pythontarget_state pythontarget_find(struct targetmaps *maps, struct remote *remote,
					  struct pythontarget *out, struct problem *reason)
{
	struct elfimage_name names[SYMBOL_COUNT];
	struct targetmodule *module = pythontarget_find_module(maps, remote, names);
	const char *why = "the layout of this version is not known";
	uint64_t bias;

	*out = (struct pythontarget){0};
	if (!module) {
		problem_set(reason, KYMO_UNAVAILABLE,
			    "process %d runs no Python that can be found; --native samples its "
			    "native stacks",
			    (int)remote->pid);
		return PYTHONTARGET_NONE;
	}
	bias = module->bias;
	out->module_start = module->start;
	out->runtime.runtime = names[RUNTIME].value + bias;
	out->runtime.code_type = names[CODE_TYPE].value ? names[CODE_TYPE].value + bias : 0;
	out->runtime.none = names[NONE].value ? names[NONE].value + bias : 0;
	out->runtime.evaluate = names[EVALUATE].value ? names[EVALUATE].value + bias : 0;
	pythontarget_add_part(&out->evaluation, &names[EVALUATE], bias);
	pythontarget_add_part(&out->evaluation, &names[EVALUATE_COLD], bias);
	out->version = find_version(module, names[VERSION].value ? names[VERSION].value + bias : 0,
				    remote, &out->runtime.hexversion);
	if (!out->version) {
		problem_set(reason, KYMO_UNAVAILABLE,
			    "process %d runs a Python whose version cannot be determined ('%s')",
			    (int)remote->pid, module->path);
		return PYTHONTARGET_UNKNOWN;
	}
	if (!take_layout(out, remote, &why))
		return pythontarget_unknown(reason, remote, out->version, why);
	return validate(out, remote, reason);
}
