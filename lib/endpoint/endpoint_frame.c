/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Building of the frames of an endpoint: data, acknowledgements, CNPs. */

#include <string.h>

#include <netinet/in.h>

#include <rte_common.h>

#include "endpoint_state.h"
#include "fcn_cnp.h"
#include "fcn_inet.h"
#include "fcn_ioam.h"

#define ETH_LEN 14
#define IP_OFF ETH_LEN
#define EXT_OFF (IP_OFF + FCN_IP6_LEN)
#define UDP_LEN 8
#define BTH_LEN 12
#define ECT_0 2
#define BTH_MIGREQ 0x40 /* adapters set this bit */
#define BTH_PAD_SHIFT 4
#define BTH_ACK_REQ 0x80

static void
put_be24(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 16);
	fcn_put_be16(p + 1, (uint16_t)v);
}

/* Write the Ethernet and IPv6 headers without the payload length. */
static void
put_ip(const struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint8_t tclass,
		uint8_t next_header, uint8_t *buf)
{
	uint8_t *ip = buf + IP_OFF;

	memcpy(buf, &qp->to.mac, RTE_ETHER_ADDR_LEN);
	memcpy(buf + RTE_ETHER_ADDR_LEN, &ep->conf.mac, RTE_ETHER_ADDR_LEN);
	fcn_put_be16(buf + 2 * RTE_ETHER_ADDR_LEN, RTE_ETHER_TYPE_IPV6);
	fcn_put_be32(ip, UINT32_C(6) << 28 | (uint32_t)tclass << 20);
	ip[6] = next_header;
	ip[7] = ep->conf.hop_limit;
	memcpy(ip + 8, ep->conf.addr, 16);
	memcpy(ip + 24, qp->to.addr, 16);
}

/*
 * Write the lengths in the IPv6 and UDP headers; l4_len octets from UDP to ICRC follow the
 * extension headers.
 */
static void
put_lengths(uint8_t *buf, uint32_t l4_off, uint32_t l4_len)
{
	fcn_put_be16(buf + IP_OFF + 4, (uint16_t)(l4_off - EXT_OFF + l4_len));
	fcn_put_be16(buf + l4_off + 4, (uint16_t)l4_len);
}

static void
put_bth(const struct endpoint_qp *qp, uint8_t opcode, uint8_t *l4)
{
	struct fcn_bth_hdr *bth = (struct fcn_bth_hdr *)(l4 + UDP_LEN);

	fcn_put_be16(l4, qp->to.src_port);
	fcn_put_be16(l4 + 2, FCN_ROCE_UDP_PORT);
	fcn_put_be16(l4 + 6, 0); /* no checksum, like adapters */
	memset(bth, 0, sizeof(*bth));
	bth->opcode = opcode;
	bth->flags = BTH_MIGREQ;
	bth->p_key = rte_cpu_to_be_16(qp->to.p_key);
	put_be24(bth->dest_qp, qp->to.qp);
}

static void
put_icrc(uint8_t *at, uint32_t icrc)
{
	rte_le32_t le = rte_cpu_to_le_32(icrc);

	memcpy(at, &le, sizeof(le));
}

/* Write the ICRC into the last octets of a frame. */
static void
seal(const struct fcn_endpoint *ep, uint8_t *buf, uint32_t l4_off, uint32_t len)
{
	put_icrc(buf + len - FCN_ICRC_LEN, fcn_icrc(&ep->crc, buf + IP_OFF, l4_off - IP_OFF,
							   len - IP_OFF, ep->conf.icrc_mode));
}

/*
 * Write an options header with one IOAM trace, which is aligned to 4 octets by a PadN of 2 in
 * front; a PadN of 4 follows if needed. trace is its header and node data.
 */
static uint32_t
put_trace(uint8_t *ext, uint8_t option_type, const uint8_t *trace, uint32_t trace_len)
{
	uint32_t used = 8 + trace_len, len = RTE_ALIGN_CEIL(used, 8);

	ext[0] = IPPROTO_UDP;
	ext[1] = (uint8_t)(len / 8 - 1);
	ext[2] = 1;
	ext[3] = 0;
	ext[4] = option_type;
	ext[5] = (uint8_t)(2 + trace_len);
	ext[6] = 0;
	ext[7] = FCN_IOAM_PREALLOC_TRACE;
	memcpy(ext + 8, trace, trace_len);
	if (len > used)
		fcn_put_be32(ext + used, 0x01020000);
	return len;
}

/* Write a Hop-by-Hop Options header with an empty trace that has room for all hops. */
static uint32_t
put_new_trace(const struct fcn_endpoint_conf *conf, uint8_t *ext)
{
	uint8_t trace[ENDPOINT_TRACE_MAX] = {0};
	uint8_t node_len = fcn_ioam_node_len(conf->ioam_type);
	const struct fcn_ioam_trace header = {
			.namespace_id = conf->ioam_namespace,
			.node_len = node_len,
			.remaining_len = (uint8_t)(node_len * conf->ioam_hops),
			.type = conf->ioam_type,
	};

	fcn_ioam_trace_hdr_build(trace, &header);
	return put_trace(ext, FCN_IPV6_OPT_IOAM_CHG, trace,
			FCN_IOAM_TRACE_HDR_LEN + 4u * header.remaining_len);
}

