/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_inet.h"
#include "fletcher.h"
#include "isis.h"

#define SECOND UINT64_C(1000000000)

struct fcn_pnc_isis {
	struct fcn_pnc_isis_conf conf;
	struct lsdb *db;
	uint8_t copy[PNC_MAX_MESSAGE]; /* of a PDU whose authentication is checked */
};

int
fcn_pnc_isis_create(const struct fcn_pnc_isis_conf *conf, const struct fcn_pnc_sink *sink,
		struct fcn_pnc_isis **isis, const char **error)
{
	const struct lsdb_conf db_conf = {.limits = conf->limits,
			.sink = *sink,
			.hash_key = conf->hash_key,
			.protocol = FCN_PNC_ISIS,
			.needs_first = true};
	struct fcn_pnc_isis *made;

	*error = lsdb_limits_why_not(&conf->limits);
	if (*error == NULL)
		*error = fcn_pnc_auth_why_not(&conf->auth, FCN_PNC_ISIS);
	if (*error != NULL)
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (made == NULL)
		return -ENOMEM;
	made->conf = *conf;
	made->db = lsdb_create(&db_conf);
	if (made->db == NULL) {
		free(made);
		return -ENOMEM;
	}
	*isis = made;
	return 0;
}

void
fcn_pnc_isis_destroy(struct fcn_pnc_isis *isis)
{
	if (isis == NULL)
		return;
	lsdb_destroy(isis->db);
	free(isis);
}

/* The level of an LSP, and its length without padding; anything else gets a reason. */
static enum fcn_pnc_counter
read_header(const uint8_t *pdu, size_t *len, uint8_t *level)
{
	uint8_t type;

	if (*len < 8)
		return FCN_PNC_COUNT_TRUNCATED;
	if (pdu[0] != ISIS_DISCRIMINATOR || pdu[2] != 1 || (pdu[3] != 0 && pdu[3] != 6) ||
			pdu[5] != 1)
		return FCN_PNC_COUNT_HEADER;
	type = pdu[ISIS_AT_TYPE] & 0x1F;
	if (type != ISIS_LSP_L1 && type != ISIS_LSP_L2)
		return FCN_PNC_COUNT_OTHER;
	if (*len < ISIS_LSP_HEADER)
		return FCN_PNC_COUNT_TRUNCATED;
	if (pdu[1] != ISIS_LSP_HEADER)
		return FCN_PNC_COUNT_HEADER;
	if (fcn_get_be16(pdu + ISIS_AT_PDU_LEN) > *len)
		return FCN_PNC_COUNT_TRUNCATED;
	*len = fcn_get_be16(pdu + ISIS_AT_PDU_LEN);
	if (*len < ISIS_LSP_HEADER || *len > PNC_MAX_MESSAGE)
		return FCN_PNC_COUNT_LENGTH;
	*level = type == ISIS_LSP_L1 ? 1 : 2;
	return FCN_PNC_COUNT_NEW;
}

/* Whether the TLVs fill the LSP; where the value of the one for authentication is. */
static bool
check_tlvs(const uint8_t *pdu, size_t len, size_t *auth, size_t *auth_len)
{
	size_t at = ISIS_LSP_HEADER;

	*auth = 0;
	*auth_len = 0;
	while (at < len) {
		if (len - at < 2 || len - at - 2 < pdu[at + 1])
			return false;
		if (pdu[at] == ISIS_TLV_AUTH && *auth == 0) {
			*auth = at + 2;
			*auth_len = pdu[at + 1];
		}
		at += 2u + pdu[at + 1];
	}
	return true;
}

/* Whether an LSP has no TLVs but those that a purge may have (RFC 5304, RFC 6233, RFC 8202). */
static bool
is_bare(const uint8_t *pdu, size_t len)
{
	for (size_t at = ISIS_LSP_HEADER; at < len; at += 2u + pdu[at + 1])
		if (pdu[at] != ISIS_TLV_INSTANCE && pdu[at] != ISIS_TLV_AUTH &&
				pdu[at] != ISIS_TLV_PURGE_ORIGINATOR &&
				pdu[at] != ISIS_TLV_FINGERPRINT && pdu[at] != ISIS_TLV_HOST_NAME)
			return false;
	return true;
}

