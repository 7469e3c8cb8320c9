/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fastcnp_kind_build.h"
#include "fcn_inet.h"
#include "fcn_notice_cnp.h"

static inline unsigned int
version_of(const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_INNER_IPV4 ? 4 : 6;
}

static inline uint16_t
length(const struct fcn_wire_info *info)
{
	return (version_of(info) == 4 ? FCN_IP4_LEN : FCN_IP6_LEN) + FCN_CNP_UDP_LEN;
}

/* Get the destination address of a packet, the last one. */
static inline const uint8_t *
receiver_of(const uint8_t *data, const struct fcn_wire_info *info)
{
	return version_of(info) == 4
			       ? data + info->inner_l3_off + offsetof(struct rte_ipv4_hdr, dst_addr)
			       : data + info->final_dst_off;
}

static inline const uint8_t *
sender_of(const uint8_t *data, const struct fcn_wire_info *info)
{
	return version_of(info) == 4 ? fcn_notify_sender4(data, info)
				     : fcn_notify_sender(data, info);
}

static inline bool
is_sender(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	return version_of(info) == 4
			       ? fcn_ip4_is_station(fcn_notify_sender4(data, info))
			       : fcn_fastcnp_kind_is_sender(common, fcn_notify_sender(data, info));
}

/* Tell whether the sender gets a Fast CNP instead, as it is known to understand it. */
static inline bool
gets_fast_cnp(const struct fcn_notice_cnp_conf *conf, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	return conf->fast_cnp != NULL && version_of(info) == 6 &&
	       fcn_fastcnp_kind_capability(conf->fast_cnp, fcn_notify_sender(data, info)) ==
			       FCN_SENDER_CAPABLE;
}

/* Check the conditions for a CNP about a packet.
 * @param found where the map has its flow; result: the queue pair of its sender
 * @return FCN_NOTIFY_NONE, or the reason for which none is sent */
static enum fcn_notify_verdict
eligibility(const struct fcn_notice_cnp_conf *conf, const struct fcn_notice_common *common,
		const uint8_t *data, const struct fcn_wire_info *info, uint32_t *found)
{
	enum fcn_notify_verdict why = fcn_fastcnp_kind_check_data(info);

	if (why != FCN_NOTIFY_NONE)
		return why;
	/* A sender whose tunnel begins elsewhere has another first switch. */
	if (info->flags & FCN_PKT_TUNNEL && !fcn_notice_is_own_tunnel(common, data, info))
		return FCN_NOTIFY_TUNNELLED;
	if (!is_sender(common, data, info))
		return FCN_NOTIFY_SOURCE;
	if (gets_fast_cnp(conf, data, info))
		return FCN_NOTIFY_OTHER_KIND;
	return fcn_qp_map_find_at(conf->qps, *found, version_of(info), receiver_of(data, info),
			       info->dest_qp, sender_of(data, info), found)
			       ? FCN_NOTIFY_NONE
			       : FCN_NOTIFY_NO_QP;
}

static inline void
due(const struct fcn_notice_cnp_conf *conf, const struct fcn_notice_common *common,
		struct fcn_notify_case *c)
{
	struct fcn_notice_due *d = &c->due;

	*d = (struct fcn_notice_due){
			.reason = eligibility(conf, common, c->data, c->info, &c->found)};
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	d->to = fcn_notify_sender(c->data, c->info);
	d->len = d->edge_len = length(c->info);
	/* Every RoCEv2 adapter understands CNPs. */
	d->replaces_mark = true;
}

static inline uint64_t
flow_of(const struct fcn_hash_prepared *key, const uint8_t *data, const struct fcn_wire_info *info,
		uint64_t *sender)
{
	return fcn_notice_flow(key, data, info, info->dest_qp, sender);
}

/* The entries of all packets are on their way to the cache before the first is needed. */
static void
prepare(const struct fcn_notify_conf *conf, const struct fcn_notify_state *state,
		struct fcn_notify_case *c, unsigned int n)
{
	const struct fcn_hash_prepared key = fcn_notify_prepared_key(state);
	const struct fcn_notice_cnp_conf *own = conf->own;

	for (unsigned int i = 0; i < n; i++) {
		if (likely(fcn_fastcnp_kind_check_data(c[i].info) == FCN_NOTIFY_NONE))
			c[i].found = fcn_qp_map_prefetch(own->qps, version_of(c[i].info),
					receiver_of(c[i].data, c[i].info), c[i].info->dest_qp);
	}
	for (unsigned int i = 0; i < n; i++) {
		due(own, conf->common, &c[i]);
		if (likely(c[i].due.reason == FCN_NOTIFY_NONE))
			fcn_notice_prepare_flow(
					flow_of, &key, &state->flows, &state->destinations, &c[i]);
	}
}

/* Write what fcn_parse() would find in a CNP. */
static void
describe(const struct fcn_cnp_template *tmpl, const struct fcn_cnp_fields *cnp,
		struct fcn_wire_info *info)
{
	const bool is_ip4 = tmpl->same.version == 4;

	*info = (struct fcn_wire_info){
			.flags = FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT |
				 (is_ip4 ? FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 : FCN_PKT_IPV6),
			.ether_type = is_ip4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6,
			.ip_len = tmpl->len,
			.src_port = cnp->src_port,
			.dst_port = FCN_ROCE_UDP_PORT,
			.p_key = cnp->p_key,
			.dest_qp = cnp->dest_qp,
			.opcode = FCN_BTH_OPCODE_CNP,
			.proto = IPPROTO_UDP,
			.tclass = tmpl->same.tclass,
			.ttl = tmpl->same.hop_limit,
	};
}

/* Put the Ethernet header of the next hop in front. The buffer is new and therefore has headroom.
 */
static inline void
put_head(const struct fcn_notice_order *o)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)rte_pktmbuf_prepend(
			o->mbuf, sizeof(*o->head));

	memcpy(eth, o->head, sizeof(*eth));
	eth->ether_type = rte_cpu_to_be_16(o->info->ether_type);
	o->info->l3_off = sizeof(*eth);
}

static void
build_one(const struct fcn_notice_cnp_conf *conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *o)
{
	const struct fcn_wire_info *about = o->about;
	const struct fcn_cnp_template *tmpl = version_of(about) == 4 ? &conf->ip4 : &conf->ip6;
	const struct fcn_cnp_fields cnp = {
			.src = receiver_of(o->data, about),
			.dst = sender_of(o->data, about),
			.src_port = about->src_port,
			.p_key = about->p_key,
			.dest_qp = o->found,
	};

	fcn_cnp_template_build(tmpl, &conf->crc, &cnp, rte_pktmbuf_mtod(o->mbuf, uint8_t *));
	o->mbuf->data_len = tmpl->len;
	o->mbuf->pkt_len = tmpl->len;
	describe(tmpl, &cnp, o->info);
	if (likely(o->head != NULL))
		put_head(o);
	if (unlikely(common->entropy) && tmpl->same.version == 6)
		fcn_notice_copy_flow_labels(o, 1, 0);
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		build_one(kind_conf, common, &order[i]);
}

static void
free_conf(void *kind_conf)
{
	struct fcn_notice_cnp_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_crc32_fini(&conf->crc);
	rte_free(conf);
}

const struct fcn_notice_kind fcn_notice_cnp = {
		.name = "cnp",
		.title = "CNP",
		.form = {{"sent_cnp", "CNP sent to the sender in the name of the receiver"}},
		.is_roce = true,
		.framed_max = FCN_CNP_MAX_LEN,
		.prepare = prepare,
		.build = build,
		.free = free_conf,
};
