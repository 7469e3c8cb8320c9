/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* LSAs of either version: lengths, checksums, age, and which of two is newer. */

#include <errno.h>
#include <string.h>

#include "fcn_inet.h"
#include "fletcher.h"
#include "ospf.h"

#define SECOND UINT64_C(1000000000)
#define MAX_AGE_DIFF 900 /* seconds */

int
ospf_create(struct ospf_reader *r, const struct fcn_pnc_ospf_conf *conf,
		const struct fcn_pnc_sink *sink, enum fcn_pnc_protocol protocol, const char **error)
{
	const struct lsdb_conf db_conf = {.limits = conf->limits,
			.sink = *sink,
			.hash_key = conf->hash_key,
			.protocol = protocol};

	*error = lsdb_limits_why_not(&conf->limits);
	if (*error == NULL)
		*error = fcn_pnc_auth_why_not(&conf->auth, protocol);
	if (*error != NULL)
		return -EINVAL;
	r->conf = *conf;
	r->db = lsdb_create(&db_conf);
	return r->db == NULL ? -ENOMEM : 0;
}

uint16_t
ospf_checksum(uint32_t sum, const uint8_t *data, size_t len)
{
	for (; len > 1; data += 2, len -= 2)
		sum += fcn_get_be16(data);
	if (len != 0)
		sum += (uint32_t)data[0] << 8;
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	return (uint16_t)~sum;
}

/* The header of an LSA of `len` octets. NEW: it may be used. */
static enum fcn_pnc_counter
read_header(const struct ospf_reader *r, const uint8_t *at, size_t len, struct ospf_lsa *lsa)
{
	const uint16_t age = fcn_get_be16(at);

	lsa->does_not_age = (age & OSPF_DO_NOT_AGE) != 0;
	lsa->age = age & (OSPF_DO_NOT_AGE - 1);
	lsa->type = r->version == 2 ? at[3] : fcn_get_be16(at + 2);
	memcpy(lsa->id, at + 4, 4);
	memcpy(lsa->router, at + 8, 4);
	lsa->sequence = (int32_t)fcn_get_be32(at + 12);
	lsa->checksum = fcn_get_be16(at + 16);
	lsa->body = (struct ospf_octets){at + OSPF_LSA_HEADER, len - OSPF_LSA_HEADER};
	/* It is over all but the age. */
	if (!pnc_fletcher_is_right(at + 2, len - 2, 14))
		return FCN_PNC_COUNT_CHECKSUM;
	if (lsa->sequence < OSPF_FIRST_SEQUENCE)
		return FCN_PNC_COUNT_SEQUENCE;
	if (lsa->age > OSPF_MAX_AGE)
		lsa->age = OSPF_MAX_AGE;
	return FCN_PNC_COUNT_NEW;
}

/* Age of an LSA that is known, in seconds. */
static int32_t
age_of(const struct lsdb_held *held, uint64_t now_ns)
{
	if (held->expires_ns <= now_ns)
		return OSPF_MAX_AGE;
	return OSPF_MAX_AGE - (int32_t)((held->expires_ns - now_ns) / SECOND);
}

/* Compare with what is known (RFC 2328 section 13.1). NEW: it is to be stored. */
static enum fcn_pnc_counter
compare(struct ospf_reader *r, const uint8_t *key, const struct ospf_lsa *lsa, uint64_t now_ns)
{
	const bool is_purge = lsa->age == OSPF_MAX_AGE;
	struct lsdb_held held;
	int32_t held_sequence;

	if (!lsdb_find(r->db, key, &held))
		return is_purge ? FCN_PNC_COUNT_PURGE_UNKNOWN : FCN_PNC_COUNT_NEW;
	held_sequence = (int32_t)held.sequence;
	/* The numbers begin anew after the last one was withdrawn. */
	if (!is_purge && held.is_withdrawn && held_sequence == OSPF_LAST_SEQUENCE)
		return FCN_PNC_COUNT_NEW;
	if (lsa->sequence < held_sequence)
		return FCN_PNC_COUNT_OLD;
	if (lsa->sequence == held_sequence && lsa->checksum < held.checksum)
		return FCN_PNC_COUNT_OLD;
	if (lsa->sequence > held_sequence || lsa->checksum > held.checksum) {
		if (!is_purge)
			return FCN_PNC_COUNT_NEW;
	} else if (held.is_withdrawn) {
		return is_purge ? FCN_PNC_COUNT_SAME : FCN_PNC_COUNT_OLD;
	} else if (!is_purge) {
		if (lsa->does_not_age)
			lsdb_renew(r->db, key, now_ns + OSPF_MAX_AGE * SECOND);
		return age_of(&held, now_ns) - lsa->age > MAX_AGE_DIFF ? FCN_PNC_COUNT_NEW
								       : FCN_PNC_COUNT_SAME;
	}
	lsdb_withdraw(r->db, key, (uint32_t)lsa->sequence, lsa->checksum,
			now_ns + LSDB_WITHDRAWN_NS);
	return FCN_PNC_COUNT_PURGED;
}

