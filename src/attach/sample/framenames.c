/* The same sources that readers of recordings use: line tables of code objects, and symbols of the
 * modules' files. */
#include "attach/sample/framenames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/target/targetnames.h"
#include "base/array.h"
#include "model/code/sampled_calls.h"
#include "model/code/python_lines.h"

void framenames_init(struct framenames *names, const struct watch *watch)
{
	*names = (struct framenames){.watch = watch};
}

static void forget_module(const struct module *module)
{
	if (module->name != module->path)
		free((void *)(uintptr_t)module->name);
	free((void *)(uintptr_t)module->path);
}

static void forget_modules(struct framenames *names)
{
	locations_free(names->locations);
	names->locations = NULL;
	for (size_t i = 0; i < names->modules.module_count; i++)
		forget_module(&names->modules.modules[i]);
	free(names->modules.modules);
	names->modules = (struct recording){0};
}

void framenames_release(struct framenames *names)
{
	forget_modules(names);
	lines_free(names->texts, names->text_count);
	*names = (struct framenames){0};
}

/* The path at which this process finds the file: below /proc/PID/root for a process with a root
 * folder of its own. */
static char *framenames_path_of(const struct targetmaps *maps, const struct targetmodule *module)
{
	struct stat here;
	char *path;

	if (stat(module->path, &here) == 0 && here.st_ino == maps->maps[module->first].inode)
		return strdup(module->path);
	if (module->path[0] != '/' ||
	    asprintf(&path, "/proc/%d/root%s", (int)maps->pid, module->path) < 0)
		return strdup(module->path);
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return strdup(module->path);
}

static void learn_modules(struct framenames *names)
{
	const struct locations_options options = {.has_lines = true};
	const struct targetmaps *maps = &names->watch->maps;
	struct targetnames *links;
	struct module *modules;

	forget_modules(names);
	names->maps_count = names->watch->maps_count;
	modules = calloc(maps->module_count + 1, sizeof(*modules));
	if (!modules)
		return;
	names->modules.modules = modules;
	links = targetnames_new(maps->pid);
	for (size_t i = 0; i < maps->module_count; i++) {
		const struct targetmodule *module = &maps->modules[i];
		const char *link = links ? targetnames_find(links, module) : NULL;
		char *path = framenames_path_of(maps, module), *name = link ? strdup(link) : NULL;

		if (!path) {
			free(name);
			break;
		}
		modules[names->modules.module_count++] =
			(struct module){.start = module->start,
					.end = module->end,
					.bias = module->bias,
					.path = path,
					.name = name ? name : path,
					.build_id = module->image && module->image->build_id[0]
							    ? module->image->build_id
							    : NULL};
	}
	targetnames_free(links);
	names->locations = locations_new(&names->modules, &options);
}

static void framenames_find_python(struct framenames *names, uint64_t content,
				   struct framename *out)
{
	const struct codetable *codes = &names->watch->codes;
	const struct codetable_entry *code =
		content >> 32 < codes->count ? &codes->entries[content >> 32] : NULL;
	uint32_t offset = (uint32_t)content;

	out->function = "?";
	if (!code)
		return;
	out->function = code->qualname[0] ? code->qualname : code->name;
	out->file = code->file[0] ? code->file : NULL;
	out->first_line = out->line = code->first_line;
	if (code->lines && offset != KYMO_FRAME_NO_OFFSET)
		out->line = python_line(names->watch->python.version, code->lines, code->lines_size,
					code->first_line, offset);
	if (out->line == 0)
		out->line = code->first_line;
}

static void find_native(struct framenames *names, uint64_t address, struct framename *out)
{
	const struct location *found;

	if (!names->locations || names->maps_count != names->watch->maps_count)
		learn_modules(names);
	out->function = "?";
	if (!names->locations || locations_find(names->locations, address, &found, NULL) == 0)
		return;
	out->function = found->function;
	out->file = found->file;
	out->line = found->line;
	out->first_line = found->first_line;
}

static const char *framenames_keep_text(struct framenames *names, const char *prefix,
					unsigned number)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%u", prefix, number);
	for (size_t i = 0; i < names->text_count; i++)
		if (strcmp(names->texts[i], text) == 0)
			return names->texts[i];
	return lines_add(&names->texts, &names->text_count, "%s", text)
		       ? names->texts[names->text_count - 1]
		       : prefix;
}

static void find_kernel(struct framenames *names, uint64_t content, struct framename *out)
{
	const uint32_t number = (uint32_t)(content >> 48);
	const struct sampled_call *call = sampled_call_find(number);

	if (call)
		out->function = call->name;
	else if (number == TARGETTASK_NO_CALL)
		out->function = "the kernel";
	else
		out->function = framenames_keep_text(names, "system call ", number);
}

static const char *mark_text(uint64_t mark)
{
	switch (mark & 0xff) {
	case KYMO_MARK_CUT:
		return "[further callers]";
	case KYMO_MARK_LOST:
		return "[callers not found]";
	case KYMO_MARK_UNCERTAIN:
		return "[order uncertain]";
	default:
		return "[no stack]";
	}
}

void framenames_find(struct framenames *names, uint64_t frame, struct framename *out)
{
	const uint64_t content = kymo_frame_content(frame);

	*out = (struct framename){.kind = kymo_frame_kind(frame)};
	switch (out->kind) {
	case KYMO_FRAME_PYTHON:
		framenames_find_python(names, content, out);
		break;
	case KYMO_FRAME_NATIVE:
		find_native(names, content, out);
		break;
	case KYMO_FRAME_KERNEL:
		find_kernel(names, content, out);
		break;
	case KYMO_FRAME_MARK:
		out->function = mark_text(content);
		break;
	}
}
