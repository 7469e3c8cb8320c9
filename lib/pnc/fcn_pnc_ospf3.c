/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "fcn_inet.h"
#include "fcn_pnc_ospf3.h"
#include "ospf.h"

#define TRAILER_TYPE_HMAC 1

struct fcn_pnc_ospf3 {
	struct ospf_reader reader;
};

static const struct ospf_subs subs = {OSPF3_SUB_SOURCE_ROUTER, OSPF3_SUB_SOURCE_ADDRESS};

/* IP version of the prefixes of an instance (RFC 5838 section 2.1); 0: it has none for unicast. */
static unsigned int
version_of(uint8_t instance)
{
	if (instance < 32)
		return 6;
	return instance >= 64 && instance < 96 ? 4 : 0;
}

static void
make_key(const struct ospf_place *place, const struct ospf_lsa *lsa, uint8_t key[LSDB_KEY_LEN],
		uint8_t origin[LSDB_ORIGIN_LEN])
{
	const uint16_t scope = lsa->type & OSPF3_SCOPE;

	fcn_put_be16(key, lsa->type);
	memcpy(key + 2, lsa->id, 4);
	memcpy(key + 6, lsa->router, 4);
	if (scope != OSPF3_SCOPE_AS)
		memcpy(key + 10, place->area, 4);
	if (scope != OSPF3_SCOPE_AS && scope != OSPF3_SCOPE_AREA)
		fcn_put_be32(key + 14, place->link);
	key[18] = place->instance;
	memcpy(origin, lsa->router, 4);
	origin[4] = place->instance;
}

static bool
identify(const struct ospf_place *place, const struct ospf_lsa *lsa, uint8_t key[LSDB_KEY_LEN],
		uint8_t origin[LSDB_ORIGIN_LEN])
{
	switch (lsa->type & OSPF3_FUNCTION) {
	case OSPF3_TE:
	case OSPF3_E_INTRA:
	case OSPF3_E_INTER:
	case OSPF3_E_EXTERNAL:
	case OSPF3_E_TYPE_7:
		make_key(place, lsa, key, origin);
		return true;
	default:
		return false;
	}
}

/* Where END.CON SIDs are read, too. */
static bool
identify_srv6(const struct ospf_place *place, const struct ospf_lsa *lsa, uint8_t key[LSDB_KEY_LEN],
		uint8_t origin[LSDB_ORIGIN_LEN])
{
	if ((lsa->type & OSPF3_FUNCTION) != OSPF3_SRV6_LOCATOR || version_of(place->instance) != 6)
		return identify(place, lsa, key, origin);
	make_key(place, lsa, key, origin);
	return true;
}

static bool
is_te(const struct ospf_lsa *lsa)
{
	return (lsa->type & OSPF3_FUNCTION) == OSPF3_TE;
}

/* A TLV of a prefix (RFC 8362 sections 3.4, 3.6, 3.7). Returns false when it is malformed. */
static bool
read_prefix(struct ospf_reader *r, const struct ospf_lsa *lsa, unsigned int version,
		const struct ospf_tlv *tlv)
{
	struct fcn_prefix prefix = {.addr.version = (uint8_t)version};
	const uint8_t *value = tlv->value.at;
	const unsigned int longest = version == 4 ? 32 : 128;
	const bool is_own = tlv->type != OSPF3_TLV_INTER;
	struct ospf_attributes a;
	uint8_t node = OSPF3_OPTION_N;
	size_t len;

	if (tlv->value.len < 8 || value[4] > longest)
		return false;
	prefix.len = value[4];
	len = (prefix.len + 31u) / 32 * 4;
	if (tlv->value.len - 8 < len)
		return false;
	memcpy(prefix.addr.bytes, value + 8, len);
	if (!ospf_read_attributes(&r->conf, &subs,
			    (struct ospf_octets){value + 8 + len, tlv->value.len - 8 - len}, &a))
		return false;
	if ((fcn_get_be32(value) & OSPF3_INFINITY) == OSPF3_INFINITY ||
			(value[5] & OSPF3_OPTION_NU) != 0) {
		if (a.is_proxied)
			lsdb_count(r->db, FCN_PNC_COUNT_UNREACHABLE);
		return true;
	}
	if (tlv->type == OSPF3_TLV_INTRA) {
		node |= OSPF3_OPTION_LA;
		/* RFC 9084: the originator of an intra-area prefix is the advertising router. */
		if (memcmp(a.router, lsa->router, 4) != 0)
			a.has_router = false;
	}
	if (is_own && (value[5] & node) != 0 && prefix.len == longest)
		lsdb_message_address(r->db, LSDB_HOST_PREFIX, &prefix.addr);
	if (a.is_proxied)
		ospf_use_prefix(r, lsa, &prefix, &a, is_own);
	return true;
}

/* Use an End SID with the behavior END.CON. Returns false when it is malformed. */
static bool
read_sid(struct ospf_reader *r, const struct fcn_prefix *locator, bool is_reachable,
		struct ospf_octets value)
{
	struct fcn_addr sid = {.version = 6};

