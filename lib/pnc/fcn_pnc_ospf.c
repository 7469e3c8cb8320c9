/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "fcn_inet.h"
#include "ospf.h"

struct fcn_pnc_ospf {
	struct ospf_reader reader;
};

static const struct ospf_subs subs = {OSPF2_SUB_SOURCE_ROUTER, OSPF2_SUB_SOURCE_ADDRESS};

/* Link, area and AS scope; the opaque type is the first octet of the link state ID (RFC 5250). */
static bool
identify(const struct ospf_place *place, const struct ospf_lsa *lsa, uint8_t key[LSDB_KEY_LEN],
		uint8_t origin[LSDB_ORIGIN_LEN])
{
	if (lsa->type < OSPF2_OPAQUE_LINK || lsa->type > OSPF2_OPAQUE_AS)
		return false;
	if (lsa->id[0] != OSPF2_TE && lsa->id[0] != OSPF2_EXTENDED_PREFIX)
		return false;
	key[0] = (uint8_t)lsa->type;
	memcpy(key + 1, lsa->id, 4);
	memcpy(key + 5, lsa->router, 4);
	if (lsa->type != OSPF2_OPAQUE_AS)
		memcpy(key + 9, place->area, 4);
	if (lsa->type == OSPF2_OPAQUE_LINK)
		fcn_put_be32(key + 13, place->link);
	memcpy(origin, lsa->router, 4);
	return true;
}

static bool
is_te(const struct ospf_lsa *lsa)
{
	return lsa->id[0] == OSPF2_TE;
}

/* An Extended Prefix TLV (RFC 7684 section 2.1). Returns false when it is malformed. */
static bool
read_prefix(struct ospf_reader *r, const struct ospf_lsa *lsa, struct ospf_octets value)
{
	struct fcn_prefix prefix = {.addr.version = 4};
	struct ospf_attributes a;
	uint8_t route_type;
	bool is_own;

	if (value.len < 4)
		return false;
	if (value.at[2] != 0)
		return true; /* another address family */
	if (value.len < 8 || value.at[1] > 32)
		return false;
	route_type = value.at[0];
	prefix.len = value.at[1];
	memcpy(prefix.addr.bytes, value.at + 4, 4);
	if (!ospf_read_attributes(
			    &r->conf, &subs, (struct ospf_octets){value.at + 8, value.len - 8}, &a))
		return false;
	/* RFC 9084: the originator of an intra-area prefix is the advertising router. */
	if (route_type == OSPF2_ROUTE_INTRA && memcmp(a.router, lsa->router, 4) != 0)
		a.has_router = false;
	is_own = route_type != OSPF2_ROUTE_INTER;
	if (is_own && (value.at[3] & OSPF2_PREFIX_NODE) != 0 && prefix.len == 32)
		lsdb_message_address(r->db, LSDB_HOST_PREFIX, &prefix.addr);
	if (a.is_proxied)
		ospf_use_prefix(r, lsa, &prefix, &a, is_own);
	return true;
}

static bool
read_body(struct ospf_reader *r, const struct ospf_place *place, const struct ospf_lsa *lsa)
{
	struct ospf_octets rest = lsa->body;
	struct ospf_tlv tlv;

	(void)place;
	while (rest.len != 0) {
		if (!ospf_tlv_take(&rest, &tlv))
			return false;
		if (lsa->id[0] == OSPF2_TE) {
			if (tlv.type == OSPF2_TLV_ROUTER_ADDRESS &&
					(tlv.value.len != 4 ||
							!ospf_use_address(r, LSDB_ROUTER_ADDRESS,
									tlv.value)))
				return false;
		} else if (tlv.type == OSPF2_TLV_PREFIX && !read_prefix(r, lsa, tlv.value)) {
			return false;
		}
	}
	return true;
}

int
fcn_pnc_ospf_create(const struct fcn_pnc_ospf_conf *conf, const struct fcn_pnc_sink *sink,
		struct fcn_pnc_ospf **ospf, const char **error)
{
	struct fcn_pnc_ospf *made = calloc(1, sizeof(*made));
	int ret;

	if (made == NULL)
		return -ENOMEM;
	made->reader.version = 2;
	made->reader.identify = identify;
	made->reader.is_te = is_te;
	made->reader.router_address = OSPF2_TLV_ROUTER_ADDRESS;
	made->reader.read = read_body;
	ret = ospf_create(&made->reader, conf, sink, FCN_PNC_OSPF, error);
	if (ret != 0)
		free(made);
	else
		*ospf = made;
	return ret;
}

void
fcn_pnc_ospf_destroy(struct fcn_pnc_ospf *ospf)
{
	if (ospf == NULL)
		return;
	lsdb_destroy(ospf->reader.db);
	free(ospf);
}

bool
ospf2_digest(const struct fcn_pnc_key *key, uint8_t *copy, size_t len, uint8_t *out)
{
	if (key->algorithm == FCN_PNC_AUTH_MD5) {
		memset(copy + len, 0, 16);
		memcpy(copy + len, key->secret, key->len);
		return pnc_digest(key->algorithm, copy, len + 16, out);
	}
	pnc_auth_pad(copy + len, pnc_digest_len(key->algorithm));
	return pnc_auth_hmac(key, NULL, 0, copy, len + pnc_digest_len(key->algorithm), out);
}

