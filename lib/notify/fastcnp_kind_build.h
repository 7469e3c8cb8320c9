/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What is common to the kinds of notices whose message is a Fast CNP
 * (draft-xiao-rtgwg-rocev2-fast-cnp section 4). The functions are inlined into each kind. Used by
 * the files of these kinds only.
 */

#ifndef FASTCNP_KIND_BUILD_H
#define FASTCNP_KIND_BUILD_H

#include <string.h>

#include "fcn_endcon.h"
#include "fcn_fastcnp_kind.h"
#include "notice_prepare.h"

/** Notices built at a time, so that what belongs to them stays in the cache. */
#define FCN_FASTCNP_KIND_PIECE 32

/** The forms of a Fast CNP; forms of all kinds that send one. */
enum fcn_fastcnp_kind_form {
	FCN_FASTCNP_KIND_OPT1,
	FCN_FASTCNP_KIND_OPT2,
	/** with option 1, as the IOAM trace of the packet does not fit into option 2 */
	FCN_FASTCNP_KIND_TOO_LONG,
	/** with option 1, as the path of the notice crosses the edge of the IOAM domain */
	FCN_FASTCNP_KIND_EDGE,
};

/** Check whether a packet is one whose sender can slow down: RoCEv2, and neither an acknowledgement
 * nor a CNP. @return FCN_NOTIFY_NONE, or the reason for which no notice is due */
static inline enum fcn_notify_verdict
fcn_fastcnp_kind_check_data(const struct fcn_wire_info *info)
{
	if (!(info->flags & FCN_PKT_ROCE))
		return FCN_NOTIFY_NOT_ROCE;
	return fcn_bth_opcode_triggers(info->opcode) ? FCN_NOTIFY_NONE : FCN_NOTIFY_NOT_DATA;
}

/** Check whether a notice can be sent to a source address: it is unicast, neither unspecified nor
 * loopback nor IPv4-mapped, and not the switch's own. */
static inline bool
fcn_fastcnp_kind_is_sender(const struct fcn_notice_common *common, const uint8_t *addr)
{
	static const uint8_t zero[15];
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0/96 */

	if (addr[0] == 0xff)
		return false;
	if (unlikely(addr[0] == 0) && ((addr[15] <= 1 && memcmp(addr, zero, sizeof(zero)) == 0) ||
						      memcmp(addr, mapped, sizeof(mapped)) == 0))
		return false;
	return memcmp(addr, common->source, sizeof(common->source)) != 0;
}

/** Flags that tell the data packets that are usual from others: RoCEv2 over IPv6, not tunnelled. */
#define FCN_FASTCNP_USUAL_FLAGS (FCN_PKT_ROCE | FCN_PKT_TUNNEL | FCN_PKT_INNER_IPV4)

/**
 * Check whether a packet is a usual one, about which a notice can be sent. Senders whose addresses
 * begin with the octet 0 or ff never are, so the rule of the kind has to decide about them.
 *
 * @param flags what FCN_FASTCNP_USUAL_FLAGS have to be of the packet
 */
static __rte_always_inline bool
fcn_fastcnp_kind_is_usual(uint32_t flags, const struct fcn_notice_common *common,
		const struct fcn_wire_info *info, const uint8_t *sender)
{
	return (info->flags & FCN_FASTCNP_USUAL_FLAGS) == flags &&
	       fcn_bth_opcode_triggers(info->opcode) && (uint8_t)(sender[0] + 1) > 1 &&
	       memcmp(sender, common->source, sizeof(common->source)) != 0;
}

/** Get the source address of the outer header, which is IPv6. */
static inline const uint8_t *
fcn_notice_outer_source(const uint8_t *data, const struct fcn_wire_info *info)
{
	return data + info->l3_off + offsetof(struct rte_ipv6_hdr, src_addr);
}

/** Tell whether a packet in a tunnel has entered it at this switch: the source address of the outer
 * header is END.CON of the switch. */