	/* Flags, a reserved octet, behavior, SID */
	if (value.len < 20)
		return false;
	if (fcn_get_be16(value.at + 2) != r->conf.endcon_code)
		return true;
	memcpy(sid.bytes, value.at + 4, 16);
	if (is_reachable)
		lsdb_message_endcon(r->db, &sid, locator);
	else
		lsdb_count(r->db, FCN_PNC_COUNT_UNREACHABLE);
	return true;
}

/* An SRv6 Locator TLV (RFC 9513 section 7.1). Returns false when it is malformed. */
static bool
read_locator(struct ospf_reader *r, struct ospf_octets value)
{
	struct fcn_prefix locator = {.addr.version = 6};
	struct ospf_octets rest;
	bool is_reachable;
	struct ospf_tlv sub;
	size_t len;

	/* Route type, algorithm, length, options, metric */
	if (value.len < 8)
		return false;
	if (value.at[0] == 0 || value.at[0] > OSPF3_LOCATOR_ROUTE_TYPES)
		return true;
	locator.len = value.at[2];
	len = (locator.len + 31u) / 32 * 4;
	if (locator.len == 0 || locator.len > 128 || value.len - 8 < len)
		return false;
	memcpy(locator.addr.bytes, value.at + 8, len);
	fcn_prefix_normalise(&locator);
	is_reachable = fcn_get_be32(value.at + 4) != OSPF3_LOCATOR_INFINITY &&
		       (value.at[3] & OSPF3_OPTION_NU) == 0;
	rest = (struct ospf_octets){value.at + 8 + len, value.len - 8 - len};
	while (rest.len != 0) {
		if (!ospf_tlv_take(&rest, &sub))
			return false;
		if (sub.type == OSPF3_LOCATOR_SUB_END_SID &&
				!read_sid(r, &locator, is_reachable, sub.value))
			return false;
	}
	return true;
}

/* The type of the TLV that an LSA has prefixes in; 0: it has none. */
static uint16_t
tlv_of(uint16_t function)
{
	if (function == OSPF3_E_INTRA)
		return OSPF3_TLV_INTRA;
	if (function == OSPF3_E_INTER)
		return OSPF3_TLV_INTER;
	if (function == OSPF3_SRV6_LOCATOR)
		return OSPF3_TLV_LOCATOR;
	return function == OSPF3_TE ? 0 : OSPF3_TLV_EXTERNAL;
}

static bool
read_body(struct ospf_reader *r, const struct ospf_place *place, const struct ospf_lsa *lsa)
{
	const uint16_t function = lsa->type & OSPF3_FUNCTION, wanted = tlv_of(function);
	const unsigned int version = version_of(place->instance);
	struct ospf_octets rest = lsa->body;
	struct ospf_tlv tlv;

	if (function == OSPF3_E_INTRA) {
		/* What the prefixes are attached to. */
		if (rest.len < 12)
			return false;
		rest.at += 12;
		rest.len -= 12;
	}
	while (rest.len != 0) {
		if (!ospf_tlv_take(&rest, &tlv))
			return false;
		if (function == OSPF3_TE) {
			if (tlv.type == OSPF3_TLV_ROUTER_ADDRESS &&
					(tlv.value.len != 16 ||
							!ospf_use_address(r, LSDB_ROUTER_ADDRESS,
									tlv.value)))
				return false;
		} else if (tlv.type == wanted &&
				!(function == OSPF3_SRV6_LOCATOR ? read_locator(r, tlv.value)
								 : read_prefix(r, lsa, version,
										   &tlv))) {
			return false;
		}
	}
	return true;
}

int
fcn_pnc_ospf3_create(const struct fcn_pnc_ospf_conf *conf, const struct fcn_pnc_sink *sink,
		struct fcn_pnc_ospf3 **ospf, const char **error)
{
	struct fcn_pnc_ospf3 *made = calloc(1, sizeof(*made));
	int ret;

	if (made == NULL)
		return -ENOMEM;
	made->reader.version = 3;
	made->reader.identify = conf->endcon_code != 0 ? identify_srv6 : identify;
	made->reader.is_te = is_te;
	made->reader.router_address = OSPF3_TLV_ROUTER_ADDRESS;
	made->reader.read = read_body;
	ret = ospf_create(&made->reader, conf, sink, FCN_PNC_OSPF3, error);
	if (ret != 0)
		free(made);
	else
		*ospf = made;
	return ret;
}

void
fcn_pnc_ospf3_destroy(struct fcn_pnc_ospf3 *ospf)
{
	if (ospf == NULL)
		return;
	lsdb_destroy(ospf->reader.db);
	free(ospf);
}

bool
ospf3_digest(const struct fcn_pnc_key *key, uint8_t *copy, size_t len, const uint8_t source[16],
		bool swapped, uint8_t *out)
{
	const uint8_t protocol_id[2] = {swapped, !swapped};
	const size_t digest_len = pnc_digest_len(key->algorithm);
	uint8_t *field = copy + len - digest_len;

	memcpy(field, source, 16);
	pnc_auth_pad(field + 16, digest_len - 16);
	return pnc_auth_hmac(key, protocol_id, sizeof(protocol_id), copy, len, out);
}

