/* Names of output files, from the settings and the process. */
#include "report/outputs/run_output_name.h"

#include <string.h>

#include "command/xalloc.h"
#include "config/outputname.h"
#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"

/* The program's arguments, one note each. */
static const char **output_arguments_of(const struct recording *recording)
{
	const char **arguments = xcalloc(recording->note_count + 2, sizeof(*arguments));
	size_t count = 0;

	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, "argument") == 0)
			arguments[count++] = note->value;
	}
	if (count == 0)
		arguments[0] = recording_program(recording);
	return arguments;
}

char *run_output_name(const struct run_output *output, const struct calltree *tree,
		      const char *name, const char *extension)
{
	const struct kymo_header *header = &tree->recording->header;
	const char **arguments = output_arguments_of(tree->recording);
	struct output_context context = {
		.argv = arguments,
		.pid = (pid_t)header->pid,
		.parent_pid = (pid_t)header->parent_pid,
		.launch_time = (time_t)(header->start_realtime_ns / 1000000000u),
		.settings = output->settings,
		.environment = output->environment,
	};
	char *path = output_file(&context, output->directory, name, extension);

	xneed(path != NULL);
	xfree(arguments);
	return path;
}