static inline bool
fcn_notice_is_own_tunnel(const struct fcn_notice_common *common, const uint8_t *data,
		const struct fcn_wire_info *info)
{
	return info->flags & FCN_PKT_IPV6 && common->own_endcon != NULL &&
	       fcn_prefix_list_lookup6(
			       common->own_endcon, fcn_notice_outer_source(data, info), 0) != 0;
}

/**
 * Get the form of a Fast CNP: option 2 if the innermost packet has an IOAM trace that fits,
 * otherwise option 1. A trace in front of an inner packet belongs to the tunnel, and fcn_parse()
 * does not report it.
 */
static inline uint8_t
fcn_fastcnp_kind_form_of(const struct fcn_wire_info *info)
{
	if (!(info->flags & FCN_PKT_IOAM_TRACE))
		return FCN_FASTCNP_KIND_OPT1;
	if (info->ioam_len > 2 + FCN_IOAM_TRACE_HDR_LEN + 4 * FCN_FASTCNP_MAX_TRACE_WORDS)
		return FCN_FASTCNP_KIND_TOO_LONG;
	return FCN_FASTCNP_KIND_OPT2;
}

/** Fill in what depends on the trace: form, length, and the same at the edge of the IOAM domain.
 * @param room bytes in front of the Fast CNP */
static inline void
fcn_fastcnp_kind_due_form(const struct fcn_wire_info *info, uint16_t room, struct fcn_notice_due *d)
{
	d->form = fcn_fastcnp_kind_form_of(info);
	d->edge_form = d->form;
	d->len = d->edge_len = room + FCN_FASTCNP_OPT1_LEN;
	if (unlikely(d->form == FCN_FASTCNP_KIND_OPT2)) {
		d->edge_form = FCN_FASTCNP_KIND_EDGE;
		d->len = room + fcn_fastcnp_opt2_len(info->ioam_len - 2);
	}
}

/** Get the capability of an IPv6 sender. */
static inline enum fcn_sender_capability
fcn_fastcnp_kind_capability(const struct fcn_fastcnp_kind_conf *conf, const uint8_t *sender)
{
	enum fcn_sender_capability cap = conf->default_capability;

	if (conf->senders != NULL)
		cap = fcn_prefix_list_lookup6(conf->senders, sender, cap);
	return cap;
}

/**
 * Fill in what depends on the sender and on the trace: all members but `to` and `reason`. The
 * caller has set `reason` to FCN_NOTIFY_NONE; it becomes FCN_NOTIFY_SENDER_NONE if the sender is
 * known not to support notices.
 *
 * @param room bytes in front of the Fast CNP
 */
static inline void
fcn_fastcnp_kind_due(const struct fcn_fastcnp_kind_conf *conf, const uint8_t *sender,
		const struct fcn_wire_info *info, uint16_t room, struct fcn_notice_due *d)
{
	const enum fcn_sender_capability cap = fcn_fastcnp_kind_capability(conf, sender);

	if (cap == FCN_SENDER_NONE)
		d->reason = FCN_NOTIFY_SENDER_NONE;
	fcn_fastcnp_kind_due_form(info, room, d);
	d->replaces_mark = cap == FCN_SENDER_CAPABLE || !conf->mark_unknown;
}

/**
 * Fill in a request. Members that only option 2 needs are written only for option 2.
 *
 * @param room bytes to leave at the beginning of the buffer
 */
static inline void
fcn_fastcnp_kind_request(
		const struct fcn_notice_order *o, uint32_t room, struct fcn_fastcnp_request *req)
{
	const struct fcn_wire_info *about = o->about;

	req->sender = fcn_notify_sender(o->data, about);
	req->receiver = o->data + about->final_dst_off;
	req->trace = NULL;
	req->trimmed = NULL;
	req->buf = rte_pktmbuf_mtod(o->mbuf, uint8_t *) + room;
	req->dest_qp = about->dest_qp;
	req->src_port = about->src_port;
	req->p_key = about->p_key;
	if (unlikely(o->form == FCN_FASTCNP_KIND_OPT2)) {
		/* The trace follows Option Type, Opt Data Len, Reserved and IOAM Opt-Type. */
		req->trace = o->data + about->ioam_off + 4;
		req->trace_len = about->ioam_len - 2;
		req->trace_type = o->data[about->ioam_off + 3];
	}
}