/* NEW: the trailer behind a packet of `len` octets is right. */
static enum fcn_pnc_counter
check_trailer(struct ospf_reader *r, const uint8_t *packet, size_t len, size_t all,
		const uint8_t source[16])
{
	const struct fcn_pnc_auth *auth = &r->conf.auth;
	const uint8_t *trailer = packet + len;
	enum fcn_pnc_counter why = FCN_PNC_COUNT_AUTH_KEY;
	uint8_t out[FCN_PNC_MAX_DIGEST];
	size_t trailer_len;

	if (all - len < OSPF3_TRAILER || fcn_get_be16(trailer) != TRAILER_TYPE_HMAC)
		return FCN_PNC_COUNT_AUTH_MISSING;
	trailer_len = fcn_get_be16(trailer + 2);
	if (trailer_len > all - len || len + trailer_len > sizeof(r->copy))
		return FCN_PNC_COUNT_AUTH_WRONG;
	for (uint32_t i = 0; i < auth->n; i++) {
		const struct fcn_pnc_key *key = &auth->key[i];
		const size_t digest_len = pnc_digest_len(key->algorithm);

		if (fcn_get_be16(trailer + 6) != key->id)
			continue;
		why = FCN_PNC_COUNT_AUTH_WRONG;
		if (trailer_len != OSPF3_TRAILER + digest_len)
			continue;
		memcpy(r->copy, packet, len + trailer_len);
		for (unsigned int swapped = 0; swapped < 2; swapped++)
			if (ospf3_digest(key, r->copy, len + trailer_len, source, swapped, out) &&
					pnc_digest_equal(out, trailer + OSPF3_TRAILER, digest_len))
				return FCN_PNC_COUNT_NEW;
	}
	return why;
}

static bool
checksum_is_right(const uint8_t ip6[40], const uint8_t *packet, size_t len)
{
	uint8_t pseudo[40] = {0};

	memcpy(pseudo, ip6 + 8, 32);
	fcn_put_be32(pseudo + 32, (uint32_t)len);
	pseudo[39] = 89;
	return ospf_checksum((uint16_t)~ospf_checksum(0, pseudo, sizeof(pseudo)), packet, len) == 0;
}

static enum fcn_pnc_counter
check_packet(struct ospf_reader *r, const uint8_t ip6[40], const uint8_t *packet, size_t all,
		size_t *len)
{
	if (all < OSPF3_HEADER)
		return FCN_PNC_COUNT_TRUNCATED;
	if (packet[0] != 3)
		return FCN_PNC_COUNT_HEADER;
	if (packet[1] != OSPF_TYPE_UPDATE || version_of(packet[14]) == 0)
		return FCN_PNC_COUNT_OTHER;
	*len = fcn_get_be16(packet + 2);
	if (*len > all)
		return FCN_PNC_COUNT_TRUNCATED;
	if (*len < OSPF3_HEADER + 4 || *len > PNC_MAX_MESSAGE)
		return FCN_PNC_COUNT_LENGTH;
	/* RFC 7166 section 4.2: with a trailer there is no checksum. */
	if (r->conf.auth.n != 0)
		return check_trailer(r, packet, *len, all, ip6 + 8);
	if (fcn_get_be16(packet + 12) == 0 && all - *len >= OSPF3_TRAILER)
		return FCN_PNC_COUNT_NEW;
	return checksum_is_right(ip6, packet, *len) ? FCN_PNC_COUNT_NEW : FCN_PNC_COUNT_CHECKSUM;
}

enum fcn_pnc_counter
fcn_pnc_ospf3_input(struct fcn_pnc_ospf3 *ospf, uint32_t link, const uint8_t ip6[40],
		const uint8_t *packet, size_t len, uint64_t now_ns)
{
	struct ospf_reader *r = &ospf->reader;
	struct ospf_place place = {.link = link};
	enum fcn_pnc_counter what;
	size_t packet_len;

	what = check_packet(r, ip6, packet, len, &packet_len);
	if (what != FCN_PNC_COUNT_NEW) {
		lsdb_count(r->db, what);
		return what;
	}
	memcpy(place.area, packet + 8, 4);
	place.instance = packet[14];
	return ospf_read_lsas(r, &place, packet + OSPF3_HEADER + 4, packet_len - OSPF3_HEADER - 4,
			fcn_get_be32(packet + OSPF3_HEADER), now_ns);
}

uint64_t
fcn_pnc_ospf3_tick(struct fcn_pnc_ospf3 *ospf, uint64_t now_ns)
{
	return lsdb_tick(ospf->reader.db, now_ns);
}

void
fcn_pnc_ospf3_state(const struct fcn_pnc_ospf3 *ospf, struct fcn_pnc_state *state)
{
	lsdb_state(ospf->reader.db, state);
}
