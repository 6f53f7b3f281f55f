/* Sections "timeline", "timeline-index", "timeline-N", "timeline-series", "timeline-messages": what
 * threads did over time, at several levels of detail (view/timeline/lod.h).
 *
 * The index is numbers: how many strips; of each process, thread, kind, depth, slices, the levels
 * that can be shown (bit k = level k) and how many tiles; of each tile 2 * level + part, start,
 * length in time, items, the N of its blob, offset and bytes in it.  view/timeline/lod_tiles.h
 * describes the tiles.  Series: view/timeline/timeline_series.h, one after the other. Messages: how
 * many; of each: sent since the previous one, process and thread, then of its receiver time (twice
 * the distance, plus 1 = before), process, thread and region; at the end how many were left out in
 * each of 256 equal parts of the run. */
#include <stdio.h>

#include "view/page_out.h"
#include "model/samples/sampled_class.h"
#include "view/timeline/lod_tiles.h"
#include "view/timeline/timeline_data.h"

#define BLOB_BYTES 131072u /* of small tiles together */

struct tile_writer {
	struct page_out *out;
	struct textbuf index;
	struct textbuf pool; /* small tiles */
	uint32_t blob_count, pool_blob;
};

static void flush_pool(struct tile_writer *writer)
{
	char name[32];

	if (!writer->pool.length)
		return;
	snprintf(name, sizeof(name), "timeline-%u", writer->pool_blob);
	page_blob(writer->out, name, &writer->pool);
}

static void put_in_pool(struct tile_writer *writer, const struct lod_tile *tile)
{
	if (writer->pool.length >= BLOB_BYTES)
		flush_pool(writer);
	if (!writer->pool.length)
		writer->pool_blob = writer->blob_count++;
	page_varint(&writer->index, writer->pool_blob);
	page_varint(&writer->index, writer->pool.length);
	textbuf_bytes(&writer->pool, (const char *)tile->bytes, tile->size);
}

static void put_tile(struct tile_writer *writer, const struct lod_tile *tile)
{
	char name[32];

	page_varint(&writer->index, 2 * (uint64_t)tile->level + tile->part);
	page_varint(&writer->index, tile->start_ns);
	page_varint(&writer->index, tile->end_ns - tile->start_ns);
	page_varint(&writer->index, tile->count);
	if (!tile->is_packed) {
		put_in_pool(writer, tile);
	} else {
		snprintf(name, sizeof(name), "timeline-%u", writer->blob_count);
		page_varint(&writer->index, writer->blob_count++);
		page_varint(&writer->index, 0);
		page_packed_blob(writer->out, name, tile->bytes, tile->size);
	}
	page_varint(&writer->index, tile->is_packed ? 0 : tile->size);
}

static void put_strips(struct tile_writer *writer, const struct lod_store *store)
{
	for (size_t i = 0; i < store->strip_count; i++) {
		const struct lod_strip *strip = &store->strips[i];

		page_varint(&writer->index, strip->process);
		page_varint(&writer->index, strip->thread);
		page_varint(&writer->index, strip->kind);
		page_varint(&writer->index, strip->depth);
		page_varint(&writer->index, strip->slice_count);
		page_varint(&writer->index, strip->kept);
		page_varint(&writer->index, strip->tile_count);
		for (uint32_t k = 0; k < strip->tile_count; k++)
			put_tile(writer, &strip->tiles[k]);
	}
}

static void write_tiles(const struct timeline_data *data, struct page_out *out)
{
	struct tile_writer writer = {.out = out};

	page_varint(&writer.index, data->slices.strip_count + data->marks.strip_count);
	put_strips(&writer, &data->slices);
	put_strips(&writer, &data->marks);
	flush_pool(&writer);
	page_blob(out, "timeline-index", &writer.index);
	textbuf_release(&writer.index);
	textbuf_release(&writer.pool);
}

static void timeline_put_message(struct textbuf *bytes, const struct message *message,
				 uint64_t since_ns)
{
	uint64_t sent = message->from.ns, received = message->to.ns;

	page_varint(bytes, sent - since_ns);
	page_varint(bytes, message->from.process);
	page_varint(bytes, message->from.thread);
	page_varint(bytes, received >= sent ? 2 * (received - sent) : 2 * (sent - received) + 1);
	page_varint(bytes, message->to.process);
	page_varint(bytes, message->to.thread);
	page_varint(bytes, message->from.region);
}

