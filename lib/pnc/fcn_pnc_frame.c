/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_inet.h"
#include "fcn_names.h"
#include "fcn_pnc_frame.h"
#include "ospf.h"

#define TYPE_OFFSET 12
#define MAX_TAGS 2
#define LOWEST_TYPE 0x600 /* below it is a length */
#define LLC_JUMBO 0x8870  /* LLC in a frame that is too long for a length */
#define IPPROTO_OSPF 89

FCN_NAME_FUNCTION(fcn_pnc_frame_name, enum fcn_pnc_frame, FCN_PNC_FRAMES(FCN_ITEM_WORD))
FCN_NAME_FUNCTION(fcn_pnc_frame_text, enum fcn_pnc_frame, FCN_PNC_FRAMES(FCN_ITEM_TEXT))

static bool
is_tag(uint16_t type)
{
	return type == RTE_ETHER_TYPE_VLAN || type == RTE_ETHER_TYPE_QINQ;
}

static bool
is_from_link(uint8_t ttl)
{
	return ttl == 1 || ttl == 255;
}

static enum fcn_pnc_frame
read_llc(struct fcn_pnc_readers *r, const uint8_t *llc, size_t len, uint64_t now_ns)
{
	if (len < 3)
		return FCN_PNC_FRAME_TRUNCATED;
	if (llc[0] != 0xFE || llc[1] != 0xFE || llc[2] != 0x03)
		return FCN_PNC_FRAME_OTHER;
	if (r->isis == NULL)
		return FCN_PNC_FRAME_OFF;
	fcn_pnc_isis_input(r->isis, llc + 3, len - 3, now_ns);
	return FCN_PNC_FRAME_ISIS;
}

static enum fcn_pnc_frame
read_ip4(struct fcn_pnc_readers *r, uint32_t link, const uint8_t *ip, size_t len, uint64_t now_ns)
{
	size_t header, total;

	if (len < FCN_IP4_LEN)
		return FCN_PNC_FRAME_TRUNCATED;
	if (ip[9] != IPPROTO_OSPF)
		return FCN_PNC_FRAME_OTHER;
	if (r->ospf == NULL)
		return FCN_PNC_FRAME_OFF;
	header = (ip[0] & 0xFu) * 4;
	total = fcn_get_be16(ip + 2);
	if (ip[0] >> 4 != 4 || header < FCN_IP4_LEN || total < header)
		return FCN_PNC_FRAME_IP_HEADER;
	if (total > len)
		return FCN_PNC_FRAME_TRUNCATED;
	if (ospf_checksum(0, ip, header) != 0)
		return FCN_PNC_FRAME_IP_CHECKSUM;
	if ((fcn_get_be16(ip + 6) & 0x3FFF) != 0)
		return FCN_PNC_FRAME_FRAGMENT;
	if (!is_from_link(ip[8]))
		return FCN_PNC_FRAME_DISTANT;
	fcn_pnc_ospf_input(r->ospf, link, ip + header, total - header, now_ns);
	return FCN_PNC_FRAME_OSPF;
}

static enum fcn_pnc_frame
read_ip6(struct fcn_pnc_readers *r, uint32_t link, const uint8_t *ip, size_t len, uint64_t now_ns)
{
	size_t payload;

	if (len < FCN_IP6_LEN)
		return FCN_PNC_FRAME_TRUNCATED;
	if (ip[6] != IPPROTO_OSPF)
		return FCN_PNC_FRAME_OTHER;
	if (r->ospf3 == NULL)
		return FCN_PNC_FRAME_OFF;
	if (ip[0] >> 4 != 6)
		return FCN_PNC_FRAME_IP_HEADER;
	payload = fcn_get_be16(ip + 4);
	if (payload > len - FCN_IP6_LEN)
		return FCN_PNC_FRAME_TRUNCATED;
	if (!fcn_ip6_is_link_local(ip + 8))
		return FCN_PNC_FRAME_DISTANT;
	fcn_pnc_ospf3_input(r->ospf3, link, ip, ip + FCN_IP6_LEN, payload, now_ns);
	return FCN_PNC_FRAME_OSPF3;
}

static enum fcn_pnc_frame
read_frame(struct fcn_pnc_readers *r, uint32_t link, const uint8_t *frame, size_t len,
		uint64_t now_ns)
{
	size_t at = TYPE_OFFSET;
	uint16_t type;

	for (unsigned int tags = 0;; tags++, at += RTE_VLAN_HLEN) {
		if (len < at + 2)
			return FCN_PNC_FRAME_TRUNCATED;
		type = fcn_get_be16(frame + at);
		if (!is_tag(type) || tags == MAX_TAGS)
			break;
	}
	at += 2;
	frame += at;
	len -= at;
	if (type < LOWEST_TYPE)
		return type > len ? FCN_PNC_FRAME_TRUNCATED : read_llc(r, frame, type, now_ns);
	switch (type) {
	case LLC_JUMBO:
		return read_llc(r, frame, len, now_ns);
	case RTE_ETHER_TYPE_IPV4:
		return read_ip4(r, link, frame, len, now_ns);
	case RTE_ETHER_TYPE_IPV6:
		return read_ip6(r, link, frame, len, now_ns);
	default:
		return FCN_PNC_FRAME_OTHER;
	}
}

enum fcn_pnc_frame
fcn_pnc_frame_input(struct fcn_pnc_readers *readers, uint32_t link, const uint8_t *frame,
		size_t len, uint64_t now_ns)
{
	const enum fcn_pnc_frame what = read_frame(readers, link, frame, len, now_ns);

	readers->count[what]++;
	return what;
}

uint64_t
fcn_pnc_frame_tick(struct fcn_pnc_readers *readers, uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, when;

	if (readers->isis != NULL)
		next = fcn_pnc_isis_tick(readers->isis, now_ns);
	if (readers->ospf != NULL) {
		when = fcn_pnc_ospf_tick(readers->ospf, now_ns);
		next = RTE_MIN(next, when);
	}
	if (readers->ospf3 != NULL) {
		when = fcn_pnc_ospf3_tick(readers->ospf3, now_ns);
		next = RTE_MIN(next, when);
	}
	return next;
}
