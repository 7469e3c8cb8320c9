/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "ospf.h"
#include "pnc_build_out.h"

#define MAX_FRAME 1514

static void
ethernet(const struct pnc_build *b, struct build_out *out)
{
	static const uint8_t all_ospf4[] = {0x01, 0x00, 0x5E, 0, 0, 5};
	static const uint8_t all_ospf6[] = {0x33, 0x33, 0, 0, 0, 5};
	uint8_t all_is[] = {0x01, 0x80, 0xC2, 0, 0, (uint8_t)(b->level == 1 ? 0x14 : 0x15)};

	switch (b->protocol) {
	case FCN_PNC_ISIS:
		build_bytes(out, all_is, 6);
		break;
	case FCN_PNC_OSPF:
		build_bytes(out, all_ospf4, 6);
		break;
	default:
		build_bytes(out, all_ospf6, 6);
		break;
	}
	build_bytes(out, b->mac, 6);
}

static void
ip4(const struct pnc_build *b, struct build_out *out)
{
	build_u16(out, RTE_ETHER_TYPE_IPV4);
	build_u16(out, 0x45 << 8 | FCN_CONTROL_TCLASS);
	build_zeros(out, 6);
	build_u16(out, 1 << 8 | 89);
	build_zeros(out, 2);
	build_bytes(out, b->link_address.bytes, 4);
	build_u32(out, 0xE0000005);
}

static void
ip6(const struct pnc_build *b, struct build_out *out)
{
	build_u16(out, RTE_ETHER_TYPE_IPV6);
	build_u32(out, 6u << 28 | FCN_CONTROL_TCLASS << 20);
	build_zeros(out, 2);
	build_u16(out, 89 << 8 | 1);
	build_bytes(out, b->link_address.bytes, 16);
	build_u16(out, 0xFF02);
	build_zeros(out, 13);
	build_u8(out, 5);
}

/* Lengths and checksum of the headers in front of a message that is complete. */
static void
finish(const struct pnc_build *b, struct build_out *out)
{
	uint8_t *l3 = out->data + RTE_ETHER_HDR_LEN;
	const uint16_t len = (uint16_t)(out->len - RTE_ETHER_HDR_LEN);

	if (b->protocol == FCN_PNC_ISIS) {
		fcn_put_be16(l3 - 2, len);
	} else if (b->protocol == FCN_PNC_OSPF) {
		fcn_put_be16(l3 + 2, len);
		fcn_put_be16(l3 + 10, ospf_checksum(0, l3, FCN_IP4_LEN));
	} else {
		fcn_put_be16(l3 + 4, (uint16_t)(len - FCN_IP6_LEN));
	}
}

int
pnc_build(const struct pnc_build *b, uint8_t *frame, size_t size)
{
	struct build_out out = {.data = frame, .size = size < MAX_FRAME ? size : MAX_FRAME};
	struct fcn_pnc_auth auth = {.n = b->key != NULL};
	int ret;

	if (b->key != NULL)
		auth.key[0] = *b->key;
	if (fcn_pnc_auth_why_not(&auth, b->protocol) != NULL)
		return -EINVAL;
	ethernet(b, &out);
	if (b->protocol == FCN_PNC_ISIS) {
		build_u16(&out, 0);
		build_u16(&out, 0xFEFE);
		build_u8(&out, 0x03);
		ret = build_isis(b, &out);
	} else if (b->protocol == FCN_PNC_OSPF) {
		ip4(b, &out);
		ret = build_ospf(b, &out);
	} else {
		ip6(b, &out);
		ret = build_ospf(b, &out);
	}
	if (ret != 0)
		return ret;
	finish(b, &out);
	return (int)out.len;
}
