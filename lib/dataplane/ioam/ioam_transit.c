/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "admit.h"
#include "ioam_transit.h"

/*
 * Find the trace option of the outermost header. In a tunnelled packet, that is not the one that
 * fcn_parse() reports.
 */
static bool
find_trace(const struct rte_mbuf *m, const struct fcn_wire_info *info, uint16_t *off, uint8_t *len)
{
	if (likely(!(info->flags & FCN_PKT_TUNNEL))) {
		*off = info->ioam_off + FCN_IOAM_TRACE_OFF;
		*len = info->ioam_len - FCN_IOAM_TRACE_OPTION_LEN;
		/* RFC 9486 does not define an incremental trace in IPv6, so it is not changed. */
		return rte_pktmbuf_mtod_offset(m, const uint8_t *, info->ioam_off)[3] ==
		       FCN_IOAM_PREALLOC_TRACE;
	}
	return fcn_ioam_find_trace(
			rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, info->l3_off, off, len);
}

/* Get the used bytes of the shared buffer, or without one, the bytes queued at the port. */
static uint32_t
buffer_occupancy(const struct fcn_worker *w, const struct fcn_egress *eg)
{
	return fcn_ioam_occupancy(w->snap->buffer.size != 0
						  ? w->buffer.shared_used + w->buffer.headroom_used
						  : fcn_ioam_queued_bytes(eg));
}

/* Get the value of the namespace specific data field of 4 octets (RFC 9197 section 4.4.2). */
static uint32_t
short_data(const struct fcn_worker *w, const struct fcn_ioam_namespace *ns, uint16_t out_port)
{
	switch (ns->short_data) {
	case FCN_IOAM_DATA_VALUE:
		return ns->short_value;
	case FCN_IOAM_DATA_LINK_SPEED:
		return w->snap->port[out_port].link_bps / 1000000;
	default:
		return FCN_IOAM_NA32;
	}
}

/* Get the value of the namespace specific data field of 8 octets (RFC 9197 section 4.4.2). */
static uint64_t
wide_data(const struct fcn_worker *w, const struct fcn_ioam_namespace *ns, uint16_t out_port)
{
	switch (ns->wide_data) {
	case FCN_IOAM_DATA_VALUE:
		return ns->wide_value;
	case FCN_IOAM_DATA_LINK_SPEED:
		return w->snap->port[out_port].link_bps / 1000000;
	case FCN_IOAM_DATA_TX_BYTES:
		return w->counters[out_port].tx_bytes;
	default:
		return FCN_IOAM_NA64;
	}
}

/*
 * Add this node's data to the trace of a packet, when so many bytes are queued.
 *
 * @return as fcn_ioam_transit_write()
 */
static __rte_noinline bool
write_trace(struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m, uint32_t depth,
		uint32_t occupancy, uint16_t *delay_off)
{
	const struct fcn_ioam_conf *conf = &w->snap->ioam;
	const struct fcn_ioam_port *in = &w->snap->port[p->in_port].ioam;
	const struct fcn_ioam_port *out = &w->snap->port[p->out_port].ioam;
	struct fcn_port_counters *c = &w->counters[p->in_port];
	uint8_t *data = rte_pktmbuf_mtod(m, uint8_t *);
	const struct fcn_ioam_namespace *ns;
	struct fcn_ioam_node node;
	uint16_t off, delay;
	uint8_t len;

	if (!find_trace(m, &p->info, &off, &len))
		return false;
	ns = fcn_ioam_namespace_find(conf, data[off] << 8 | data[off + 1]);
	if (ns == NULL) {
		c->ioam_foreign++;
		return false;
	}
	node = (struct fcn_ioam_node){
			.hop_limit = p->info.ttl,
			.node_id = conf->node_id,
			.node_id_wide = conf->node_id_wide,
			.ingress_id = in->id,
			.egress_id = out->id,
			.ingress_id_wide = in->id_wide,
			.egress_id_wide = out->id_wide,
			/* the packet was received in this turn */
			.time = fcn_ioam_time(
					conf->time_format, w->epoch_ns + w->now, conf->tai_offset),
			.transit_delay = FCN_IOAM_NA32, /* filled in when the packet leaves */
			.namespace_short = short_data(w, ns, p->out_port),
			.namespace_wide = wide_data(w, ns, p->out_port),
			.queue_depth = depth,
			.buffer_occupancy = occupancy,
			.schema_id = ns->schema_id,
			.schema_words = ns->schema_words,
			.schema = ns->schema,
	};
	switch (fcn_ioam_trace_write(data + off, len, &node, &delay)) {
	case FCN_IOAM_WRITTEN:
		c->ioam_written++;
		*delay_off = off + delay;
		return delay != 0;
	case FCN_IOAM_OVERFLOW_SET:
		c->ioam_overflow++;
		return false;
	case FCN_IOAM_OVERFLOW_BEFORE:
		c->ioam_full++;
		return false;
	case FCN_IOAM_MALFORMED: /* those that fcn_parse() reports are counted already */
		if (p->info.flags & FCN_PKT_TUNNEL)
			c->ioam_malformed++;
		return false;
	}
	return false;
}

