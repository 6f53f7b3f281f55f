/* Presets in files, loaded: for tests of presets and of their list. */
#ifndef KYMO_PRESET_FIXTURE_H
#define KYMO_PRESET_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/presets/preset.h"

struct file {
	char path[64];
	struct settings *settings;
	struct preset preset;
	struct problem problem;
	enum kymo_status status;
};

static inline void write_text(struct file *file, const char *text)
{
	int fd;

	snprintf(file->path, sizeof(file->path), "/tmp/kymo-preset-XXXXXX.json");
	fd = mkstemps(file->path, 5);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static inline void load(struct file *file, const char *text)
{
	write_text(file, text);
	file->settings = settings_new();
	file->problem.text[0] = '\0';
	file->status = preset_load(file->settings, file->path, &file->preset, &file->problem);
}

static inline void release(struct file *file)
{
	unlink(file->path);
	preset_release(&file->preset);
	settings_free(file->settings);
}

#endif
