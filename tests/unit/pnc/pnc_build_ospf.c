/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "fletcher_write.h"
#include "ospf.h"
#include "pnc_build_out.h"

static bool
is_v2(const struct pnc_build *b)
{
	return b->protocol == FCN_PNC_OSPF;
}

/* The header of an LSA; its length and checksum are written when it is complete. */
static size_t
lsa_begin(const struct pnc_build *b, uint16_t type, uint8_t opaque_type, struct build_out *out)
{
	const size_t start = out->len;

	build_u16(out, b->seconds);
	/* OSPFv2: options with the O-bit, then the type. */
	build_u16(out, is_v2(b) ? 0x4200 | type : type);
	build_u32(out, (uint32_t)opaque_type << 24 | b->fragment);
	build_bytes(out, b->router_id, 4);
	build_u32(out, b->sequence);
	build_zeros(out, 4);
	return start;
}

static void
lsa_end(size_t start, struct build_out *out)
{
	uint8_t *lsa = out->data + start;

	if (!build_fits(out))
		return;
	fcn_put_be16(lsa + 18, (uint16_t)(out->len - start));
	fletcher_write(lsa + 2, out->len - start - 2, 14);
}

static void
tlv(struct build_out *out, uint16_t type, const void *value, uint16_t len)
{
	build_u16(out, type);
	build_u16(out, len);
	build_bytes(out, value, len);
	build_zeros(out, -len & 3);
}

static void
attributes(const struct pnc_build *b, const struct pnc_build_prefix *p, struct build_out *out)
{
	const uint16_t source_type = is_v2(b) ? OSPF2_SUB_SOURCE_ADDRESS : OSPF3_SUB_SOURCE_ADDRESS;
	uint8_t flags[4] = {0};

	if (p->is_proxied) {
		build_flag(b, flags);
		tlv(out, b->flags_sub_tlv, flags, sizeof(flags));
	}
	if (p->source.version != 0)
		tlv(out, source_type, p->source.bytes, p->source.version == 4 ? 4 : 16);
}

static void
prefix2(const struct pnc_build *b, const struct pnc_build_prefix *p, struct build_out *out)
{
	const size_t start = out->len;

	build_u16(out, OSPF2_TLV_PREFIX);
	build_u16(out, 0);
	build_u8(out, p->is_leaked ? OSPF2_ROUTE_INTER : OSPF2_ROUTE_INTRA);
	build_u8(out, p->prefix.len);
	build_u8(out, 0);
	build_u8(out, p->is_node ? OSPF2_PREFIX_NODE : 0);
	build_bytes(out, p->prefix.addr.bytes, 4);
	attributes(b, p, out);
	if (build_fits(out))
		fcn_put_be16(out->data + start + 2, (uint16_t)(out->len - start - 4));
}

static void
prefix3(const struct pnc_build *b, const struct pnc_build_prefix *p, struct build_out *out)
{
	const size_t start = out->len;

	build_u16(out, p->is_leaked ? OSPF3_TLV_INTER : OSPF3_TLV_INTRA);
	build_u16(out, 0);
	build_u32(out, p->metric);
	build_u8(out, p->prefix.len);
	build_u8(out, p->is_node ? OSPF3_OPTION_N : 0);
	build_zeros(out, 2);
	build_bytes(out, p->prefix.addr.bytes, (p->prefix.len + 31u) / 32 * 4);
	attributes(b, p, out);
	if (build_fits(out))
		fcn_put_be16(out->data + start + 2, (uint16_t)(out->len - start - 4));
}

static uint32_t
lsas2(const struct pnc_build *b, struct build_out *out)
{
	const struct fcn_addr *router = &b->router_address[0];
	uint32_t n = 0;
	size_t start;

	if (router->version != 0) {
		start = lsa_begin(b, OSPF2_OPAQUE_AREA, OSPF2_TE, out);
		tlv(out, OSPF2_TLV_ROUTER_ADDRESS, router->bytes, 4);
		lsa_end(start, out);
		n++;
	}
	start = lsa_begin(b, OSPF2_OPAQUE_AREA, OSPF2_EXTENDED_PREFIX, out);
	for (uint32_t i = 0; i < b->n_prefixes; i++)
		prefix2(b, &b->prefix[i], out);
	lsa_end(start, out);
	return n + 1;
}

