/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <netinet/in.h>

#include <rte_byteorder.h>

#include "fcn_cnp.h"
#include "fcn_cnp_l4.h"
#include "fcn_icrc.h"
#include "fcn_udp.h"

#define IPV4_LEN 20
#define IPV6_LEN 40
#define IPV4_FLAG_DF 0x40

static uint32_t
build_ip(const struct fcn_cnp *cnp, uint8_t *p)
{
	uint16_t sum;

	if (cnp->version == 4) {
		memset(p, 0, IPV4_LEN);
		p[0] = 0x45;
		p[1] = cnp->tclass;
		p[3] = IPV4_LEN + FCN_CNP_UDP_LEN;
		p[6] = IPV4_FLAG_DF;
		p[8] = cnp->hop_limit;
		p[9] = IPPROTO_UDP;
		memcpy(p + 12, cnp->src, 4);
		memcpy(p + 16, cnp->dst, 4);
		sum = (uint16_t)~rte_raw_cksum(p, IPV4_LEN);
		memcpy(p + 10, &sum, sizeof(sum));
		return IPV4_LEN;
	}
	p[0] = 0x60 | cnp->tclass >> 4;
	p[1] = (uint8_t)(cnp->tclass << 4);
	p[2] = 0;
	p[3] = 0;
	p[4] = 0;
	p[5] = FCN_CNP_UDP_LEN;
	p[6] = IPPROTO_UDP;
	p[7] = cnp->hop_limit;
	memcpy(p + 8, cnp->src, 16);
	memcpy(p + 24, cnp->dst, 16);
	return IPV6_LEN;
}

uint32_t
fcn_cnp_build(const struct fcn_crc32 *crc, const struct fcn_cnp *cnp, uint8_t *buf, uint32_t room)
{
	uint32_t ip_len = cnp->version == 4 ? IPV4_LEN : IPV6_LEN;
	uint32_t len = ip_len + FCN_CNP_UDP_LEN;
	uint8_t *udp = buf + ip_len;
	rte_le32_t icrc;
	uint16_t sum;

	if (room < len)
		return 0;
	build_ip(cnp, buf);
	fcn_cnp_l4_init(udp);
	fcn_cnp_l4_patch(udp, cnp->src_port, cnp->p_key, cnp->dest_qp);
	icrc = rte_cpu_to_le_32(fcn_icrc(crc, buf, ip_len, len, FCN_ICRC_SKIP));
	memcpy(buf + len - FCN_ICRC_LEN, &icrc, sizeof(icrc));
	sum = fcn_udp_checksum(
			cnp->src, cnp->dst, cnp->version == 4 ? 4 : 16, udp, FCN_CNP_UDP_LEN);
	memcpy(udp + FCN_UDP_CKSUM_OFF, &sum, sizeof(sum));
	return len;
}

void
fcn_cnp_read(const uint8_t *data, const struct fcn_wire_info *info, struct fcn_cnp *cnp)
{
	const uint8_t *ip = data + info->inner_l3_off;

	memset(cnp, 0, sizeof(*cnp));
	if (info->flags & FCN_PKT_INNER_IPV4) {
		cnp->version = 4;
		cnp->tclass = ip[1];
		cnp->hop_limit = ip[8];
		memcpy(cnp->src, ip + 12, 4);
		memcpy(cnp->dst, ip + 16, 4);
	} else {
		cnp->version = 6;
		cnp->tclass = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
		cnp->hop_limit = ip[7];
		memcpy(cnp->src, ip + 8, 16);
		memcpy(cnp->dst, data + info->final_dst_off, 16);
	}
	cnp->src_port = info->src_port;
	cnp->p_key = info->p_key;
	cnp->dest_qp = info->dest_qp;
}

enum fcn_wire_error
fcn_cnp_parse(const struct fcn_crc32 *crc, const uint8_t *data, const struct fcn_wire_info *info,
		struct fcn_cnp *cnp)
{
	const uint8_t *ip = data + info->inner_l3_off, *udp = data + info->l4_off;
	uint32_t l4 = info->l4_off - info->inner_l3_off;
	uint32_t addr_len;

	if (!(info->flags & FCN_PKT_ROCE))
		return info->error != FCN_WIRE_OK ? info->error : FCN_WIRE_NOT_CNP;
	if (info->opcode != FCN_BTH_OPCODE_CNP || info->flags & FCN_PKT_FASTCNP)
		return FCN_WIRE_NOT_CNP;
	if (!fcn_icrc_ok(crc, ip, l4, l4 + FCN_CNP_UDP_LEN, FCN_ICRC_SKIP))
		return FCN_WIRE_ICRC;
	fcn_cnp_read(data, info, cnp);
	addr_len = cnp->version == 4 ? 4 : 16;
	/* Adapters send CNPs without a checksum, over IPv6 too. */
	if ((udp[FCN_UDP_CKSUM_OFF] | udp[FCN_UDP_CKSUM_OFF + 1]) != 0 &&
			!fcn_udp_checksum_ok(cnp->src, cnp->dst, addr_len, udp, FCN_CNP_UDP_LEN))
		return FCN_WIRE_UDP_CHECKSUM;
	return FCN_WIRE_OK;
}
