/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>

#include <rte_common.h>

#include "host_state.h"
#include "fcn_icmp4.h"
#include "fcn_icmp6.h"
#include "fcn_mld.h"
#include "fcn_nd.h"
#include "fcn_srv6_error.h"

#define IP4_PROTO_OFF 9
#define IP4_FRAG_OFF 6
#define IP4_MORE_OR_OFFSET 0x3FFF
#define UDP_LEN 8

/* A packet to the switch. */
struct local {
	const struct fcn_punt *punt;
	uint8_t *ip; /* the whole packet, in h->scratch */
	uint32_t len;
	struct fcn_addr dst;
	bool to_us; /* sent to a usable address of the switch, not to a group */
};

/*
 * Pass a packet that the host functions do not handle to the kernel.
 *
 * @return whether there is a kernel interface; if so, the packet is consumed
 */
static bool
give_to_kernel(struct fcn_host *h, const struct local *l)
{
	if (!fcn_host_has_kernel(h, l->punt->in_port) ||
			(!l->to_us && fcn_addr_is_unicast(&l->dst)))
		return false;
	fcn_host_show_kernel(h, l->punt);
	rte_pktmbuf_free(l->punt->mbuf);
	return true;
}

static void
refuse(struct fcn_host *h, const struct local *l, enum fcn_host_error error, uint32_t param,
		uint64_t now)
{
	if ((error == FCN_HOST_ERROR_PORT || error == FCN_HOST_ERROR_PROTOCOL) &&
			give_to_kernel(h, l))
		return;
	fcn_host_count(h, FCN_HOST_LOCAL_UNHANDLED);
	fcn_host_error(h, l->punt->mbuf, l->punt->l3_off, l->punt->in_port, error, param, now);
	rte_pktmbuf_free(l->punt->mbuf);
}

static void
unhandled(struct fcn_host *h, const struct local *l)
{
	if (!give_to_kernel(h, l))
		fcn_host_discard(h, l->punt->mbuf, FCN_HOST_LOCAL_UNHANDLED);
}

/*
 * Send len bytes of h->scratch, a reply, in the buffers of the packet that they answer, which was
 * at least as long.
 */
static void
send_back(struct fcn_host *h, const struct local *l, uint32_t len, const struct fcn_addr *dst,
		uint64_t now)
{
	struct rte_mbuf *m = l->punt->mbuf, *seg;
	uint32_t done = 0;

	rte_pktmbuf_adj(m, l->punt->l3_off - FCN_HOST_L2_LEN);
	fcn_host_trim(m, FCN_HOST_L2_LEN + len);
	for (seg = m; seg != NULL && done < len; seg = seg->next) {
		uint32_t skip = seg == m ? FCN_HOST_L2_LEN : 0;
		uint32_t part = RTE_MIN(len - done, seg->data_len - skip);

		memcpy(rte_pktmbuf_mtod_offset(seg, uint8_t *, skip), h->scratch + done, part);
		done += part;
	}
	fcn_host_send_own(h, m, l->punt->in_port, dst, now);
}

/*
 * Whether an echo request may be answered, considering its addresses and the rate limit; counts it
 * if not.
 */
static bool
may_reply(struct fcn_host *h, const struct local *l, const struct fcn_addr *src, uint64_t now)
{
	fcn_host_count(h, FCN_HOST_ECHO_RX);
	if (!l->to_us || !fcn_addr_is_unicast(src) || fcn_host_address_is_ours(h, src)) {
		fcn_host_count(h, FCN_HOST_LOCAL_UNHANDLED);
		return false;
	}
	if (!fcn_host_take(&h->replies[l->punt->in_port], &h->conf.icmp_replies, now)) {
		fcn_host_count(h, FCN_HOST_ECHO_LIMITED);
		return false;
	}
	return true;
}

static void
echo(struct fcn_host *h, const struct local *l, uint32_t len, const struct fcn_addr *src,
		uint64_t now)
{
	if (len == 0) {
		unhandled(h, l);
		return;
	}
	fcn_host_count(h, FCN_HOST_ECHO_TX);
	send_back(h, l, len, src, now);
}

/*
 * Whether an ICMPv6 error can be an answer to a notice. Three nodes send one: a sender that does
 * not know the option of a Fast CNP, a node that cannot take the notice out of its SRv6 tunnel
 * (both a Parameter Problem), and a node that was told as a proxy but is none (port unreachable).
 */
