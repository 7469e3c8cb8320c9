/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_malloc.h>

#include "fcn_cnm_refused.h"
#include "fcn_names.h"
#include "fcn_notice_cnm.h"
#include "fastcnp_kind_build.h"

#define PROTO_OSPF 89

/** The forms of a message: by what the proxy was found. */
enum form {
	BY_OPTION,
	BY_PREFIX,
};

FCN_NAME_FUNCTION(fcn_cnm_address_from_name, unsigned int, FCN_CNM_ADDRESS_SOURCES(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_cnm_direct_name, unsigned int, FCN_CNM_DIRECT_POLICIES(FCN_ITEM_WORD))

/* ---- whom to tell ---- */

/* Check whether a packet belongs to a flow whose sender can slow down. */
static enum fcn_notify_verdict
check_data(const struct fcn_notice_cnm_conf *conf, const struct fcn_wire_info *info)
{
	if (!fcn_cnm_has_flow(info))
		return FCN_NOTIFY_NO_FLOW;
	if (info->flags & FCN_PKT_ROCE)
		return fcn_bth_opcode_triggers(info->opcode) ? FCN_NOTIFY_NONE
							     : FCN_NOTIFY_NOT_DATA;
	switch (info->proto) {
	case IPPROTO_ICMP:
	case IPPROTO_IGMP:
	case IPPROTO_ICMPV6:
	case PROTO_OSPF:
		return FCN_NOTIFY_NOT_DATA;
	case IPPROTO_UDP: /* a CNM or an ARN; the port of either is 0 if none is configured */
		return info->dst_port != 0 && (info->dst_port == conf->message.port ||
							      info->dst_port == conf->arn_port)
				       ? FCN_NOTIFY_NOT_DATA
				       : FCN_NOTIFY_NONE;
	default:
		return FCN_NOTIFY_NONE;
	}
}

static inline bool
is_sender(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	if (info->flags & FCN_PKT_INNER_IPV4)
		return fcn_ip4_is_station(fcn_notify_sender4(data, info));
	return fcn_fastcnp_kind_is_sender(common, fcn_notify_sender(data, info));
}

/* Find the proxy that is known for the sender. */
static inline const uint8_t *
by_prefix(const struct fcn_notice_cnm_conf *conf, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	if (conf->proxies == NULL)
		return NULL;
	if (info->flags & FCN_PKT_INNER_IPV4)
		return fcn_proxy_map_find4(
				conf->proxies, fcn_get_be32(fcn_notify_sender4(data, info)));
	return fcn_proxy_map_find6(conf->proxies, fcn_notify_sender(data, info));
}

/* Find the proxy. The parser has found the address in the option not to be unspecified, multicast
 * or link-local. */
static const uint8_t *
proxy_by(enum form form, const struct fcn_notice_cnm_conf *conf, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	return form == BY_OPTION ? fcn_wire_proxy(data, info) : by_prefix(conf, data, info);
}

static bool
is_listed(const struct fcn_prefix_list *list, const uint8_t *addr)
{
	if (fcn_addr_is_mapped(addr))
		return fcn_prefix_list_lookup4(list, fcn_get_be32(addr + 12), 0) != 0;
	return fcn_prefix_list_lookup6(list, addr, 0) != 0;
}

/*
 * Check whether a proxy may be told. Whoever sends the data writes the option, so its address is
 * only used if it can be that of a proxy, if it is one of those that are configured, and if it has
 * refused no messages. If the switch is a proxy itself, its own address is none that the sender
 * could misuse. The proxy of a prefix was not named by the sender.
 */
static bool
is_usable(const struct fcn_notice_cnm_conf *conf, const struct fcn_notice_common *common,
		const uint8_t *proxy, enum form form)
{
	const bool is_own = memcmp(proxy, common->source, sizeof(common->source)) == 0;

	if (form == BY_PREFIX)
		return true;
	if (is_own)
		return conf->is_proxy;
	return conf->allowed != NULL && is_listed(conf->allowed, proxy) &&
	       fcn_fastcnp_kind_is_sender(common, proxy) &&
	       (conf->refused == NULL || !is_listed(conf->refused, proxy));
}

/* Check whether the headers that the proxy needs fit into the message. */
static bool
fits(const struct fcn_wire_info *info, const uint8_t *proxy)
{
	return fcn_cnm_quote_min(info) <= fcn_cnm_quote_max(fcn_addr_is_mapped(proxy) ? 4 : 6,
							  info->flags & FCN_PKT_INNER_IPV4 ? 4 : 6);
}

/* Get the bytes of the innermost packet that was read. */
static uint32_t
packet_len(const uint8_t *data, const struct fcn_wire_info *info)
{
	const uint32_t left = info->l3_off + info->ip_len - info->inner_l3_off;
	const uint8_t *ip = data + info->inner_l3_off;
	const uint32_t len =
			info->flags & FCN_PKT_INNER_IPV4
					? fcn_get_be16(ip + offsetof(struct rte_ipv4_hdr,
									    total_length))
					: FCN_IP6_LEN + (uint32_t)fcn_get_be16(
									ip +
									offsetof(struct rte_ipv6_hdr,
											payload_len));

	return RTE_MIN(len, left);
}

/* Get the length of a message, where no policy on its way leaves less room. */
static uint16_t
length(const uint8_t *data, const struct fcn_wire_info *info, const uint8_t *proxy)
{
	const unsigned int version = fcn_addr_is_mapped(proxy) ? 4 : 6;
	const unsigned int flow_version = info->flags & FCN_PKT_INNER_IPV4 ? 4 : 6;

	return (uint16_t)(fcn_cnm_head_len(version, flow_version) +
			  RTE_MIN(packet_len(data, info),
					  fcn_cnm_quote_max(version, flow_version)));
}

/* The two ways in the order in which they are tried; a negative number: no way. */
static const int8_t order_of[FCN_CNM_FROM_COUNT][2] = {
#define PLACE(option, prefix, n) ((option) == (n) ? BY_OPTION : (prefix) == (n) ? BY_PREFIX : -1)
#define ORDER(sym, name, option, prefix) {PLACE(option, prefix, 1), PLACE(option, prefix, 2)},
		FCN_CNM_ADDRESS_SOURCES(ORDER)
#undef ORDER
};

static inline void
due(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info, struct fcn_notice_due *d)
{
	const struct fcn_notice_cnm_conf *conf = kind_conf;
	const int8_t *order = order_of[conf->address_from];

	d->reason = check_data(conf, info);
	if (d->reason != FCN_NOTIFY_NONE)
		return;
	if (!is_sender(common, data, info)) {
		d->reason = FCN_NOTIFY_SOURCE;
		return;
	}
	d->reason = FCN_NOTIFY_NO_PROXY;
	for (unsigned int i = 0; i < 2 && order[i] >= 0; i++) {
		const uint8_t *proxy = proxy_by(order[i], conf, data, info);

		if (proxy == NULL)
			continue;
		if (!is_usable(conf, common, proxy, order[i])) {
			d->reason = FCN_NOTIFY_PROXY_UNUSABLE;
			continue;
		}
		d->reason = fits(info, proxy) ? FCN_NOTIFY_NONE : FCN_NOTIFY_NO_FLOW;
		d->to = proxy;
		d->form = d->edge_form = order[i];
		d->len = d->edge_len = length(data, info, proxy);
		d->replaces_mark = !conf->mark_unknown;
		return;
	}
}

/* A flow is known by its five-tuple, and RoCEv2 by its addresses and queue pair, as with other
 * kinds. */
static inline uint64_t
flow_of(const struct fcn_hash_prepared *key, const uint8_t *data, const struct fcn_wire_info *info,
		uint64_t *sender)
{
	return fcn_notice_flow(key, data, info, fcn_cnm_flow_number(info), sender);
}

FCN_NOTICE_PREPARE_FLOW(prepare, due, flow_of)

/* ---- the message ---- */

static void
build_one(const struct fcn_notice_cnm_conf *conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *o, const struct fcn_notice_quote *q)
{
	const struct fcn_wire_info *about = o->about;
	const uint8_t *proxy = proxy_by(o->form, conf, o->data, about), *from;
	const uint8_t *own4 = q->source4 != NULL ? q->source4 : proxy + 12;
	const unsigned int version = fcn_addr_is_mapped(proxy) ? 4 : 6;
	uint8_t *buf = rte_pktmbuf_mtod(o->mbuf, uint8_t *);
	struct fcn_flow_descriptor flow;
	uint32_t head, quote;

	fcn_cnm_flow_of(o->data, about, &flow);
	flow.level = q->level;
	head = fcn_cnm_head_len(version, flow.version);
	quote = RTE_MIN(packet_len(o->data, about), fcn_cnm_quote_max(version, flow.version));
	/* The least MTU of a port is enough for every message, but behind a policy less is left. */
	quote = RTE_MIN(quote, q->mtu - head);
	from = rte_pktmbuf_read(o->cause, about->inner_l3_off, quote, buf + head);
	if (from != buf + head)
		memcpy(buf + head, from, quote);
	fcn_cnm_write(&conf->message, version, version == 4 ? own4 : common->source,
			version == 4 ? proxy + 12 : proxy, &flow, quote,
			rte_raw_cksum(buf + head, quote), buf);
	o->mbuf->data_len = head + quote;
	o->mbuf->pkt_len = head + quote;
	*o->info = (struct fcn_wire_info){
			.flags = FCN_PKT_UDP |
				 (version == 4 ? FCN_PKT_IPV4 | FCN_PKT_INNER_IPV4 : FCN_PKT_IPV6),
			.ether_type = version == 4 ? RTE_ETHER_TYPE_IPV4 : RTE_ETHER_TYPE_IPV6,
			.ip_len = head + quote,
			.src_port = fcn_get_be16(buf + (version == 4 ? FCN_IP4_LEN : FCN_IP6_LEN)),
			.dst_port = conf->message.port,
			.proto = IPPROTO_UDP,
			.tclass = conf->message.dscp << 2,
			.ttl = conf->message.hop_limit,
	};
}

static void
build(const void *kind_conf, const struct fcn_notice_common *common,
		const struct fcn_notice_order *order, const struct fcn_notice_quote *quote,
		unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		build_one(kind_conf, common, &order[i], &quote[i]);
}

/*
 * A node to which a message was sent says that nobody listens there: it is no proxy. The ICMP
 * message may be forged, by someone who has a flow of his own. For the proxy of a prefix the
 * configuration or the routing protocol is believed, as otherwise one such message would silence
 * it for all senders.
 */
static bool
is_refused(const void *kind_conf, const struct fcn_notice_common *common, const uint8_t *ip,
		uint32_t len, struct fcn_refused_notice *refused)
{
	const struct fcn_notice_cnm_conf *conf = kind_conf;

	RTE_SET_USED(common);
	if (!fcn_cnm_is_refused(ip, len, conf->message.port, &conf->codes, refused))
		return false;
	refused->is_trusted = conf->proxies != NULL &&
			      fcn_proxy_map_has(conf->proxies, refused->sender);
	return true;
}

static void
free_conf(void *kind_conf)
{
	struct fcn_notice_cnm_conf *conf = kind_conf;

	if (conf == NULL)
		return;
	fcn_cnm_template_fini(&conf->message);
	fcn_proxy_map_free(conf->proxies);
	fcn_prefix_list_free(conf->allowed);
	fcn_prefix_list_free(conf->refused);
	rte_free(conf);
}

const struct fcn_notice_kind fcn_notice_cnm = {
		.name = "cnm",
		.title = "CNM",
		.to_proxy = true,
		.form = {[BY_OPTION] = {"sent_by_option",
					 "CNM sent to the proxy that the packet names"},
				[BY_PREFIX] = {"sent_by_prefix",
						"CNM sent to the proxy that is known for the "
						"sender"}},
		.prepare = prepare,
		.build_quoting = build,
		.is_refused = is_refused,
		.free = free_conf,
};