static enum fcn_pnc_counter
store(struct ospf_reader *r, const struct ospf_place *place, const struct ospf_lsa *lsa,
		const uint8_t *key, const uint8_t *origin, uint64_t now_ns)
{
	const uint32_t left = lsa->does_not_age ? OSPF_MAX_AGE : OSPF_MAX_AGE - (uint32_t)lsa->age;
	struct lsdb_message *m = lsdb_message(r->db);
	enum fcn_pnc_counter what;
	bool is_good;

	memcpy(m->key, key, LSDB_KEY_LEN);
	memcpy(m->origin, origin, LSDB_ORIGIN_LEN);
	is_good = r->read(r, place, lsa);
	if (!is_good) {
		/* Without contents, but in the place of an older one. */
		m = lsdb_message(r->db);
		memcpy(m->key, key, LSDB_KEY_LEN);
		memcpy(m->origin, origin, LSDB_ORIGIN_LEN);
	}
	m->sequence = (uint32_t)lsa->sequence;
	m->checksum = lsa->checksum;
	m->expires_ns = now_ns + left * SECOND;
	what = lsdb_store(r->db);
	return is_good ? what : FCN_PNC_COUNT_MALFORMED;
}

/* Most TE LSAs are those of links, which have nothing that is looked for. */
static bool
is_link(const struct ospf_reader *r, const struct ospf_lsa *lsa)
{
	return r->is_te(lsa) && lsa->age < OSPF_MAX_AGE &&
	       (lsa->body.len < 4 || fcn_get_be16(lsa->body.at) != r->router_address);
}

static enum fcn_pnc_counter
read_lsa(struct ospf_reader *r, const struct ospf_place *place, const uint8_t *at, size_t len,
		uint64_t now_ns)
{
	uint8_t key[LSDB_KEY_LEN] = {0}, origin[LSDB_ORIGIN_LEN] = {0};
	struct lsdb_held held;
	struct ospf_lsa lsa;
	enum fcn_pnc_counter what = read_header(r, at, len, &lsa);

	if (what != FCN_PNC_COUNT_NEW)
		return what;
	if (!r->identify(place, &lsa, key, origin))
		return FCN_PNC_COUNT_OTHER;
	/* It may have taken the place of a router's address, which has then gone. */
	if (is_link(r, &lsa) && !lsdb_find(r->db, key, &held))
		return FCN_PNC_COUNT_OTHER;
	what = compare(r, key, &lsa, now_ns);
	return what == FCN_PNC_COUNT_NEW ? store(r, place, &lsa, key, origin, now_ns) : what;
}

enum fcn_pnc_counter
ospf_read_lsas(struct ospf_reader *r, const struct ospf_place *place, const uint8_t *lsas,
		size_t len, uint32_t n, uint64_t now_ns)
{
	enum fcn_pnc_counter what = FCN_PNC_COUNT_OTHER;

	if (n == 0)
		lsdb_count(r->db, what);
	while (n-- != 0) {
		size_t lsa_len;

		if (len < OSPF_LSA_HEADER) {
			lsdb_count(r->db, FCN_PNC_COUNT_LENGTH);
			return FCN_PNC_COUNT_LENGTH;
		}
		lsa_len = fcn_get_be16(lsas + 18);
		if (lsa_len < OSPF_LSA_HEADER || lsa_len > len) {
			lsdb_count(r->db, FCN_PNC_COUNT_LENGTH);
			return FCN_PNC_COUNT_LENGTH;
		}
		what = read_lsa(r, place, lsas, lsa_len, now_ns);
		lsdb_count(r->db, what);
		lsas += lsa_len;
		len -= lsa_len;
	}
	return what;
}
