/* Decoding event records.  A chunk may be written while it is read: the head of a record is the
 * last word its writer stores, so if the head is there, so are the words after it. */
#include "format/decode.h"

/* How many words follow the head. */
static size_t further_words(uint64_t head)
{
	switch (kymo_event_kind(head)) {
	case KYMO_EVENT_RESUME:
	case KYMO_EVENT_ANNOTATED:
	case KYMO_EVENT_TIME:
		return 1;
	case KYMO_EVENT_EXTENDED:
		return kymo_event_region(head) >> 8 & 0xff;
	case KYMO_EVENT_END:
	case KYMO_EVENT_ENTER:
	case KYMO_EVENT_LEAVE:
	case KYMO_EVENT_UNWIND:
		break;
	}
	return 0;
}

static uint32_t wide_region(uint64_t word)
{
	return word < UINT32_MAX ? (uint32_t)word : UINT32_MAX;
}

/* False if the extension is unknown and has to be skipped. */
static bool extension_decode(struct event_record *record, uint64_t head, const uint64_t *words,
			     size_t count)
{
	record->extension = (enum kymo_event_extension)(kymo_event_region(head) & 0xff);
	record->word = count > 0 ? words[0] : 0;
	record->region = wide_region(record->word);
	switch (record->extension) {
	case KYMO_EXTENDED_ENTER:
		record->kind = KYMO_EVENT_ENTER;
		return count > 0;
	case KYMO_EXTENDED_LEAVE:
		record->kind = KYMO_EVENT_LEAVE;
		return count > 0;
	case KYMO_EXTENDED_INSTANT:
	case KYMO_EXTENDED_LOST:
		return count > 0;
	case KYMO_EXTENDED_UNWIND_ALL:
		return true;
	case KYMO_EXTENDED_SEND:
	case KYMO_EXTENDED_RECEIVE:
		record->second = count > 1 ? words[1] : 0;
		return count > 1;
	case KYMO_EXTENDED_VALUE:
		break;
	}
	return false;
}

bool event_reader_next(struct event_reader *reader, struct event_record *out)
{
	while (reader->next < reader->count) {
		const uint64_t *words = &reader->words[reader->next];
		uint64_t head = __atomic_load_n(words, __ATOMIC_ACQUIRE);
		size_t further = further_words(head);

		if (kymo_event_kind(head) == KYMO_EVENT_END)
			return false;
		if (further >= reader->count - reader->next) {
			reader->is_malformed = true;
			return false;
		}
		reader->next += 1 + further;
		if (kymo_event_kind(head) == KYMO_EVENT_TIME) {
			reader->base = words[1];
			continue;
		}
		*out = (struct event_record){
			.kind = kymo_event_kind(head),
			.region = kymo_event_region(head),
			.ticks = reader->base + kymo_event_ticks(head),
			.word = further ? words[1] : 0,
		};
		if (out->kind != KYMO_EVENT_EXTENDED ||
		    extension_decode(out, head, words + 1, further))
			return true;
	}
	return false;
}

static bool decode_is_value(uint64_t head, size_t further)
{
	return kymo_event_kind(head) == KYMO_EVENT_EXTENDED && further >= 2 &&
	       (kymo_event_region(head) & 0xff) == KYMO_EXTENDED_VALUE;
}

enum event_reader_value event_reader_value(struct event_reader *reader, uint64_t words_out[2])
{
	while (reader->next < reader->count) {
		const uint64_t *words = &reader->words[reader->next];
		uint64_t head = __atomic_load_n(words, __ATOMIC_ACQUIRE);
		size_t further = further_words(head);

		if (kymo_event_kind(head) == KYMO_EVENT_END)
			return EVENT_CHUNK_END;
		if (further >= reader->count - reader->next)
			return EVENT_NO_VALUE;
		if (kymo_event_kind(head) == KYMO_EVENT_TIME) {
			reader->base = words[1];
			reader->next += 2;
			continue;
		}
		if (!decode_is_value(head, further))
			return EVENT_NO_VALUE;
		words_out[0] = words[1];
		words_out[1] = words[2];
		reader->next += 1 + further;
		return EVENT_VALUE;
	}
	return EVENT_CHUNK_END;
}
