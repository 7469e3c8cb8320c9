/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_stages.h"

/*
 * Find the trace option of the outermost header. In a tunnelled packet, that is not the one that
 * fcn_parse() reports.
 */
static bool
find_trace(const struct rte_mbuf *m, const struct fcn_wire_info *info, uint16_t *off, uint8_t *len)
{
	if (likely(!(info->flags & FCN_PKT_TUNNEL))) {
		/* after Option Type, Opt Data Len, Reserved, IOAM Opt-Type */
		*off = info->ioam_off + 4;
		*len = info->ioam_len - 2;
		/* RFC 9486 does not define an incremental trace in IPv6, so it is not changed. */
		return rte_pktmbuf_mtod_offset(m, const uint8_t *, info->ioam_off)[3] ==
		       FCN_IOAM_PREALLOC_TRACE;
	}
	return fcn_ioam_find_trace(
			rte_pktmbuf_mtod(m, const uint8_t *), m->data_len, info->l3_off, off, len);
}

/*
 * Get the value of the IOAM field buffer occupancy (RFC 9197 section 4.4.2): used bytes of the
 * shared buffer, or without one, bytes queued at the port.
 */
static uint32_t
buffer_occupancy(const struct fcn_worker *w, const struct fcn_egress *eg)
{
	uint64_t bytes = 0;

	if (w->snap->buffer.size != 0)
		bytes = w->buffer.shared_used + w->buffer.headroom_used;
	else
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			bytes += eg->queue[c].bytes;
	return RTE_MIN(bytes, (uint64_t)FCN_IOAM_NA32 - 1);
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

bool
fcn_ioam_transit_write(struct fcn_worker *w, const struct fcn_packet *p, struct rte_mbuf *m,
		const struct fcn_egress *eg, uint16_t *delay_off)
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
			.queue_depth = eg->queue[p->class].bytes,
			.buffer_occupancy = buffer_occupancy(w, eg),
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