/* Compare with what is known (ISO 10589 sections 7.3.15.1, 7.3.16). NEW: it is to be stored. */
static enum fcn_pnc_counter
compare(struct fcn_pnc_isis *isis, const uint8_t *key, const uint8_t *pdu, uint64_t now_ns)
{
	const bool is_purge = fcn_get_be16(pdu + ISIS_AT_LIFETIME) == 0;
	const uint32_t sequence = fcn_get_be32(pdu + ISIS_AT_SEQUENCE);
	const uint16_t checksum = fcn_get_be16(pdu + ISIS_AT_CHECKSUM);
	struct lsdb_held held;

	if (!lsdb_find(isis->db, key, &held))
		return is_purge ? FCN_PNC_COUNT_PURGE_UNKNOWN : FCN_PNC_COUNT_NEW;
	if (sequence < held.sequence)
		return FCN_PNC_COUNT_OLD;
	if (is_purge) {
		if (held.is_withdrawn && sequence == held.sequence)
			return FCN_PNC_COUNT_SAME;
		lsdb_withdraw(isis->db, key, sequence, checksum, now_ns + LSDB_WITHDRAWN_NS);
		return FCN_PNC_COUNT_PURGED;
	}
	if (sequence > held.sequence)
		return FCN_PNC_COUNT_NEW;
	if (held.is_withdrawn)
		return FCN_PNC_COUNT_OLD;
	if (checksum == held.checksum)
		return FCN_PNC_COUNT_SAME;
	lsdb_withdraw(isis->db, key, sequence, checksum, now_ns + LSDB_WITHDRAWN_NS);
	return FCN_PNC_COUNT_CONFLICT;
}

static enum fcn_pnc_counter
store(struct fcn_pnc_isis *isis, const uint8_t *key, const uint8_t *pdu, size_t len,
		uint64_t now_ns)
{
	struct lsdb_message *m = lsdb_message(isis->db);

	memcpy(m->key, key, LSDB_KEY_LEN);
	memcpy(m->origin, key, LSDB_ORIGIN_LEN);
	m->is_first = pdu[ISIS_AT_LSP_ID + 7] == 0;
	m->sequence = fcn_get_be32(pdu + ISIS_AT_SEQUENCE);
	m->checksum = fcn_get_be16(pdu + ISIS_AT_CHECKSUM);
	m->expires_ns = now_ns + fcn_get_be16(pdu + ISIS_AT_LIFETIME) * SECOND;
	for (size_t at = ISIS_LSP_HEADER; at < len; at += 2u + pdu[at + 1])
		isis_tlv_read(isis->db, &isis->conf, pdu[at], pdu + at + 2, pdu[at + 1]);
	return lsdb_store(isis->db);
}

static enum fcn_pnc_counter
input(struct fcn_pnc_isis *isis, const uint8_t *pdu, size_t len, uint64_t now_ns)
{
	uint8_t key[LSDB_KEY_LEN] = {0}, level;
	enum fcn_pnc_counter what = read_header(pdu, &len, &level);
	size_t auth, auth_len;

	if (what != FCN_PNC_COUNT_NEW)
		return what;
	if (fcn_get_be32(pdu + ISIS_AT_SEQUENCE) == 0)
		return FCN_PNC_COUNT_SEQUENCE;
	/* A purge has no checksum that could be relied on. */
	if (fcn_get_be16(pdu + ISIS_AT_LIFETIME) != 0 &&
			!pnc_fletcher_is_right(pdu + ISIS_AT_LSP_ID, len - ISIS_AT_LSP_ID,
					ISIS_AT_CHECKSUM - ISIS_AT_LSP_ID))
		return FCN_PNC_COUNT_CHECKSUM;
	if (!check_tlvs(pdu, len, &auth, &auth_len))
		return FCN_PNC_COUNT_MALFORMED;
	if (isis->conf.auth.n != 0) {
		memcpy(isis->copy, pdu, len);
		what = isis_auth_check(&isis->conf.auth, isis->copy, len, auth, auth_len);
		if (what != FCN_PNC_COUNT_NEW)
			return what;
		/* The lifetime is not authentic: an LSP must not become a purge by it. */
		if (fcn_get_be16(pdu + ISIS_AT_LIFETIME) == 0 && pdu[auth] != ISIS_AUTH_PASSWORD &&
				!is_bare(pdu, len))
			return FCN_PNC_COUNT_AUTH_PURGE;
	}
	/* Pseudonodes have no prefixes. */
	if (pdu[ISIS_AT_LSP_ID + 6] != 0)
		return FCN_PNC_COUNT_OTHER;
	key[0] = level;
	memcpy(key + 1, pdu + ISIS_AT_LSP_ID, 8);
	what = compare(isis, key, pdu, now_ns);
	return what == FCN_PNC_COUNT_NEW ? store(isis, key, pdu, len, now_ns) : what;
}

enum fcn_pnc_counter
fcn_pnc_isis_input(struct fcn_pnc_isis *isis, const uint8_t *pdu, size_t len, uint64_t now_ns)
{
	const enum fcn_pnc_counter what = input(isis, pdu, len, now_ns);

	lsdb_count(isis->db, what);
	return what;
}

uint64_t
fcn_pnc_isis_tick(struct fcn_pnc_isis *isis, uint64_t now_ns)
{
	return lsdb_tick(isis->db, now_ns);
}

void
fcn_pnc_isis_state(const struct fcn_pnc_isis *isis, struct fcn_pnc_state *state)
{
	lsdb_state(isis->db, state);
}
