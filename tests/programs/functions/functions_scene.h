/* What the programs of scenes share that have every one of their functions instrumented: a
 * checksum of all that a scene computed, printed with its name.  The program's arguments are
 * the names of scenes; without any, all are played. */
#ifndef KYMO_FUNCTIONS_SCENE_H
#define KYMO_FUNCTIONS_SCENE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct scene {
	const char *name;
	void (*play)(void);
};

static volatile uint64_t scene_sum; /* handlers mix, too */

static inline void mix(uint64_t value)
{
	scene_sum = (scene_sum ^ value) * 1099511628211u;
}

static inline void mix_bytes(const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		mix(((const unsigned char *)bytes)[i]);
}

static inline int is_asked_for(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return 1;
	return argc < 2;
}

static inline int play_scenes(const struct scene *scenes, size_t count, int argc, char **argv)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_asked_for(scenes[i].name, argc, argv))
			continue;
		scene_sum = 14695981039346656037u;
		scenes[i].play();
		printf("%s %016llx\n", scenes[i].name, (unsigned long long)scene_sum);
		fflush(stdout);
	}
	return 5;
}

#define SCENES(all, argc, argv) play_scenes(all, sizeof(all) / sizeof(all[0]), argc, argv)

#endif
