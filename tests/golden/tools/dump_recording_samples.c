/* The samples of a recording, with their stacks and code objects. */
#include "dump_recording.h"

#include <math.h>
#include <stdlib.h>

#include "model/samples/samples.h"

static void dump_codes(struct json_writer *writer, const struct recording *recording)
{
	static const char digits[] = "0123456789abcdef";
	struct sample_code code;

	json_key(writer, "codes");
	json_begin_array(writer);
	for (uint32_t id = 0; samples_code(recording, id, &code); id++) {
		char *hex = calloc(2 * (size_t)code.lines_size + 1, 1);

		if (!hex)
			abort();
		for (uint32_t i = 0; i < code.lines_size; i++) {
			hex[2 * i] = digits[code.lines[i] >> 4];
			hex[2 * i + 1] = digits[code.lines[i] & 15];
		}
		json_begin_array(writer);
		json_text(writer, code.name);
		json_text(writer, code.qualname);
		json_text(writer, code.file);
		json_count(writer, code.first_line);
		json_count(writer, code.version);
		json_count(writer, code.flags);
		json_text(writer, code.lines ? hex : NULL);
		json_end_array(writer);
		free(hex);
	}
	json_end_array(writer);
}

static void dump_stacks(struct json_writer *writer, const struct samples *samples, uint32_t thread)
{
	json_key(writer, "stacks");
	json_begin_array(writer);
	for (uint32_t id = 1; id < samples_stack_count(samples, thread); id++) {
		uint64_t frame = 0;
		uint32_t parent = 0;

		samples_frame(samples, thread, id, &frame, &parent);
		json_begin_array(writer);
		json_count(writer, frame);
		json_count(writer, parent);
		json_end_array(writer);
	}
	json_end_array(writer);
}

static void dump_sample(struct json_writer *writer, const struct recording *recording,
			const struct sample *sample)
{
	json_begin_array(writer);
	json_count(writer, sample->kind);
	json_count(writer, sample->gil);
	json_count(writer, sample->stack);
	dump_integer(writer, recording_ns(recording, sample->ticks));
	json_number(writer, sample->wall_ns);
	if (isnan(sample->cpu_ns))
		json_text(writer, NULL);
	else
		json_number(writer, sample->cpu_ns);
	json_count(writer, sample->value);
	json_end_array(writer);
}

static void dump_samples_of(struct json_writer *writer, const struct samples *samples,
			    uint32_t thread)
{
	struct sample_position position = {0};
	struct sample sample;

	json_begin_object(writer);
	json_pair_count(writer, "thread", thread);
	dump_stacks(writer, samples, thread);
	json_key(writer, "samples");
	json_begin_array(writer);
	while (samples_next(samples, thread, &position, &sample))
		dump_sample(writer, samples->recording, &sample);
	json_end_array(writer);
	json_pair_count(writer, "lost", position.lost);
	json_end_object(writer);
}

void dump_samples(struct json_writer *writer, const struct recording *recording)
{
	struct samples *samples;

	if (samples_new(recording, &samples, NULL) != KYMO_OK)
		abort();
	dump_codes(writer, recording);
	json_key(writer, "samples");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			dump_samples_of(writer, samples, i);
	}
	json_end_array(writer);
	json_pair_count(writer, "damaged_samples", samples->damaged_count);
	samples_free(samples);
}