/* Prefixes of the area and those of other areas are in LSAs of different types. */
static uint32_t
lsas3(const struct pnc_build *b, struct build_out *out)
{
	const struct fcn_addr *router = &b->router_address[1];
	uint32_t n = 0;
	size_t start;

	if (router->version != 0) {
		start = lsa_begin(b, OSPF3_SCOPE_AREA | 0x8000 | OSPF3_TE, 0, out);
		tlv(out, OSPF3_TLV_ROUTER_ADDRESS, router->bytes, 16);
		lsa_end(start, out);
		n++;
	}
	for (unsigned int leaked = 0; leaked < 2; leaked++) {
		bool any = false;

		for (uint32_t i = 0; i < b->n_prefixes; i++) {
			if (b->prefix[i].is_leaked != leaked)
				continue;
			if (!any) {
				start = lsa_begin(b,
						0x8000 | OSPF3_SCOPE_AREA |
								(leaked ? OSPF3_E_INTER
									: OSPF3_E_INTRA),
						0, out);
				if (!leaked) {
					/* What they are attached to: its router LSA. */
					build_u32(out, 0xA021);
					build_zeros(out, 4);
					build_bytes(out, b->router_id, 4);
				}
			}
			any = true;
			prefix3(b, &b->prefix[i], out);
		}
		if (any)
			lsa_end(start, out);
		n += any;
	}
	return n;
}

static int
finish2(const struct pnc_build *b, size_t start, struct build_out *out)
{
	uint8_t *packet = out->data + start;
	const size_t len = out->len - start;
	uint8_t digest[FCN_PNC_MAX_DIGEST], copy[PNC_MAX_MESSAGE];
	uint32_t sum;

	if (b->key != NULL && b->key->algorithm != FCN_PNC_AUTH_PASSWORD) {
		fcn_put_be16(packet + 14, OSPF_AUTH_CRYPTO);
		packet[18] = (uint8_t)b->key->id;
		packet[19] = (uint8_t)pnc_digest_len(b->key->algorithm);
		fcn_put_be32(packet + 20, b->sequence);
		memcpy(copy, packet, len);
		if (!ospf2_digest(b->key, copy, len, digest))
			return -EINVAL;
		build_bytes(out, digest, pnc_digest_len(b->key->algorithm));
		return build_fits(out) ? 0 : -ENOSPC;
	}
	if (b->key != NULL) {
		fcn_put_be16(packet + 14, OSPF_AUTH_PASSWORD);
		memcpy(packet + 16, b->key->secret, b->key->len);
	}
	sum = (uint16_t)~ospf_checksum(0, packet, 16);
	fcn_put_be16(packet + 12, ospf_checksum(sum, packet + OSPF2_HEADER, len - OSPF2_HEADER));
	return 0;
}

static int
finish3(const struct pnc_build *b, size_t start, struct build_out *out)
{
	uint8_t *packet = out->data + start;
	const size_t len = out->len - start;
	uint8_t pseudo[40] = {0}, digest[FCN_PNC_MAX_DIGEST];

	if (b->key == NULL) {
		memcpy(pseudo, packet - 32, 32);
		fcn_put_be32(pseudo + 32, (uint32_t)len);
		pseudo[39] = 89;
		fcn_put_be16(packet + 12,
				ospf_checksum((uint16_t)~ospf_checksum(0, pseudo, sizeof(pseudo)),
						packet, len));
		return 0;
	}
	build_u16(out, 1);
	build_u16(out, (uint16_t)(OSPF3_TRAILER + pnc_digest_len(b->key->algorithm)));
	build_u16(out, 0);
	build_u16(out, b->key->id);
	build_u32(out, 0);
	build_u32(out, b->sequence);
	build_zeros(out, pnc_digest_len(b->key->algorithm));
	if (!build_fits(out))
		return -ENOSPC;
	if (!ospf3_digest(b->key, packet, out->len - start, packet - 32, false, digest))
		return -EINVAL;
	memcpy(out->data + out->len - pnc_digest_len(b->key->algorithm), digest,
			pnc_digest_len(b->key->algorithm));
	return 0;
}

static bool
is_possible(const struct pnc_build *b)
{
	const unsigned int version = is_v2(b) || b->instance >= 64 ? 4 : 6;

	for (uint32_t i = 0; i < b->n_prefixes; i++)
		if (b->prefix[i].prefix.addr.version != version)
			return false;
	return true;
}

int
build_ospf(const struct pnc_build *b, struct build_out *out)
{
	const size_t start = out->len;
	uint32_t n;

	if (!is_possible(b))
		return -EINVAL;
	build_u8(out, is_v2(b) ? 2 : 3);
	build_u8(out, OSPF_TYPE_UPDATE);
	build_u16(out, 0);
	build_bytes(out, b->router_id, 4);
	build_bytes(out, b->area, 4);
	build_zeros(out, 2);
	if (is_v2(b)) {
		build_zeros(out, 10);
	} else {
		build_u8(out, b->instance);
		build_u8(out, 0);
	}
	build_u32(out, 0);
	n = is_v2(b) ? lsas2(b, out) : lsas3(b, out);
	if (!build_fits(out))
		return -ENOSPC;
	fcn_put_be16(out->data + start + 2, (uint16_t)(out->len - start));
	fcn_put_be32(out->data + start + (is_v2(b) ? OSPF2_HEADER : OSPF3_HEADER), n);
	return is_v2(b) ? finish2(b, start, out) : finish3(b, start, out);
}
