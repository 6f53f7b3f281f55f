/* The processes of a merged recording. */
#include "dump_recording.h"

#include "model/recording/recording_parts.h"

static void dump_part(struct json_writer *writer, const struct recording_part *part)
{
	char hex[33];

	for (size_t i = 0; i < sizeof(part->run_id); i++)
		snprintf(hex + 2 * i, 3, "%02x", part->run_id[i]);
	json_begin_array(writer);
	json_text(writer, part->run);
	json_text(writer, part->program);
	json_text(writer, part->host);
	json_text(writer, part->thread_name);
	json_text(writer, hex);
	json_count(writer, part->pid);
	json_count(writer, part->thread);
	dump_integer(writer, part->rank);
	json_count(writer, part->start_realtime_ns);
	json_count(writer, part->duration_ns);
	json_count(writer, part->cpu_ns);
	if (part->is_complete) {
		json_count(writer, part->outside_ns);
		json_count(writer, part->measuring_ns);
		json_count(writer, part->process_ns);
		json_bool(writer, part->is_idle);
	}
	json_end_array(writer);
}

void dump_parts(struct json_writer *writer, const struct recording *recording)
{
	struct share_position position = {0};
	struct recording_share share;

	json_key(writer, "parts");
	json_begin_array(writer);
	for (uint32_t i = 0; i < recording->part_count; i++)
		dump_part(writer, &recording->parts[i]);
	json_end_array(writer);
	json_key(writer, "shares");
	json_begin_array(writer);
	while (recording_share(recording, &position, &share)) {
		json_begin_array(writer);
		json_count(writer, share.part);
		json_count(writer, share.region);
		json_count(writer, share.count);
		json_count(writer, share.self_ns);
		json_count(writer, share.total_ns);
		if (share.work_ns != share.self_ns || share.work_total_ns != share.total_ns) {
			json_count(writer, share.work_ns);
			json_count(writer, share.work_total_ns);
		}
		json_end_array(writer);
	}
	json_end_array(writer);
}
