/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Prefixes, addresses and SRv6 SIDs in an LSP. */

#include <string.h>

#include "fcn_inet.h"
#include "isis.h"

struct octets {
	const uint8_t *at;
	size_t len;
};

struct entry {
	uint32_t metric;
	bool is_down; /* the up/down bit */
	struct fcn_prefix prefix;
	struct octets flags;
	struct fcn_addr source[2]; /* IPv4, IPv6 */
};

/* Take n octets off the front. Returns NULL when there are fewer. */
static const uint8_t *
take(struct octets *o, size_t n)
{
	const uint8_t *at = o->at;

	if (o->len < n)
		return NULL;
	o->at += n;
	o->len -= n;
	return at;
}

static struct fcn_addr
address(const uint8_t *bytes, unsigned int version)
{
	struct fcn_addr addr = {.version = (uint8_t)version};

	memcpy(addr.bytes, bytes, version == 4 ? 4 : 16);
	return addr;
}

/* Of sub-TLVs that occur twice, the first counts (RFC 7794). Returns false when malformed. */
static bool
read_sub_tlvs(const struct fcn_pnc_isis_conf *conf, struct octets rest, struct entry *entry)
{
	while (rest.len != 0) {
		const uint8_t *head = take(&rest, 2);
		const uint8_t *value = head != NULL ? take(&rest, head[1]) : NULL;

		if (value == NULL)
			return false;
		if (head[0] == conf->flags_sub_tlv) {
			if (head[1] == 0)
				return false;
			if (entry->flags.at == NULL)
				entry->flags = (struct octets){value, head[1]};
		} else if (head[0] == ISIS_SUB_SOURCE4) {
			if (head[1] != 4)
				return false;
			if (entry->source[0].version == 0)
				entry->source[0] = address(value, 4);
		} else if (head[0] == ISIS_SUB_SOURCE6) {
			if (head[1] != 16)
				return false;
			if (entry->source[1].version == 0)
				entry->source[1] = address(value, 6);
		}
	}
	return true;
}

/* Take a prefix off the front of a TLV's value. Returns false when it is malformed. */
static bool
read_entry(const struct fcn_pnc_isis_conf *conf, unsigned int version, struct octets *rest,
		struct entry *entry)
{
	const uint8_t *head = take(rest, version == 4 ? 5 : 6), *bytes, *sub_len;
	struct octets subs = {NULL, 0};
	bool has_subs;

	*entry = (struct entry){.prefix.addr.version = (uint8_t)version};
	if (head == NULL)
		return false;
	entry->metric = fcn_get_be32(head);
	entry->is_down = (head[4] & 0x80) != 0;
	if (version == 4) {
		has_subs = (head[4] & 0x40) != 0;
		entry->prefix.len = head[4] & 0x3F;
	} else {
		has_subs = (head[4] & 0x20) != 0;
		entry->prefix.len = head[5];
	}
	if (entry->prefix.len > (version == 4 ? 32 : 128))
		return false;
	bytes = take(rest, (entry->prefix.len + 7u) / 8);
	if (bytes == NULL)
		return false;
	memcpy(entry->prefix.addr.bytes, bytes, (entry->prefix.len + 7u) / 8);
	if (!has_subs)
		return true;
	sub_len = take(rest, 1);
	if (sub_len == NULL)
		return false;
	subs.len = *sub_len;
	subs.at = take(rest, subs.len);
	return subs.at != NULL && read_sub_tlvs(conf, subs, entry);
}

static void
use_entry(struct lsdb *db, const struct fcn_pnc_isis_conf *conf, const struct entry *entry)
{
	const unsigned int byte = conf->flag_bit / 8, bit = 0x80u >> conf->flag_bit % 8;
	const unsigned int own = entry->prefix.addr.version == 6;
	const uint8_t first = entry->flags.len != 0 ? entry->flags.at[0] : 0;
	const bool is_proxied = entry->flags.len > byte && (entry->flags.at[byte] & bit) != 0;
	const bool is_leaked = entry->is_down || (first & ISIS_FLAG_READVERTISED) != 0;
	struct lsdb_prefix *said;

	if (entry->metric > ISIS_MAX_METRIC) {
		if (is_proxied)
			lsdb_count(db, FCN_PNC_COUNT_UNREACHABLE);
		return;
	}
	if ((first & ISIS_FLAG_NODE) != 0 && (first & ISIS_FLAG_EXTERNAL) == 0 && !is_leaked &&
			entry->prefix.len == (own ? 128 : 32))
		lsdb_message_address(db, LSDB_HOST_PREFIX, &entry->prefix.addr);
	if (!is_proxied)
		return;
	said = lsdb_message_add(db, &entry->prefix);
	if (said == NULL)
		return;
	lsdb_prefix_name(db, said, &entry->source[own]);
	lsdb_prefix_name(db, said, &entry->source[!own]);
	said->has_origin = !is_leaked;
}

static void
read_prefixes(struct lsdb *db, const struct fcn_pnc_isis_conf *conf, unsigned int version,
		struct octets value)
{
	struct octets rest = value;
	struct entry entry;

