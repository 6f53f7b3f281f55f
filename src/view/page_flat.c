/* Blobs "flat" and "links": what each region, and each call from one to another, comes to.
 *
 * flat: the number of entries, then of each: region, calls, calls not from within itself,
 * closed calls, self, total, least and most of a call, all calls together, their standard
 * deviation.  links: the number, then of each: caller + 1 or 0 for none, callee, calls, self,
 * total.  Times in nanoseconds. */
#include "view/page.h"
#include "view/page_out.h"

static void put_entry(struct textbuf *bytes, const struct flat_entry *entry)
{
	page_varint(bytes, entry->region);
	page_varint(bytes, entry->calls);
	page_varint(bytes, entry->primitive_calls);
	page_varint(bytes, entry->closed_calls);
	page_time(bytes, entry->self_ns);
	page_time(bytes, entry->total_ns);
	page_time(bytes, entry->min_ns);
	page_time(bytes, entry->max_ns);
	page_time(bytes, entry->visits_ns);
	page_time(bytes, flat_entry_deviation(entry));
}

static void put_link(struct textbuf *bytes, const struct flat_link *link)
{
	page_varint(bytes, link->has_caller ? (uint64_t)link->caller + 1 : 0);
	page_varint(bytes, link->callee);
	page_varint(bytes, link->calls);
	page_time(bytes, link->self_ns);
	page_time(bytes, link->total_ns);
}

static enum kymo_status write_flat(const struct page *page, struct page_out *out,
				   struct problem *problem)
{
	const struct flat_view *flat = page->flat;
	struct textbuf bytes = {0};
	enum kymo_status status;

	page_varint(&bytes, flat->count);
	for (size_t i = 0; i < flat->count; i++)
		put_entry(&bytes, &flat->entries[i]);
	status = page_blob(out, "flat", &bytes, problem);
	if (status == KYMO_OK) {
		page_varint(&bytes, flat->link_count);
		for (size_t i = 0; i < flat->link_count; i++)
			put_link(&bytes, &flat->links[i]);
		status = page_blob(out, "links", &bytes, problem);
	}
	textbuf_release(&bytes);
	return status;
}

const struct page_section page_flat_section = {write_flat};