static void write_messages(struct timeline_data *data, struct page_out *out)
{
	uint32_t left_out[MESSAGE_PARTS];
	struct textbuf bytes = {0};
	size_t count;
	const struct message *messages = messages_match(&data->messages, data->span_ns,
							data->messages_at_once, &count, left_out);

	if (count > 0) {
		page_varint(&bytes, count);
		for (size_t i = 0; i < count; i++)
			timeline_put_message(&bytes, &messages[i], i ? messages[i - 1].from.ns : 0);
		for (unsigned int i = 0; i < MESSAGE_PARTS; i++)
			page_varint(&bytes, left_out[i]);
		page_blob(out, "timeline-messages", &bytes);
	}
	textbuf_release(&bytes);
}

static void timeline_write_series(struct timeline_data *data, struct page_out *out)
{
	struct textbuf bytes = {0};

	for (size_t i = 0; i < data->line_count; i++)
		timeline_series_write(&data->lines[i].data, &bytes);
	if (data->line_count)
		page_blob(out, "timeline-series", &bytes);
	textbuf_release(&bytes);
}

static void describe_series(const struct page *page, const struct timeline_data *data,
			    struct json_writer *json)
{
	json_key(json, "series");
	json_begin_array(json);
	for (size_t i = 0; i < data->line_count; i++) {
		const struct timeline_line *line = &data->lines[i];
		const struct series *series =
			&page->loaded->trees[line->process]->recording->series[line->number];

		json_begin_object(json);
		json_pair_count(json, "process", line->process);
		if (series->thread != KYMO_NO_THREAD)
			json_pair_count(json, "thread", series->thread);
		json_pair_text(json, "name", series->name);
		json_pair_text(json, "unit", series->unit);
		json_pair_count(json, "count", line->data.count);
		json_pair_number(json, "min", line->data.min);
		json_pair_number(json, "max", line->data.max);
		json_end_object(json);
	}
	json_end_array(json);
}

/* The coarsest of the finest levels that strips can show, and how many strips show nothing. */
static void describe_levels(const struct lod_store *store, struct json_writer *json)
{
	unsigned int coarsest = 0;
	uint64_t hidden = 0;

	for (size_t i = 0; i < store->strip_count; i++) {
		unsigned int finest = lod_strip_finest(&store->strips[i]);

		hidden += finest == LOD_LEVELS;
		if (finest < LOD_LEVELS && finest > coarsest)
			coarsest = finest;
	}
	json_pair_count(json, "finest", coarsest);
	json_pair_count(json, "hidden", hidden);
	json_pair_count(json, "too_deep", store->too_deep_count);
}

static void describe_lists(const struct timeline_data *data, struct json_writer *json)
{
	json_key(json, "resolutions");
	json_begin_array(json);
	for (unsigned int i = 0; i < LOD_LEVELS; i++)
		json_count(json, lod_resolution(i));
	json_end_array(json);
	json_key(json, "states");
	json_begin_array(json);
	for (unsigned int i = 0; i < SAMPLED_CLASSES; i++)
		json_text(json, sampled_class_name((enum sampled_class)i));
	json_end_array(json);
	json_key(json, "density");
	json_begin_array(json);
	for (unsigned int i = 0; i < TIMELINE_DENSITY; i++)
		json_count(json, data->density[i]);
	json_end_array(json);
}

static void timeline_write_facts(const struct page *page, const struct timeline_data *data,
				 struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "timeline");

	json_begin_object(json);
	json_pair_count(json, "end", data->span_ns);
	json_pair_count(json, "from", data->from_ns);
	json_pair_count(json, "to", data->to_ns);
	json_pair_count(json, "sends", data->messages.send_count);
	json_pair_count(json, "series_left_out", data->line_left_out_count);
	describe_levels(&data->slices, json);
	describe_lists(data, json);
	describe_series(page, data, json);
	json_end_object(json);
	page_json_end(out);
}

/* In the whole run: a part of it in which nothing happened is shown, too. */
static bool has_anything(const struct timeline_data *data)
{
	uint64_t count = data->line_count + data->slices.strip_count;

	for (unsigned int i = 0; i < TIMELINE_DENSITY; i++)
		count += data->density[i];
	return count > 0;
}

static void write_timeline(const struct page *page, struct page_out *out)
{
	struct timeline_data data;

	timeline_data_collect(&data, page);
	if (has_anything(&data)) {
		timeline_write_facts(page, &data, out);
		write_tiles(&data, out);
		write_messages(&data, out);
		timeline_write_series(&data, out);
	}
	timeline_data_release(&data);
}

const struct page_section page_timeline_section = {.write = write_timeline,
						   .check = timeline_check};
