/* Makes recordings: the merged threads, and their shares of each region. */
#include <string.h>

#include "writer/recording_writer_parts.h"
#include "format/sample_encode.h"
#include "writer/recording_writer.h"
#include "writer/recording_writer_private.h"

uint32_t recording_writer_part(struct recording_writer *maker, const struct recording_part *part)
{
	struct recording_writer_file *file = &maker->file;
	struct kymo_part record = {
		.run = recording_writer_strings_add(file, &maker->strings, part->run),
		.program = recording_writer_strings_add(file, &maker->strings, part->program),
		.host = recording_writer_strings_add(file, &maker->strings, part->host),
		.thread_name =
			recording_writer_strings_add(file, &maker->strings, part->thread_name),
		.pid = part->pid,
		.thread = part->thread,
		.rank = part->rank,
		.start_realtime_ns = part->start_realtime_ns,
		.duration_ns = part->duration_ns,
		.cpu_ns = part->cpu_ns,
		.flags = (part->is_complete ? KYMO_PART_COMPLETE : 0) |
			 (part->is_idle ? KYMO_PART_IDLE : 0),
		.outside_ns = part->outside_ns,
		.measuring_ns = part->measuring_ns,
		.process_ns = part->process_ns,
	};
	struct kymo_part *to =
		recording_writer_section_reserve(file, &maker->parts, sizeof(*to), NULL, NULL);

	if (!to)
		return 0;
	memcpy(record.run_id, part->run_id, sizeof(record.run_id));
	*to = record;
	return (uint32_t)maker->parts.next_base++;
}

/* A chunk begins with part base and region 0, so that it does not depend on the previous one. */
static void put_share(struct recording_writer *maker, struct maker_shares *shares,
		      const struct recording_share *share)
{
	bool is_new, is_other;
	unsigned char *record, *at;

	shares->section.next_base = share->part;
	record = recording_writer_section_reserve(&maker->file, &shares->section,
						  KYMO_SHARE_RECORD_MAX, NULL, &is_new);
	if (!record)
		return;
	if (is_new) {
		shares->part = share->part;
		shares->region = 0;
	}
	is_other = share->part != shares->part;
	if (is_other)
		shares->region = 0;
	at = sample_put_number(record, (uint64_t)(share->region - shares->region) << 1 | is_other);
	if (is_other)
		at = sample_put_number(at, share->part - shares->part);
	at = sample_put_number(at, share->count);
	at = sample_put_number(at, share->self_ns);
	at = sample_put_number(
		at, share->total_ns > share->self_ns ? share->total_ns - share->self_ns : 0);
	recording_writer_section_return(&shares->section,
					KYMO_SHARE_RECORD_MAX - (uint64_t)(at - record));
	shares->part = share->part;
	shares->region = share->region;
}

void recording_writer_share(struct recording_writer *maker, const struct recording_share *share)
{
	const struct recording_share work = {.part = share->part,
					     .region = share->region,
					     .self_ns = share->work_ns,
					     .total_ns = share->work_total_ns};

	put_share(maker, &maker->shares, share);
	if (share->work_ns != share->self_ns || share->work_total_ns != share->total_ns)
		put_share(maker, &maker->work, &work);
}