/** Write what fcn_parse() would find in a notice of len bytes, and the lengths of its buffer. */
static inline void
fcn_fastcnp_kind_describe(const struct fcn_notice_order *o, const struct fcn_wire_info *plain,
		const struct fcn_fastcnp_request *req, uint16_t len)
{
	*o->info = *plain;
	o->info->ip_len = len;
	o->info->src_port = req->src_port;
	o->info->dest_qp = req->dest_qp;
	o->mbuf->data_len = len;
	o->mbuf->pkt_len = len;
}

/** Write the header in front of a notice to END.CON that was built behind room for it, and what
 * fcn_parse() would find. */
static inline void
fcn_fastcnp_kind_put_outer(const struct fcn_notice_order *o,
		const struct fcn_endcon_template *outer, const struct fcn_wire_info *plain,
		const struct fcn_fastcnp_request *req)
{
	fcn_endcon_write(outer, fcn_notice_outer_source(o->data, o->about), req->len,
			rte_pktmbuf_mtod(o->mbuf, uint8_t *));
	fcn_fastcnp_kind_describe(o, plain, req, FCN_ENDCON_OUTER_LEN + req->len);
}

/**
 * Copy the flow label of the packet that a notice is about, so that a sender that spreads its
 * packets over paths by flow labels knows which of them is congested. Neither ICRC nor UDP checksum
 * covers it.
 *
 * @param ip IPv6 header of the notice that gets to the sender
 */
static inline void
fcn_notice_copy_flow_label(const struct fcn_notice_order *o, uint8_t *ip)
{
	const uint8_t *from = o->data + o->about->inner_l3_off;

	ip[1] = (uint8_t)((ip[1] & 0xF0) | (from[1] & 0xF));
	memcpy(ip + 2, from + 2, 2);
}

/** The same for a burst of notices. @param room bytes in front of these IPv6 headers, besides an
 * Ethernet header */
static inline void
fcn_notice_copy_flow_labels(const struct fcn_notice_order *order, unsigned int n, unsigned int room)
{
	for (unsigned int i = 0; i < n; i++)
		fcn_notice_copy_flow_label(&order[i],
				rte_pktmbuf_mtod(order[i].mbuf, uint8_t *) + room +
						(order[i].head != NULL ? sizeof(*order[i].head)
								       : 0));
}

/** Get the code points of the Fast CNPs of a kind. */
static inline struct fcn_parse_codes
fcn_fastcnp_kind_codes(const struct fcn_fastcnp_kind_conf *conf)
{
	return (struct fcn_parse_codes){
			.fastcnp_opt1 = conf->fastcnp.conf.opt1_type,
			.fastcnp_opt2 = conf->fastcnp.conf.opt2_type,
			.trimmed = conf->trimmed_type,
	};
}

/** Check whether a message of a sender refuses a Fast CNP; see struct fcn_notice_kind. */
static inline bool
fcn_fastcnp_kind_is_refused(const struct fcn_fastcnp_kind_conf *conf,
		const struct fcn_notice_common *common, const uint8_t *ip, uint32_t len,
		struct fcn_refused_notice *refused)
{
	const struct fcn_parse_codes codes = fcn_fastcnp_kind_codes(conf);

	return fcn_param_problem_check(ip, len, &codes, common->source, refused) == FCN_MSG_OK &&
	       refused->is_trimmed == (conf->trimmed_type != 0);
}

#endif /* FASTCNP_KIND_BUILD_H */
