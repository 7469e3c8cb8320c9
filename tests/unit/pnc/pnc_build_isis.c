/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "digest.h"
#include "fletcher_write.h"
#include "isis.h"
#include "pnc_build_out.h"

#define MAX_TLV 255
#define MAX_ENTRY (6 + 16 + 1 + 2 + 4 + 2 + 16)

/* Octets of the value before the digest: the type and, for that of RFC 5310, the key ID. */
static size_t
before_digest(const struct fcn_pnc_key *key)
{
	return key->algorithm > FCN_PNC_AUTH_MD5 ? 3 : 1;
}

size_t
pnc_isis_auth_len(const struct fcn_pnc_key *key)
{
	if (key->algorithm == FCN_PNC_AUTH_PASSWORD)
		return 3 + (size_t)key->len;
	return 2 + before_digest(key) + pnc_digest_len(key->algorithm);
}

bool
pnc_isis_auth_write(const struct fcn_pnc_key *key, uint8_t *lsp, size_t len, size_t at)
{
	uint8_t *field = lsp + at + 2 + before_digest(key), out[FCN_PNC_MAX_DIGEST];
	const size_t digest_len = pnc_digest_len(key->algorithm);

	lsp[at] = ISIS_TLV_AUTH;
	lsp[at + 1] = (uint8_t)(pnc_isis_auth_len(key) - 2);
	switch (key->algorithm) {
	case FCN_PNC_AUTH_PASSWORD:
		lsp[at + 2] = ISIS_AUTH_PASSWORD;
		memcpy(field, key->secret, key->len);
		return true;
	case FCN_PNC_AUTH_MD5:
		lsp[at + 2] = ISIS_AUTH_MD5;
		memset(field, 0, digest_len);
		if (!pnc_hmac(key->algorithm, key->secret, key->len, lsp, len, out))
			return false;
		break;
	default:
		lsp[at + 2] = ISIS_AUTH_GENERIC;
		fcn_put_be16(lsp + at + 3, key->id);
		pnc_auth_pad(field, digest_len);
		if (!pnc_auth_hmac(key, NULL, 0, lsp, len, out))
			return false;
		break;
	}
	memcpy(field, out, digest_len);
	return true;
}

static void
router_id(struct build_out *out, uint8_t type, const struct fcn_addr *addr)
{
	const uint8_t len = addr->version == 4 ? 4 : 16;

	if (addr->version == 0)
		return;
	build_u8(out, type);
	build_u8(out, len);
	build_bytes(out, addr->bytes, len);
}

/* The sub-TLVs of a prefix, with their length in front. */
static void
sub_tlvs(const struct pnc_build *b, const struct pnc_build_prefix *p, struct build_out *out)
{
	const uint8_t flags_len = (uint8_t)(1 + (p->is_proxied ? b->flag_bit / 8 & 3 : 0));
	const uint8_t source_len = p->source.version == 4 ? 4 : 16;
	uint8_t flags[4] = {0};

	if (p->is_node)
		flags[0] |= ISIS_FLAG_NODE;
	if (p->is_leaked)
		flags[0] |= ISIS_FLAG_READVERTISED;
	if (p->is_proxied)
		build_flag(b, flags);
	build_u8(out, (uint8_t)(2 + flags_len + (p->source.version == 0 ? 0 : 2 + source_len)));
	build_u8(out, b->flags_sub_tlv);
	build_u8(out, flags_len);
	build_bytes(out, flags, flags_len);
	if (p->source.version == 0)
		return;
	build_u8(out, p->source.version == 4 ? ISIS_SUB_SOURCE4 : ISIS_SUB_SOURCE6);
	build_u8(out, source_len);
	build_bytes(out, p->source.bytes, source_len);
}

static void
entry(const struct pnc_build *b, const struct pnc_build_prefix *p, struct build_out *out)
{
	const uint8_t down = p->is_leaked ? 0x80 : 0;

	build_u32(out, p->metric);
	if (p->prefix.addr.version == 4) {
		build_u8(out, (uint8_t)(down | 0x40 | p->prefix.len));
	} else {
		build_u8(out, down | 0x20);
		build_u8(out, p->prefix.len);
	}
	build_bytes(out, p->prefix.addr.bytes, (p->prefix.len + 7u) / 8);
	sub_tlvs(b, p, out);
}

/* The prefixes of an IP version, in as many TLVs as it takes. */
static void
prefixes(const struct pnc_build *b, unsigned int version, struct build_out *out)
{
	size_t start = 0; /* of the TLV that there is room in */

	for (uint32_t i = 0; i < b->n_prefixes; i++) {
		uint8_t bytes[MAX_ENTRY];
		struct build_out one = {.data = bytes, .size = sizeof(bytes)};

		if (b->prefix[i].prefix.addr.version != version)
			continue;
		entry(b, &b->prefix[i], &one);
		if (start == 0 || out->len + one.len - start - 2 > MAX_TLV) {
			start = out->len;
			build_u8(out, version == 4 ? ISIS_TLV_PREFIX4 : ISIS_TLV_PREFIX6);
			build_u8(out, 0);
		}
		build_bytes(out, bytes, one.len);
		if (build_fits(out))
			out->data[start + 1] = (uint8_t)(out->len - start - 2);
	}
}

int
build_isis(const struct pnc_build *b, struct build_out *out)
{
	const size_t start = out->len;
	const bool is_purge = b->seconds == 0;
	size_t auth, len;
	uint8_t *lsp;

	build_u8(out, ISIS_DISCRIMINATOR);
	build_u8(out, ISIS_LSP_HEADER);
	build_u8(out, 1);
	build_u8(out, 0);
	build_u8(out, b->level == 1 ? ISIS_LSP_L1 : ISIS_LSP_L2);
	build_u8(out, 1);
	build_zeros(out, 6);
	build_bytes(out, b->system_id, 6);
	build_u8(out, 0);
	build_u8(out, b->fragment);
	build_u32(out, b->sequence);
	build_zeros(out, 2);
	build_u8(out, b->level == 1 ? 1 : 3);
	auth = out->len;
	if (b->key != NULL)
		build_zeros(out, pnc_isis_auth_len(b->key));
	/* A purge has no contents (RFC 5304). */
	if (!is_purge) {
		router_id(out, ISIS_TLV_ROUTER_ID4, &b->router_address[0]);
		router_id(out, ISIS_TLV_ROUTER_ID6, &b->router_address[1]);
		prefixes(b, 4, out);
		prefixes(b, 6, out);
	}
	if (!build_fits(out))
		return -ENOSPC;
	lsp = out->data + start;
	len = out->len - start;
	fcn_put_be16(lsp + ISIS_AT_PDU_LEN, (uint16_t)len);
	if (b->key != NULL && !pnc_isis_auth_write(b->key, lsp, len, auth - start))
		return -EINVAL;
	fcn_put_be16(lsp + ISIS_AT_LIFETIME, b->seconds);
	if (!is_purge)
		fletcher_write(lsp + ISIS_AT_LSP_ID, len - ISIS_AT_LSP_ID,
				ISIS_AT_CHECKSUM - ISIS_AT_LSP_ID);
	return 0;
}