bool
fcn_ioam_transit_write(struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m,
		const struct fcn_egress *eg, uint16_t *delay_off)
{
	return write_trace(w, p, m, eg->queue[p->class].bytes, buffer_occupancy(w, eg), delay_off);
}

bool
fcn_ioam_transit_write_first(struct fcn_worker *w, struct fcn_packet *p, struct rte_mbuf *m,
		uint32_t depth, uint32_t occupancy, struct fcn_ioam_alike *alike)
{
	uint8_t *trace = rte_pktmbuf_mtod_offset(
			m, uint8_t *, p->info.ioam_off + FCN_IOAM_TRACE_OFF);
	const struct fcn_port_counters *c = &w->counters[p->in_port];
	uint8_t before[FCN_IOAM_TRACE_HDR_LEN];
	uint64_t written;
	bool has_delay;

	if (p->info.flags & FCN_PKT_TUNNEL) /* ioam_off is that of another trace */
		return write_trace(w, p, m, depth, occupancy, &p->delay_off);
	fcn_ioam_alike_count(w, alike);
	written = c->ioam_written;
	memcpy(before, trace, sizeof(before));
	has_delay = write_trace(w, p, m, depth, occupancy, &p->delay_off);
	if (c->ioam_written != written) {
		fcn_ioam_template_make(&alike->template, before, trace,
				p->info.ioam_len - FCN_IOAM_TRACE_OPTION_LEN);
		alike->in_port = p->in_port;
	}
	return has_delay;
}

void
fcn_ioam_transit_write_run(struct fcn_worker *w, struct fcn_burst *b, unsigned int from,
		unsigned int n, struct fcn_egress *eg, const struct fcn_queue_conf *conf,
		uint32_t bytes)
{
	struct fcn_queue *q = &eg->queue[b->pkt[from].class];
	/* The first of the packets, the last that were queued. */
	const uint32_t first = q->tail - n;
	const uint64_t others = fcn_ioam_queued_bytes(eg) - q->bytes;
	struct fcn_ioam_alike alike = {.template.len = 0};
	const struct fcn_ioam_template *t = &alike.template;

	for (unsigned int k = 0; k < n; k++) {
		struct fcn_packet *p = &b->pkt[from + k];
		struct rte_mbuf *m = b->mbuf[from + k];
		const uint16_t off = p->info.ioam_off + FCN_IOAM_TRACE_OFF;
		uint8_t *trace = rte_pktmbuf_mtod_offset(m, uint8_t *, off);
		const uint32_t occupancy = fcn_ioam_occupancy(others + bytes);
		bool has_delay;

		/*
		 * By the template, this node's data differs only by what is passed here: the
		 * packets have an egress port and class in common, and leave in a later stage. The
		 * octet in front of a trace says whether it is pre-allocated, as the template is.
		 */
		if (likely(p->in_port == alike.in_port && !(p->info.flags & FCN_PKT_TUNNEL) &&
				    trace[-1] == FCN_IOAM_PREALLOC_TRACE &&
				    fcn_ioam_template_fits(t, trace,
						    p->info.ioam_len -
								    FCN_IOAM_TRACE_OPTION_LEN))) {
			fcn_ioam_template_write(t, trace, p->info.ttl, bytes, occupancy);
			alike.n_written++;
			has_delay = t->delay != 0;
			if (unlikely(has_delay))
				p->delay_off = off + t->delay;
		} else {
			has_delay = fcn_ioam_transit_write_first(w, p, m, bytes, occupancy, &alike);
		}
		if (unlikely(has_delay)) {
			struct fcn_queue_entry *e = &q->ring[(first + k) & q->mask];
			uint16_t flags = e->flags | FCN_ENTRY_IOAM;

			fcn_note_dequeue_actions(w, p, m, q, conf, &flags);
			e->flags = flags;
		}
		bytes += m->pkt_len;
	}
	fcn_ioam_alike_count(w, &alike);
}