void
endpoint_template_make(const struct fcn_endpoint *ep, struct endpoint_qp *qp)
{
	const struct fcn_endpoint_conf *conf = &ep->conf;
	struct endpoint_template *t = &qp->data;
	uint32_t l4_len = UDP_LEN + BTH_LEN + conf->payload + FCN_ICRC_LEN;
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];

	t->l4_off = EXT_OFF;
	put_ip(ep, qp, (uint8_t)(qp->to.dscp << 2 | ECT_0),
			conf->ioam ? IPPROTO_HOPOPTS : IPPROTO_UDP, t->headers);
	if (conf->ioam)
		t->l4_off += put_new_trace(conf, t->headers + EXT_OFF);
	t->len = t->l4_off + UDP_LEN + BTH_LEN;
	put_bth(qp, 0, t->headers + t->l4_off);
	put_lengths(t->headers, t->l4_off, l4_len);

	memcpy(frame, t->headers, t->len);
	memset(frame + t->len, 0, conf->payload);
	t->icrc = fcn_icrc(&ep->crc, frame + IP_OFF, t->l4_off - IP_OFF,
			t->l4_off - IP_OFF + l4_len, conf->icrc_mode);
}

/* Write the RETH (InfiniBand 9.3.3): address in the peer's memory, key, length. */
static uint32_t
put_reth(const struct endpoint_qp *qp, const struct endpoint_message *m, uint8_t *reth)
{
	fcn_put_be32(reth, (uint32_t)(m->address >> 32));
	fcn_put_be32(reth + 4, (uint32_t)m->address);
	fcn_put_be32(reth + 8, qp->to.qp); /* no memory is registered, so any key will do */
	fcn_put_be32(reth + 12, (uint32_t)m->bytes);
	return ENDPOINT_RETH_LEN;
}

uint32_t
endpoint_data_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_data *data, uint8_t *buf)
{
	const struct endpoint_template *t = &qp->data;
	struct fcn_bth_hdr *bth = (struct fcn_bth_hdr *)(buf + t->l4_off + UDP_LEN);
	uint32_t padded = RTE_ALIGN_CEIL(data->payload, 4), len = t->len;

	memcpy(buf, t->headers, t->len);
	if (data->reth != NULL)
		len += put_reth(qp, data->reth, buf + len);
	memset(buf + len, 0, padded);
	len += padded + FCN_ICRC_LEN;
	bth->opcode = data->opcode;
	bth->ack_req = data->ack_req ? BTH_ACK_REQ : 0;
	put_be24(bth->psn, (uint32_t)data->psn);
	if (likely(data->payload == ep->conf.payload && data->reth == NULL)) {
		put_icrc(buf + len - FCN_ICRC_LEN, endpoint_icrc_zeros(ep, t->icrc, bth));
		return len;
	}
	bth->flags |= (uint8_t)((padded - data->payload) << BTH_PAD_SHIFT);
	put_lengths(buf, t->l4_off, len - t->l4_off);
	seal(ep, buf, t->l4_off, len);
	return len;
}

uint32_t
endpoint_ack_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp,
		const struct endpoint_ack *ack, uint8_t *buf)
{
	const bool trace = ack->echo && qp->echo_len > 0;
	uint32_t l4_off = EXT_OFF, len;
	struct fcn_bth_hdr *bth;
	uint8_t *aeth;

	put_ip(ep, qp, (uint8_t)(ack->dscp << 2), trace ? IPPROTO_DSTOPTS : IPPROTO_UDP, buf);
	if (trace)
		l4_off += put_trace(buf + l4_off, ep->conf.echo_type, qp->echo, qp->echo_len);
	put_bth(qp, ENDPOINT_OP_ACK, buf + l4_off);
	bth = (struct fcn_bth_hdr *)(buf + l4_off + UDP_LEN);
	put_be24(bth->psn, (uint32_t)ack->psn);
	aeth = (uint8_t *)(bth + 1);
	aeth[0] = ack->syndrome;
	put_be24(aeth + 1, ack->msn);
	bth->ack_req = ack->names;
	if (ack->echo && qp->ce_seen)
		bth->ecn |= FCN_BTH_BECN;
	len = l4_off + UDP_LEN + BTH_LEN + ENDPOINT_AETH_LEN + FCN_ICRC_LEN;
	put_lengths(buf, l4_off, len - l4_off);
	seal(ep, buf, l4_off, len);
	return len;
}

uint32_t
endpoint_cnp_build(const struct fcn_endpoint *ep, const struct endpoint_qp *qp, uint8_t *buf)
{
	struct fcn_cnp cnp = {
			.version = 6,
			.tclass = (uint8_t)(ep->conf.cnp_dscp << 2),
			.hop_limit = ep->conf.hop_limit,
			.src_port = qp->to.src_port,
			.p_key = qp->to.p_key,
			.dest_qp = qp->to.qp,
	};

	memcpy(cnp.src, ep->conf.addr, sizeof(cnp.src));
	memcpy(cnp.dst, qp->to.addr, sizeof(cnp.dst));
	put_ip(ep, qp, 0, 0, buf);
	return ETH_LEN +
	       fcn_cnp_build(&ep->crc, &cnp, buf + IP_OFF, FCN_ENDPOINT_MAX_FRAME - ETH_LEN);
}
