/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: packets to SIDs. The first three octets say how: what the SID does, and the
 * lengths of locator block, node and function. The others are the packet from the IPv6 header on.
 */

#include <rte_common.h>

#include "fcn_inet.h"
#include "fcn_srh.h"
#include "fcn_srv6_end.h"
#include "fcn_tunnel_ecn.h"
#include "fuzz.h"

#define FIX_LENGTH 0x80 /* the Payload Length is that of the packet */
#define ETHER_LEN 14

static void
fuzz_srh(const uint8_t *data, uint32_t len)
{
	static const uint8_t dst[16] = {0x20, 1};
	uint8_t *p = fuzz_exact(data, len);
	struct fcn_srh_tlvs tlvs;
	struct fcn_srh srh;

	if (fcn_srh_parse(p, len, &srh) == FCN_SRV6_OK) {
		require(srh.len <= len && srh.tlv_off <= srh.len && srh.len % 8 == 0);
		require(srh.segments_left <= srh.last_entry + 1);
		if (fcn_srh_parse_tlvs(p, &srh, dst, &tlvs) != FCN_SRV6_OK)
			require(tlvs.error_off >= srh.tlv_off && tlvs.error_off < srh.len);
		if (tlvs.hmac_off != 0)
			require(tlvs.hmac_off + 8u + tlvs.hmac_len <= srh.len);
	}
	free(p);
}

static void
fuzz_csid(const uint8_t *data, uint32_t len, uint8_t block, uint8_t node_function)
{
	struct fcn_srv6_csid csid = {block, node_function};
	uint8_t *ip = fuzz_exact(data, len);
	unsigned int steps = 0;

	if (len >= FCN_IP6_LEN && fcn_srv6_csid_is_valid(block, node_function)) {
		while (fcn_srv6_csid_has_argument(ip + 24, &csid) && ip[7] > 1) {
			require(fcn_srv6_csid_next(ip, &csid) == FCN_SRV6_OK);
			/* The argument becomes shorter with each step. */
			require(++steps <= 128u / node_function + 1);
		}
	}
	free(ip);
}

/* A node with the IPv6 header somewhere behind the frame's beginning. */
static void
fuzz_node(const uint8_t *data, uint32_t len, uint8_t how)
{
	uint8_t *frame = malloc(ETHER_LEN + len), *ip = frame + ETHER_LEN;
	struct fcn_srv6_headers h, again;
	struct fcn_icmp6_error icmp;
	enum fcn_srv6_error error;
	uint32_t cut;

	require(frame != NULL);
	memset(frame, 0xEE, ETHER_LEN);
	if (len != 0)
		memcpy(ip, data, len);
	if (how & FIX_LENGTH && len >= FCN_IP6_LEN && len - FCN_IP6_LEN <= UINT16_MAX)
		fcn_put_be16(ip + 4, (uint16_t)(len - FCN_IP6_LEN));
	error = fcn_srv6_headers_find(ip, len, &h);
	require(h.pointer == 0 || h.pointer < len);
	if (error != FCN_SRV6_OK)
		goto out;
	require(h.upper_off <= len && h.srh_off + h.srh_len <= len);
	require((h.upper_off == 0) == (h.segments_left != 0));
	if (h.segments_left != 0) {
		error = fcn_srv6_end(ip, &h);
		if (error != FCN_SRV6_OK)
			goto out;
		require(fcn_srv6_headers_find(ip, len, &h) == FCN_SRV6_OK || h.srh_off != 0);
	}
	if (h.srh_off != 0 && h.upper_off != 0 && how & 1) {
		cut = fcn_srv6_remove_srh(frame, ETHER_LEN, &h);
		require(cut >= 8 && cut < len && frame[cut] == 0xEE);
		/* What was no first header may be one now, so that more can be found than before.
		 */
		fcn_srv6_headers_find(ip + cut, len - cut, &again);
		ip += cut;
		len -= cut;
	}
	error = fcn_srv6_decaps_check(ip, len, how & 3, &h);
	if (error == FCN_SRV6_OK) {
		require(h.upper_off + 20u <= len);
		fcn_tunnel_ecn_decaps(ip + h.upper_off, ip[1] >> 4);
	}
out:
	require(h.pointer == 0 || h.pointer <= len);
	if (fcn_srv6_icmp_error(error, h.pointer, &icmp))
		require(error != FCN_SRV6_OK && icmp.type >= 3);
	free(frame);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t len = (uint32_t)size;

	if (len < 3)
		return 0;
	len -= 3;
	fuzz_srh(data + 3, len);
	fuzz_csid(data + 3, len, data[1], data[2]);
	fuzz_node(data + 3, len, data[0]);
	return 0;
}
