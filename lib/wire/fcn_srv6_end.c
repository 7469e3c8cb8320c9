/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <netinet/in.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "fcn_inet.h"
#include "fcn_srv6_end.h"

#define IP6_PLEN_OFF 4
#define IP6_HOP_LIMIT_OFF 7
#define IP6_DST_OFF 24

enum fcn_srv6_error
fcn_srv6_end(uint8_t *ip, struct fcn_srv6_headers *h)
{
	uint8_t *srh = ip + h->srh_off;
	enum fcn_srv6_error error;

	if (ip[IP6_HOP_LIMIT_OFF] <= 1)
		return FCN_SRV6_HOP_LIMIT;
	error = fcn_srh_check_list(srh);
	if (error != FCN_SRV6_OK) {
		h->pointer = h->srh_off + FCN_SRH_SEGMENTS_LEFT_OFF;
		return error;
	}
	ip[IP6_HOP_LIMIT_OFF]--;
	h->segments_left = --srh[FCN_SRH_SEGMENTS_LEFT_OFF];
	memcpy(ip + IP6_DST_OFF, fcn_srh_segment(srh, h->segments_left), FCN_SRH_SEGMENT_LEN);
	return FCN_SRV6_OK;
}

uint32_t
fcn_srv6_remove_srh(uint8_t *data, uint32_t l3_off, struct fcn_srv6_headers *h)
{
	const uint32_t removed = h->srh_len;
	uint8_t *ip = data + l3_off;

	ip[h->next_header_off] = ip[h->srh_off + FCN_SRH_NEXT_HEADER_OFF];
	fcn_put_be16(ip + IP6_PLEN_OFF, (uint16_t)(fcn_get_be16(ip + IP6_PLEN_OFF) - removed));
	memmove(data + removed, data, l3_off + h->srh_off);
	if (h->upper_off != 0)
		h->upper_off -= (uint16_t)removed;
	h->srh_off = 0;
	h->srh_len = 0;
	h->next_header_off = 0;
	h->segments_left = 0;
	return removed;
}

static bool
inner6_ok(const uint8_t *inner, uint32_t len)
{
	return len >= FCN_IP6_LEN && inner[0] >> 4 == 6 &&
	       fcn_get_be16(inner + IP6_PLEN_OFF) <= len - FCN_IP6_LEN;
}

static bool
inner4_ok(const uint8_t *inner, uint32_t len)
{
	uint32_t header_len, total_len;

	if (len < FCN_IP4_LEN || inner[0] >> 4 != 4)
		return false;
	header_len = (inner[0] & 0xFu) * 4;
	total_len = fcn_get_be16(inner + 2);
	return header_len >= FCN_IP4_LEN && total_len >= header_len && total_len <= len;
}

enum fcn_srv6_error
fcn_srv6_decaps_check(
		const uint8_t *ip, uint32_t len, unsigned int inner, struct fcn_srv6_headers *h)
{
	bool ok;

	if (h->segments_left != 0) {
		h->pointer = h->srh_off + FCN_SRH_SEGMENTS_LEFT_OFF;
		return FCN_SRV6_SEGMENTS_LEFT;
	}
	len = RTE_MIN(len, FCN_IP6_LEN + (uint32_t)fcn_get_be16(ip + IP6_PLEN_OFF));
	if (h->upper_proto == IPPROTO_IPV6 && inner & FCN_SRV6_INNER_IPV6) {
		ok = inner6_ok(ip + h->upper_off, len - h->upper_off);
	} else if (h->upper_proto == IPPROTO_IPIP && inner & FCN_SRV6_INNER_IPV4) {
		ok = inner4_ok(ip + h->upper_off, len - h->upper_off);
	} else {
		h->pointer = h->upper_off;
		return FCN_SRV6_UPPER_LAYER;
	}
	return ok ? FCN_SRV6_OK : FCN_SRV6_INNER_HEADER;
}

/* An address as two numbers: bits 0 to 63, and 64 to 127. */
struct address_bits {
	uint64_t high, low;
};

static struct address_bits
load(const uint8_t *p)
{
	uint64_t word[2];

	memcpy(word, p, sizeof(word));
	return (struct address_bits){rte_be_to_cpu_64(word[0]), rte_be_to_cpu_64(word[1])};
}

/* Ones in the first n bits, n from 0 to 127. */
static struct address_bits
prefix_mask(unsigned int n)
{
	if (n == 0)
		return (struct address_bits){0, 0};
	if (n <= 64)
		return (struct address_bits){UINT64_MAX << (64 - n), 0};
	return (struct address_bits){UINT64_MAX, UINT64_MAX << (128 - n)};
}

/* n from 1 to 127 */
static struct address_bits
shift_left(struct address_bits a, unsigned int n)
{
	if (n >= 64)
		return (struct address_bits){a.low << (n - 64), 0};
	return (struct address_bits){a.high << n | a.low >> (64 - n), a.low << n};
}

bool
fcn_srv6_csid_has_argument(const uint8_t dst[16], const struct fcn_srv6_csid *csid)
{
	struct address_bits a = load(dst);
	struct address_bits sid = prefix_mask(csid->block_bits + csid->node_function_bits);

	return (a.high & ~sid.high) != 0 || (a.low & ~sid.low) != 0;
}

enum fcn_srv6_error
fcn_srv6_csid_next(uint8_t *ip, const struct fcn_srv6_csid *csid)
{
	struct address_bits a = load(ip + IP6_DST_OFF), block = prefix_mask(csid->block_bits);
	struct address_bits next = shift_left(a, csid->node_function_bits);
	uint64_t word[2];

	if (ip[IP6_HOP_LIMIT_OFF] <= 1)
		return FCN_SRV6_HOP_LIMIT;
	ip[IP6_HOP_LIMIT_OFF]--;
	word[0] = rte_cpu_to_be_64((a.high & block.high) | (next.high & ~block.high));
	word[1] = rte_cpu_to_be_64((a.low & block.low) | (next.low & ~block.low));
	memcpy(ip + IP6_DST_OFF, word, sizeof(word));
	return FCN_SRV6_OK;
}
