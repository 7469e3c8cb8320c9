/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Most packets of a run are full and contain zeros, and those of one queue pair differ in five
 * octets of the BTH. A CRC is linear: each of these octets changes the ICRC by a value that depends
 * only on the octet and its distance from the end. The ICRC of such a packet therefore takes five
 * table look-ups, both when it is built and when it is checked. All other packets use fcn_icrc(),
 * and so does a packet for which the fast check fails.
 */

#include <string.h>

#include <rte_branch_prediction.h>

#include "endpoint_state.h"
#include "fcn_icrc.h"
#include "fcn_inet.h"
#include "fcn_udp.h"

#define BTH_LEN 12u
#define UDP_LEN 8u
/* Without the opcode and the octet that the ICRC masks. */
#define BTH_MASK UINT64_C(0x00FFFFFF00FFFFFF)

/* Offsets in the BTH of the octets in struct endpoint_icrc_table. */
static const uint8_t bth_off[ENDPOINT_ICRC_OCTETS] = {0, 8, 9, 10, 11};

void
endpoint_icrc_table_make(struct fcn_endpoint *ep)
{
	for (unsigned int i = 0; i < ENDPOINT_ICRC_OCTETS; i++) {
		uint32_t *octet = ep->icrc.octet[i];
		uint32_t behind = BTH_LEN - 1 - bth_off[i] + ep->conf.payload;

		octet[0] = 0;
		for (unsigned int v = 1; v < 256; v++) {
			uint8_t bit = (uint8_t)(v & -v);

			/* The XOR of the values of its bits. */
			octet[v] = v != bit ? octet[v ^ bit] ^ octet[bit]
					    : fcn_crc32_shift(fcn_crc32_update(0, &bit, 1), behind);
		}
	}
}

uint32_t
endpoint_icrc_zeros(const struct fcn_endpoint *ep, uint32_t base, const struct fcn_bth_hdr *bth)
{
	const uint32_t(*octet)[256] = ep->icrc.octet;

	return base ^ octet[0][bth->opcode] ^ octet[1][bth->ack_req] ^ octet[2][bth->psn[0]] ^
	       octet[3][bth->psn[1]] ^ octet[4][bth->psn[2]];
}

static uint64_t
load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* All octets are zero if the first one is, and each equals the one before it. */
static bool
is_zero(const uint8_t *p, uint32_t len)
{
	return p[0] == 0 && memcmp(p, p + 1, len - 1) == 0;
}

static uint32_t
icrc_of(const uint8_t *end)
{
	return (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 |
	       (uint32_t)end[-1] << 24;
}

bool
endpoint_icrc_ok(const struct fcn_endpoint *ep, struct endpoint_qp *qp, const uint8_t *ip,
		uint32_t l4, uint32_t len)
{
	const uint8_t *udp = ip + l4, *bth = udp + UDP_LEN;
	const uint32_t icrc = icrc_of(ip + len);
	struct endpoint_seen now = {.known = true};

	/*
	 * Packets with extension headers that the ICRC covers, or with a UDP checksum, use the full
	 * check.
	 */
	if (qp == NULL || len - l4 != UDP_LEN + BTH_LEN + ep->conf.payload + FCN_ICRC_LEN ||
			(ep->conf.icrc_mode == FCN_ICRC_COVER && l4 != FCN_IP6_LEN) ||
			fcn_get_be16(udp + 6) != 0 || !is_zero(bth + BTH_LEN, ep->conf.payload))
		goto any;
	now.length = fcn_get_be32(ip + 4) >> 8;
	now.udp = load64(udp);
	now.bth = rte_be_to_cpu_64(load64(bth)) & BTH_MASK;
	if (likely(qp->seen.known && qp->seen.length == now.length && qp->seen.udp == now.udp &&
			    qp->seen.bth == now.bth &&
			    endpoint_icrc_zeros(ep, qp->seen.icrc, (const void *)bth) == icrc))
		return true;
	if (!fcn_icrc_ok(&ep->crc, ip, l4, len, ep->conf.icrc_mode))
		return false;
	now.icrc = endpoint_icrc_zeros(ep, icrc, (const void *)bth);
	qp->seen = now;
	return true;
any:
	if (fcn_get_be16(udp + 6) != 0 && !fcn_udp_checksum_ok(ip + 8, ip + 24, 16, udp, len - l4))
		return false;
	return fcn_icrc_ok(&ep->crc, ip, l4, len, ep->conf.icrc_mode);
}