static bool
may_refuse(const struct fcn_icmp6 *msg)
{
	if (msg->type == FCN_ICMP6_UNREACHABLE)
		return msg->code == FCN_ICMP6_NO_PORT;
	return msg->type == FCN_ICMP6_PARAM_PROBLEM &&
	       (msg->code == FCN_ICMP6_BAD_OPTION || msg->code == FCN_ICMP6_BAD_NEXT_HEADER ||
			       msg->code == FCN_ICMP6_SR_UPPER_LAYER);
}

/*
 * Handle an ICMPv6 error by which a node says that it does not understand a notice, or that it is
 * no proxy. The error quotes the notice, and is believed only if the switch has sent that notice
 * recently, and if it arrived where such a notice leaves. The source of a notice over IPv6 is the
 * loopback address; an error to another address is ignored.
 *
 * @param only an error of this type and code cannot be about anything but a notice: if it quotes
 *             none that was sent recently, it is counted as forged
 */
static void
refused_notice(struct fcn_host *h, const struct local *l, bool only, uint64_t now)
{
	struct fcn_host_refusal refusal;

	if (h->conf.capability_ns == 0 ||
			(l->dst.version == 6 && !fcn_addr_equal(&l->dst, &h->conf.loopback)))
		return;
	switch (h->env.refused(h->env.arg, l->punt->in_port, l->ip, l->len,
			h->conf.notice_recent_ns, &refusal)) {
	case FCN_HOST_NOT_REFUSED:
		if (only)
			fcn_host_count(h, FCN_HOST_CAPABILITY_FORGED);
		break;
	case FCN_HOST_REFUSED_ELSEWHERE:
		fcn_host_count(h, FCN_HOST_CAPABILITY_PORT);
		break;
	case FCN_HOST_REFUSED:
		if (refusal.ignored)
			fcn_host_count(h, FCN_HOST_CAPABILITY_IGNORED);
		else
			fcn_host_sender_learn(h, &refusal, now);
		break;
	}
}

static void
icmp6(struct fcn_host *h, const struct local *l, uint32_t off, uint64_t now)
{
	uint8_t type = l->ip[off];
	struct fcn_icmp6 msg;
	struct fcn_addr src;

	if (type >= FCN_ND_ROUTER_SOLICIT && type <= FCN_ND_NEIGHBOUR_ADVERT) {
		/*
		 * The kernel does not get solicitations, which it would answer for a second time.
		 */
		if (type != FCN_ND_NEIGHBOUR_SOLICIT)
			fcn_host_show_kernel(h, l->punt);
		fcn_host_nd_receive(h, l->punt, l->ip, l->len, now);
		rte_pktmbuf_free(l->punt->mbuf);
		return;
	}
	if (type == FCN_MLD_QUERY && h->conf.mld) {
		fcn_host_show_kernel(h, l->punt);
		fcn_host_mld_receive(h, l->punt->in_port, l->ip, l->len, now);
		rte_pktmbuf_free(l->punt->mbuf);
		return;
	}
	if (fcn_icmp6_parse(l->ip, l->len, &msg) != FCN_MSG_OK) {
		unhandled(h, l);
		return;
	}
	src = fcn_host_addr6(msg.src);
	if (msg.type == FCN_ICMP6_ECHO_REQUEST) {
		if (may_reply(h, l, &src, now))
			echo(h, l,
					fcn_icmp6_build_echo_reply(l->ip, &msg, NULL,
							FCN_HOST_HOP_LIMIT, l->ip,
							FCN_HOST_SCRATCH),
					&src, now);
		else
			rte_pktmbuf_free(l->punt->mbuf);
	} else if (msg.type < FCN_ICMP6_INFORMATIONAL && l->to_us) {
		if (may_refuse(&msg))
			refused_notice(h, l,
					msg.type == FCN_ICMP6_PARAM_PROBLEM &&
							msg.code == FCN_ICMP6_BAD_OPTION,
					now);
		fcn_host_show_kernel(h, l->punt);
		fcn_host_discard(h, l->punt->mbuf, FCN_HOST_ERROR_RX);
	} else {
		unhandled(h, l);
	}
}

