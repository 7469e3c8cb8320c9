/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_copy.h"
#include "fcn_names.h"

FCN_NAME_FUNCTION(fcn_copy_mode_name, enum fcn_copy_mode, [FCN_COPY_AUTO] = "auto",
		[FCN_COPY_BYTES] = "copy", [FCN_COPY_CLONE] = "clone")

/* Additional segments of a packet, in order. */
struct segments {
	struct rte_mbuf *first;
	struct rte_mbuf *last;
	uint32_t n;
};

static struct rte_mbuf *
add_segment(struct segments *s, struct rte_mempool *pool)
{
	struct rte_mbuf *seg = rte_pktmbuf_alloc(pool);

	if (seg == NULL) {
		rte_pktmbuf_free(s->first);
		return NULL;
	}
	if (s->first == NULL)
		s->first = seg;
	else
		s->last->next = seg;
	s->last = seg;
	s->n++;
	return seg;
}

static int
append(struct rte_mbuf *m, struct rte_mbuf *last, const struct segments *s, uint32_t len)
{
	if (unlikely(m->nb_segs + s->n > RTE_MBUF_MAX_NB_SEGS)) {
		rte_pktmbuf_free(s->first);
		return -EOVERFLOW;
	}
	last->next = s->first;
	m->nb_segs += s->n;
	m->pkt_len += len;
	return 0;
}

/*
 * Find the segment of a byte; off becomes the offset in that segment. The packet is longer than
 * off.
 */
static struct rte_mbuf *
segment_at(const struct rte_mbuf *m, uint32_t *off)
{
	while (*off >= m->data_len) {
		*off -= m->data_len;
		m = m->next;
	}
	return (struct rte_mbuf *)(uintptr_t)m;
}

static inline bool
has_bytes(const struct rte_mbuf *m, uint32_t off, uint32_t len)
{
	return off <= m->pkt_len && len <= m->pkt_len - off;
}

/* Get the room after the last segment; there is none if others share its buffer. */
static uint32_t
free_tailroom(const struct rte_mbuf *last)
{
	if (!RTE_MBUF_DIRECT(last) || rte_mbuf_refcnt_read(last) != 1)
		return 0;
	return rte_pktmbuf_tailroom(last);
}

/* Copy bytes of a packet to the end of a segment, which has room for them. *from and *off become
 * the position of the first byte that was not copied. */
static void
fill(struct rte_mbuf *seg, const struct rte_mbuf **from, uint32_t *off, uint32_t len)
{
	uint8_t *to = rte_pktmbuf_mtod_offset(seg, uint8_t *, seg->data_len);

	seg->data_len += len;
	while (len > 0) {
		uint32_t n = RTE_MIN(len, (*from)->data_len - *off);

		memcpy(to, rte_pktmbuf_mtod_offset(*from, const uint8_t *, *off), n);
		to += n;
		len -= n;
		*off += n;
		if (*off == (*from)->data_len) {
			*from = (*from)->next;
			*off = 0;
		}
	}
}

int
fcn_copy_append(struct rte_mbuf *m, const struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *pool)
{
	struct rte_mbuf *last = rte_pktmbuf_lastseg(m);
	const uint32_t head = RTE_MIN(len, free_tailroom(last));
	struct segments s = {.n = 0};
	uint32_t left = len - head;
	int rc;

	if (!has_bytes(from, off, len))
		return -EINVAL;
	if (len == 0)
		return 0;
	/* All segments are allocated before anything is written, so that nothing has to be undone.
	 */
	while (left > 0) {
		const struct rte_mbuf *seg = add_segment(&s, pool);

		if (seg == NULL)
			return -ENOMEM;
		left -= RTE_MIN(left, (uint32_t)rte_pktmbuf_tailroom(seg));
	}
	rc = append(m, last, &s, len);
	if (rc != 0)
		return rc;
	from = segment_at(from, &off);
	fill(last, &from, &off, head);
	left = len - head;
	for (struct rte_mbuf *seg = s.first; seg != NULL; seg = seg->next) {
		uint32_t n = RTE_MIN(left, (uint32_t)rte_pktmbuf_tailroom(seg));

		fill(seg, &from, &off, n);
		left -= n;
	}
	return 0;
}

int
fcn_copy_append_clone(struct rte_mbuf *m, struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *pool)
{
	struct segments s = {.n = 0};
	uint32_t left = len;

	if (!has_bytes(from, off, len))
		return -EINVAL;
	if (len == 0)
		return 0;
	from = segment_at(from, &off);
	for (; left > 0; from = from->next, off = 0) {
		uint32_t n = RTE_MIN(left, from->data_len - off);
		struct rte_mbuf *seg;

		if (n == 0)
			continue;
		seg = add_segment(&s, pool);
		if (seg == NULL)
			return -ENOMEM;
		rte_pktmbuf_attach(seg, from);
		seg->data_off += off;
		seg->data_len = n;
		seg->pkt_len = n;
		left -= n;
	}
	return append(m, rte_pktmbuf_lastseg(m), &s, len);
}

struct rte_mbuf *
fcn_copy_packet(struct rte_mbuf *from, uint32_t own, struct rte_mempool *pool)
{
	struct rte_mbuf *m = rte_pktmbuf_copy(from, pool, 0, own);

	if (m == NULL || own >= from->pkt_len)
		return m;
	if (fcn_copy_append_clone(m, from, own, from->pkt_len - own, pool) != 0) {
		rte_pktmbuf_free(m);
		return NULL;
	}
	return m;
}
