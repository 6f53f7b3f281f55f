/* The byte stream of one thread's samples. */
#include "collectors/sampler/sampler_stream.h"

#include "collectors/sampler/sampler_state.h"
#include "format/sample_encode.h"
#include "runtime/control/sampling.h"

#define PAYLOAD_FIRST (KYMO_CHUNK_ALIGN - sizeof(struct kymo_chunk))
#define PAYLOAD_MAX   (UINT64_C(64) << 10)

static uint64_t stream_space(const struct kymo_chunk *chunk)
{
	return chunk ? chunk->size - sizeof(*chunk) - chunk->used : 0;
}

/* Space for a record, and for one of what was lost before it. */
static bool stream_reserve(struct sampler_thread *self, uint64_t ticks)
{
	struct sampler_stream *stream = &self->stream;
	struct kymo_chunk *chunk;

	if (stream_space(stream->chunk) >= 2 * SAMPLE_RECORD_MAX)
		return true;
	if (!stream->payload)
		stream->payload = PAYLOAD_FIRST;
	/* Not before the latest record: the times of a thread are continuous over its chunks. */
	if (ticks < stream->ticks)
		ticks = stream->ticks;
	chunk = kymo_sample_chunk(self->thread, KYMO_CHUNK_SAMPLES, stream->payload, 0, ticks);
	if (!chunk)
		return false;
	stream->chunk = chunk;
	stream->ticks = ticks;
	if (stream->payload < PAYLOAD_MAX)
		stream->payload = stream->payload * 2 + sizeof(*chunk);
	return true;
}

static void stream_put(struct sampler_stream *stream, const struct sample_record *record)
{
	struct kymo_chunk *chunk = stream->chunk;
	unsigned char *to = (unsigned char *)(chunk + 1) + chunk->used;
	size_t size = sample_encode(to, &stream->ticks, record);

	__atomic_store_n(&chunk->used, chunk->used + size, __ATOMIC_RELEASE);
}

static void stream_put_lost(struct sampler_stream *stream, uint64_t ticks)
{
	const struct sample_record lost = {
		.kind = KYMO_SAMPLE_LOST, .ticks = ticks, .has_value = true, .value = stream->lost};

	stream_put(stream, &lost);
	stream->lost = 0;
}

bool sampler_stream_put(struct sampler_thread *self, const struct sample_record *record)
{
	struct sampler_stream *stream = &self->stream;

	if (!stream_reserve(self, record->ticks)) {
		stream->lost += sample_has_stack(record->kind);
		return false;
	}
	if (stream->lost)
		stream_put_lost(stream, record->ticks);
	stream_put(stream, record);
	return true;
}

void sampler_stream_end(struct sampler_thread *self)
{
	struct sampler_stream *stream = &self->stream;

	if (stream->lost && self->thread && stream_space(stream->chunk) >= SAMPLE_RECORD_MAX)
		stream_put_lost(stream, kymo_now(self->thread));
}