static enum fcn_pnc_counter
check_key(struct ospf_reader *r, const struct fcn_pnc_key *key, const uint8_t *packet, size_t len,
		size_t all)
{
	const size_t digest_len = pnc_digest_len(key->algorithm);
	uint8_t out[FCN_PNC_MAX_DIGEST];

	if (key->algorithm == FCN_PNC_AUTH_PASSWORD) {
		uint8_t password[8] = {0};

		memcpy(password, key->secret, key->len);
		return pnc_digest_equal(password, packet + 16, 8) ? FCN_PNC_COUNT_NEW
								  : FCN_PNC_COUNT_AUTH_WRONG;
	}
	if (packet[18] != key->id)
		return FCN_PNC_COUNT_AUTH_KEY;
	if (packet[19] != digest_len || all - len < digest_len ||
			len + digest_len > sizeof(r->copy))
		return FCN_PNC_COUNT_AUTH_WRONG;
	memcpy(r->copy, packet, len);
	if (!ospf2_digest(key, r->copy, len, out) ||
			!pnc_digest_equal(out, packet + len, digest_len))
		return FCN_PNC_COUNT_AUTH_WRONG;
	return FCN_PNC_COUNT_NEW;
}

/* NEW: it is right, or ignored. `all` octets are there, with the digest behind the packet. */
static enum fcn_pnc_counter
check_auth(struct ospf_reader *r, const uint8_t *packet, size_t len, size_t all)
{
	const struct fcn_pnc_auth *auth = &r->conf.auth;
	const uint16_t type = fcn_get_be16(packet + 14);
	enum fcn_pnc_counter why = FCN_PNC_COUNT_AUTH_MISSING;

	if (auth->n == 0)
		return FCN_PNC_COUNT_NEW;
	for (uint32_t i = 0; i < auth->n; i++) {
		const struct fcn_pnc_key *key = &auth->key[i];
		enum fcn_pnc_counter what;

		if (type != (key->algorithm == FCN_PNC_AUTH_PASSWORD ? OSPF_AUTH_PASSWORD
								     : OSPF_AUTH_CRYPTO))
			continue;
		what = check_key(r, key, packet, len, all);
		if (what == FCN_PNC_COUNT_NEW)
			return what;
		if (why != FCN_PNC_COUNT_AUTH_WRONG)
			why = what;
	}
	return why;
}

/* Over all but the 64 bits of the authentication, which are the last of the header. */
static bool
checksum_is_right(const uint8_t *packet, size_t len)
{
	const uint32_t sum = (uint16_t)~ospf_checksum(0, packet, 16);

	return ospf_checksum(sum, packet + OSPF2_HEADER, len - OSPF2_HEADER) == 0;
}

static enum fcn_pnc_counter
check_packet(struct ospf_reader *r, const uint8_t *packet, size_t all, size_t *len)
{
	if (all < OSPF2_HEADER)
		return FCN_PNC_COUNT_TRUNCATED;
	if (packet[0] != 2)
		return FCN_PNC_COUNT_HEADER;
	if (packet[1] != OSPF_TYPE_UPDATE)
		return FCN_PNC_COUNT_OTHER;
	*len = fcn_get_be16(packet + 2);
	if (*len > all)
		return FCN_PNC_COUNT_TRUNCATED;
	if (*len < OSPF2_HEADER + 4 || *len > PNC_MAX_MESSAGE)
		return FCN_PNC_COUNT_LENGTH;
	if (fcn_get_be16(packet + 14) < OSPF_AUTH_CRYPTO && !checksum_is_right(packet, *len))
		return FCN_PNC_COUNT_CHECKSUM;
	return check_auth(r, packet, *len, all);
}

enum fcn_pnc_counter
fcn_pnc_ospf_input(struct fcn_pnc_ospf *ospf, uint32_t link, const uint8_t *packet, size_t len,
		uint64_t now_ns)
{
	struct ospf_reader *r = &ospf->reader;
	struct ospf_place place = {.link = link};
	enum fcn_pnc_counter what;
	size_t packet_len;

	what = check_packet(r, packet, len, &packet_len);
	if (what != FCN_PNC_COUNT_NEW) {
		lsdb_count(r->db, what);
		return what;
	}
	memcpy(place.area, packet + 8, 4);
	return ospf_read_lsas(r, &place, packet + OSPF2_HEADER + 4, packet_len - OSPF2_HEADER - 4,
			fcn_get_be32(packet + OSPF2_HEADER), now_ns);
}

uint64_t
fcn_pnc_ospf_tick(struct fcn_pnc_ospf *ospf, uint64_t now_ns)
{
	return lsdb_tick(ospf->reader.db, now_ns);
}

void
fcn_pnc_ospf_state(const struct fcn_pnc_ospf *ospf, struct fcn_pnc_state *state)
{
	lsdb_state(ospf->reader.db, state);
}