	/* A TLV with a defect is ignored as a whole. */
	while (rest.len != 0) {
		if (!read_entry(conf, version, &rest, &entry)) {
			lsdb_count(db, FCN_PNC_COUNT_BAD_TLV);
			return;
		}
	}
	rest = value;
	while (rest.len != 0) {
		read_entry(conf, version, &rest, &entry);
		use_entry(db, conf, &entry);
	}
}

static void
read_router_id(struct lsdb *db, unsigned int version, const uint8_t *value, size_t len)
{
	struct fcn_addr addr;

	if (len != (version == 4 ? 4 : 16)) {
		lsdb_count(db, FCN_PNC_COUNT_BAD_TLV);
		return;
	}
	addr = address(value, version);
	lsdb_message_address(db, LSDB_ROUTER_ADDRESS, &addr);
}

/* An entry of the SRv6 Locator TLV (RFC 9352 section 7.1). */
struct locator {
	uint32_t metric;
	struct fcn_prefix prefix;
	struct octets subs;
};

/* Take a locator off the front of a TLV's value. Returns false when it is malformed. */
static bool
read_locator(struct octets *rest, struct locator *locator)
{
	const uint8_t *head = take(rest, 7), *bytes, *sub_len;

	*locator = (struct locator){.prefix.addr.version = 6};
	if (head == NULL || head[6] == 0 || head[6] > 128)
		return false;
	locator->metric = fcn_get_be32(head);
	locator->prefix.len = head[6];
	bytes = take(rest, (head[6] + 7u) / 8);
	sub_len = bytes != NULL ? take(rest, 1) : NULL;
	if (sub_len == NULL)
		return false;
	memcpy(locator->prefix.addr.bytes, bytes, (head[6] + 7u) / 8);
	fcn_prefix_normalise(&locator->prefix);
	locator->subs.len = *sub_len;
	locator->subs.at = take(rest, *sub_len);
	return locator->subs.at != NULL;
}

/*
 * Take a sub-TLV off the front of those of a locator.
 * @param sid is set to the SID if it is an End SID with this behavior (section 7.2); else version 0
 * @return false when it is malformed
 */
static bool
read_sid(struct octets *rest, uint16_t behavior, struct fcn_addr *sid)
{
	const uint8_t *head = take(rest, 2);
	const uint8_t *value = head != NULL ? take(rest, head[1]) : NULL;

	sid->version = 0;
	if (value == NULL)
		return false;
	if (head[0] != ISIS_LOCATOR_SUB_END_SID)
		return true;
	/* Flags, behavior, SID, length of the sub-sub-TLVs */
	if (head[1] < 20 || head[1] - 20 < value[19])
		return false;
	if (fcn_get_be16(value + 1) == behavior)
		*sid = address(value + 3, 6);
	return true;
}

static void
use_locator(struct lsdb *db, const struct fcn_pnc_isis_conf *conf, const struct locator *locator)
{
	struct octets subs = locator->subs;
	struct fcn_addr sid;

	while (subs.len != 0) {
		read_sid(&subs, conf->endcon_code, &sid);
		if (sid.version == 0)
			continue;
		if (locator->metric > ISIS_MAX_METRIC)
			lsdb_count(db, FCN_PNC_COUNT_UNREACHABLE);
		else
			lsdb_message_endcon(db, &sid, &locator->prefix);
	}
}

static void
read_locators(struct lsdb *db, const struct fcn_pnc_isis_conf *conf, struct octets value)
{
	struct locator locator;
	struct octets rest;
	struct fcn_addr sid;
	/* The topology: all of them count. */
	bool is_right = take(&value, 2) != NULL;

	/* A TLV with a defect is ignored as a whole. */
	for (rest = value; is_right && rest.len != 0;) {
		is_right = read_locator(&rest, &locator);
		while (is_right && locator.subs.len != 0)
			is_right = read_sid(&locator.subs, conf->endcon_code, &sid);
	}
	if (!is_right) {
		lsdb_count(db, FCN_PNC_COUNT_BAD_TLV);
		return;
	}
	for (rest = value; rest.len != 0;) {
		read_locator(&rest, &locator);
		use_locator(db, conf, &locator);
	}
}

void
isis_tlv_read(struct lsdb *db, const struct fcn_pnc_isis_conf *conf, uint8_t type,
		const uint8_t *value, size_t len)
{
	struct octets all = {value, len};

	switch (type) {
	case ISIS_TLV_ROUTER_ID4:
	case ISIS_TLV_ROUTER_ID6:
		read_router_id(db, type == ISIS_TLV_ROUTER_ID4 ? 4 : 6, value, len);
		break;
	case ISIS_TLV_PREFIX4:
	case ISIS_TLV_PREFIX6:
		read_prefixes(db, conf, type == ISIS_TLV_PREFIX4 ? 4 : 6, all);
		break;
	case ISIS_TLV_LOCATOR:
		if (conf->endcon_code != 0)
			read_locators(db, conf, all);
		break;
	case ISIS_TLV_MT_PREFIX4:
	case ISIS_TLV_MT_PREFIX6:
		/* The topology: all of them count. */
		if (take(&all, 2) == NULL)
			lsdb_count(db, FCN_PNC_COUNT_BAD_TLV);
		else
			read_prefixes(db, conf, type == ISIS_TLV_MT_PREFIX4 ? 4 : 6, all);
		break;
	default:
		break;
	}
}