static void
local6(struct fcn_host *h, const struct local *l, uint64_t now)
{
	struct fcn_host_upper up;

	fcn_host_find_upper(l->ip, l->len, &h->conf.codes, &up);
	switch (up.result) {
	case FCN_HOST_UPPER_FOUND:
		break;
	case FCN_HOST_UPPER_ERROR:
		refuse(h, l, up.error, up.off, now);
		return;
	default:
		unhandled(h, l);
		return;
	}
	if (up.proto == IPPROTO_ICMPV6 && up.off < l->len)
		icmp6(h, l, up.off, now);
	else if (!l->to_us || up.proto == IPPROTO_ICMPV6 || up.proto == IPPROTO_NONE)
		unhandled(h, l);
	else if (up.proto != IPPROTO_UDP)
		refuse(h, l, FCN_HOST_ERROR_PROTOCOL, up.nh_off, now);
	else if (l->len - up.off >= UDP_LEN)
		refuse(h, l, FCN_HOST_ERROR_PORT, 0, now);
	else
		unhandled(h, l);
}

static void
icmp4(struct fcn_host *h, const struct local *l, uint64_t now)
{
	struct fcn_icmp4 msg;
	struct fcn_addr src;

	if (fcn_icmp4_parse(l->ip, l->len, &msg) != FCN_MSG_OK) {
		unhandled(h, l);
		return;
	}
	src = fcn_host_addr4(msg.src);
	switch (msg.type) {
	case FCN_ICMP4_ECHO_REQUEST:
		if (may_reply(h, l, &src, now))
			echo(h, l,
					fcn_icmp4_build_echo_reply(l->ip, &msg, NULL,
							FCN_HOST_HOP_LIMIT, 0, l->ip,
							FCN_HOST_SCRATCH),
					&src, now);
		else
			rte_pktmbuf_free(l->punt->mbuf);
		break;
	case FCN_ICMP4_UNREACHABLE:
		if (msg.code == FCN_ICMP4_PORT)
			refused_notice(h, l, false, now);
		/* fall through */
	case FCN_ICMP4_SOURCE_QUENCH:
	case FCN_ICMP4_REDIRECT:
	case FCN_ICMP4_TIME_EXCEEDED:
	case FCN_ICMP4_PARAM_PROBLEM:
		fcn_host_show_kernel(h, l->punt);
		fcn_host_discard(h, l->punt->mbuf, FCN_HOST_ERROR_RX);
		break;
	default:
		unhandled(h, l);
		break;
	}
}

static void
local4(struct fcn_host *h, const struct local *l, uint64_t now)
{
	uint32_t hdr = (l->ip[0] & 0x0F) * 4u;

	if (!l->to_us || fcn_get_be16(l->ip + IP4_FRAG_OFF) & IP4_MORE_OR_OFFSET)
		unhandled(h, l);
	else if (l->ip[IP4_PROTO_OFF] == IPPROTO_ICMP)
		icmp4(h, l, now);
	else if (l->ip[IP4_PROTO_OFF] != IPPROTO_UDP)
		refuse(h, l, FCN_HOST_ERROR_PROTOCOL, 0, now);
	else if (l->len - hdr >= UDP_LEN)
		refuse(h, l, FCN_HOST_ERROR_PORT, 0, now);
	else
		unhandled(h, l);
}

bool
fcn_host_is_to_us(struct fcn_host *h, uint16_t in_port, const struct fcn_addr *dst)
{
	const struct fcn_own_address *a;

	if (!fcn_host_is_link_local(dst))
		return fcn_host_address_usable(h, dst);
	a = fcn_host_address_find(h, in_port, dst);
	return a != NULL && a->state == FCN_HOST_ADDRESS_USABLE;
}

void
fcn_host_local_receive(struct fcn_host *h, const struct fcn_punt *punt, uint64_t now)
{
	struct local l = {.punt = punt, .ip = h->scratch};
	const void *ip;
	uint8_t version;

	l.len = fcn_host_ip_len(punt->mbuf, punt->l3_off, &version);
	if (punt->l3_off < FCN_HOST_L2_LEN || l.len == 0 || l.len > FCN_HOST_SCRATCH) {
		unhandled(h, &l);
		return;
	}
	ip = rte_pktmbuf_read(punt->mbuf, punt->l3_off, l.len, l.ip);
	if (ip != l.ip)
		memcpy(l.ip, ip, l.len);
	l.dst = fcn_host_ip_dst(punt->mbuf, punt->l3_off);
	l.to_us = punt->reason == FCN_PUNT_SID || fcn_host_is_to_us(h, punt->in_port, &l.dst);
	if (version == 4)
		local4(h, &l, now);
	else if (l.to_us || fcn_ip6_is_multicast(l.dst.bytes))
		local6(h, &l, now);
	else
		unhandled(h, &l);
}
