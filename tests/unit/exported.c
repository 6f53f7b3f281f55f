/* Exports through the public door, export_run(), into a temporary file. */
#include "exported.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/recording/recording_open.h"

static void *must(void *pointer)
{
	if (!pointer) {
		perror("exported");
		abort();
	}
	return pointer;
}

static char *read_all(const char *path, size_t *size_out)
{
	FILE *file = must(fopen(path, "rb"));
	char *data;
	long size;

	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	data = must(calloc(1, (size_t)size + 1));
	*size_out = fread(data, 1, (size_t)size, file);
	fclose(file);
	return data;
}

struct exported exported_new(const char *format, struct synthetic *const *recordings, size_t count,
			     const struct export_options *options)
{
	static const struct export_options defaults = EXPORT_OPTIONS_DEFAULT;
	const struct exporter *exporter = must((void *)(uintptr_t)exporter_find(format));
	struct recording **opened = must(calloc(count, sizeof(struct recording *)));
	struct run run = {
		.path = must(strdup("test-run")), .recordings = opened, .recording_count = count};
	struct exported exported = {0};
	char path[] = "/tmp/kymo-export-XXXXXX";
	uint64_t bytes = UINT64_MAX;
	int fd = mkstemp(path);

	if (fd < 0)
		must(NULL);
	close(fd);
	for (size_t i = 0; i < count; i++)
		opened[i] = synthetic_open(recordings[i]);
	exported.status = export_run(exporter, &run, options ? options : &defaults, path, &bytes,
				     &exported.problem);
	if (exported.status == KYMO_OK) {
		exported.data = read_all(path, &exported.size);
		if (exported.size != bytes)
			must(NULL);
	}
	unlink(path);
	for (size_t i = 0; i < count; i++)
		recording_free(opened[i]);
	free(opened);
	free(run.path);
	return exported;
}

void exported_free(struct exported *exported)
{
	free(exported->data);
	*exported = (struct exported){0};
}

char *exported_text(const char *format, struct synthetic *recording,
		    const struct export_options *options)
{
	struct exported exported = exported_new(format, &recording, 1, options);

	if (exported.status != KYMO_OK) {
		fprintf(stderr, "exported: %s\n", exported.problem.text);
		abort();
	}
	return exported.data;
}

uint32_t exported_python(struct synthetic *made, const char *name, const char *file, uint32_t line)
{
	uint32_t region = synthetic_region(made, KYMO_REGION_PYTHON, name);
	struct kymo_region *row = synthetic_region_at(made, region);

	row->file = synthetic_string(made, file);
	row->line = line;
	return region;
}

static uint64_t python_frame(uint32_t code)
{
	return kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)code << 32 | KYMO_FRAME_NO_OFFSET);
}

struct synthetic *exported_overflows(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_SAMPLES);
	uint32_t main = synthetic_code(made, "main", "/u/a.py", 3);
	uint32_t work = synthetic_code(made, "work", "/u/a.py", 10);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, "Main", 0), outer, inner;

	synthetic_header(made)->pid = 77;
	outer = synthetic_stack(made, thread, 0, python_frame(main));
	inner = synthetic_stack(made, thread, outer, python_frame(work));
	synthetic_sample(made, thread, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 100 * 1024, 0,
			 SYNTHETIC_NONE, SYNTHETIC_NONE);
	synthetic_sample(made, thread, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_UNKNOWN, 110 * 1024, inner,
			 SYNTHETIC_NONE, 5000);
	synthetic_sample(made, thread, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_UNKNOWN, 120 * 1024, outer,
			 SYNTHETIC_NONE, 5000);
	synthetic_sample(made, thread, KYMO_SAMPLE_OVERFLOW, KYMO_GIL_UNKNOWN, 130 * 1024, inner,
			 SYNTHETIC_NONE, 5000);
	synthetic_close(made, 200 * 1024);
	return made;
}
