/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Authentication of the frames of tests/data/pnc-messages.txt, whose digests Python has computed.
 */

#include <errno.h>

#include "isis.h"
#include "pnc_keys.h"

TEST_FIXTURE(PNC_TEST);

static struct fcn_pnc_auth
one(const struct fcn_pnc_key *key)
{
	struct fcn_pnc_auth auth = {.n = 1};

	auth.key[0] = *key;
	return auth;
}

/* Read a frame with one key only. */
static enum fcn_pnc_counter
read_with(const struct fcn_pnc_key *key, enum fcn_pnc_protocol protocol, const uint8_t *frame,
		size_t len)
{
	static const enum fcn_pnc_counter all[] = {FCN_PNC_COUNT_NEW, FCN_PNC_COUNT_AUTH_MISSING,
			FCN_PNC_COUNT_AUTH_KEY, FCN_PNC_COUNT_AUTH_WRONG, FCN_PNC_COUNT_CHECKSUM};
	static const struct fcn_pnc_limits few = {4, 4, 8, 4, 8};
	const struct fcn_pnc_auth auth = one(key);
	enum fcn_pnc_counter what = FCN_PNC_COUNTER_COUNT;

	pnc_setup(&few, &auth);
	pnc_read_bytes(frame, len, 0);
	for (unsigned int i = 0; i < RTE_DIM(all); i++)
		if (pnc_count(protocol, all[i]) != 0)
			what = all[i];
	assert_int_equal(bench.told.n != 0, what == FCN_PNC_COUNT_NEW);
	return what;
}

static void
check_keys(const char *start, enum fcn_pnc_protocol protocol, const struct fcn_pnc_key *keys,
		unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_pnc_key key = keys[i];
		uint8_t frame[512];
		char name[40];
		size_t len;
		const uint8_t *there;

		if (!fcn_pnc_algorithm_is_built(key.algorithm))
			continue;
		snprintf(name, sizeof(name), "%s-auth-%s", start,
				fcn_pnc_algorithm_name(key.algorithm));
		there = pnc_frame_named(name, &len);
		memcpy(frame, there, len);
		assert_int_equal(read_with(&key, protocol, frame, len), FCN_PNC_COUNT_NEW);

		key.secret[key.len - 1] ^= 1;
		assert_int_equal(read_with(&key, protocol, frame, len), FCN_PNC_COUNT_AUTH_WRONG);
		key.secret[key.len - 1] ^= 1;
		/* All others refuse it, whatever the reason. */
		for (unsigned int other = 0; other < n; other++)
			if (other != i && fcn_pnc_algorithm_is_built(keys[other].algorithm))
				assert_int_not_equal(read_with(&keys[other], protocol, frame, len),
						FCN_PNC_COUNT_NEW);
		if (key.algorithm >= FCN_PNC_AUTH_SHA1) {
			key.id++;
			assert_int_equal(read_with(&key, protocol, frame, len),
					FCN_PNC_COUNT_AUTH_KEY);
			key.id--;
		}
		/* Every octet of the message counts, or the message is no longer one. */
		for (size_t octet = 14; octet < len; octet++) {
			const uint8_t bit = (uint8_t)(1 << octet % 8);
			enum fcn_pnc_counter what;

			/* The lifetime of an LSP is not covered. */
			if (protocol == FCN_PNC_ISIS && octet >= 27 && octet <= 28)
				continue;
			if (protocol != FCN_PNC_ISIS &&
					octet < (protocol == FCN_PNC_OSPF ? 34u : 54u))
				continue;
			if (key.algorithm == FCN_PNC_AUTH_PASSWORD)
				break;
			frame[octet] ^= bit;
			what = read_with(&key, protocol, frame, len);
			frame[octet] ^= bit;
			if (what == FCN_PNC_COUNT_NEW)
				fail_msg("%s: octet %zu is not covered", name, octet);
		}
	}
}

TEST(isis)
{
	check_keys("isis", FCN_PNC_ISIS, isis_keys, RTE_DIM(isis_keys));
}

TEST(ospf)
{
	check_keys("ospf", FCN_PNC_OSPF, ospf_keys, RTE_DIM(ospf_keys));
}

TEST(ospf3)
{
	check_keys("ospf3", FCN_PNC_OSPF3, ospf_keys + 2, RTE_DIM(ospf_keys) - 2);
}

TEST(several)
{
	struct fcn_pnc_auth auth = {.n = 2};

	if (!fcn_pnc_algorithm_is_built(FCN_PNC_AUTH_MD5))
		skip();
	/* Two keys of one algorithm, as while a key is changed. */
	auth.key[0] = isis_keys[1];
	auth.key[0].secret[0]++;
	auth.key[1] = isis_keys[1];
	pnc_setup(NULL, &auth);
	pnc_read("isis-vlan", 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_AUTH_MISSING), 1);
	pnc_read("isis-auth-md5", 0);
	assert_int_equal(bench.told.n, 1);
	/* A purge needs authentication, too. */
	pnc_read("isis-l1-purge", 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_AUTH_MISSING), 2);
	pnc_read("isis-auth-purge", 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PURGED), 1);
	assert_int_equal(bench.told.n, 0);

	/* A secret that is the beginning of the password is not the password. */
	auth.n = 1;
	auth.key[0] = isis_keys[0];
	auth.key[0].len--;
	pnc_setup(NULL, &auth);
	pnc_read("isis-auth-password", 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_AUTH_WRONG), 1);

	/* The reason of the key that comes nearest is counted, whatever the order of keys. */
	for (unsigned int wrong = 0; wrong < 2; wrong++) {
		auth.n = 2;
		auth.key[0] = auth.key[1] = ospf_keys[3];
		auth.key[wrong].secret[0]++;
		auth.key[!wrong].id = 9;
		pnc_setup(NULL, &auth);
		pnc_read("ospf-auth-sha256", 0);
		pnc_read("ospf3-auth-sha256", 0);
		assert_int_equal(pnc_count(FCN_PNC_OSPF, FCN_PNC_COUNT_AUTH_WRONG), 1);
		assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_AUTH_WRONG), 1);
	}

	/* The Cryptographic Protocol ID in the other order. */
	auth.n = 1;
	auth.key[0] = ospf_keys[4];
	pnc_setup(NULL, &auth);
	pnc_read("ospf3-frr-sha384", 0);
	assert_int_equal(pnc_count(FCN_PNC_OSPF3, FCN_PNC_COUNT_NEW), 2);

	/* Without keys it is ignored. */
	pnc_setup(NULL, NULL);
	pnc_read("isis-auth-md5", 0);
	pnc_read("ospf-auth-sha256", 0);
	pnc_read("ospf3-auth-sha512", 0);
	assert_int_equal(bench.told.n, 3);
}

/* Read an authentic purge with a further TLV. */
static void
read_purge(const struct fcn_pnc_key *key, uint8_t tlv, uint32_t sequence)
{
	const size_t end = 27 + pnc_isis_auth_len(key);
	uint8_t frame[200] = {[14] = 0xFE, 0xFE, 3}, *lsp = frame + 17;
	const uint8_t header[] = {0x83, 27, 1, 0, 20, 1, 0, 0, 0, (uint8_t)(end + 7), 0, 0, 0x19,
			0x20, 0, 0, 0, 1, 0, 0, 0, 0, 0, (uint8_t)sequence, 0, 0, 3};

	frame[13] = (uint8_t)(3 + end + 7);
	memcpy(lsp, header, sizeof(header));
	lsp[end] = tlv;
	lsp[end + 1] = 5;
	assert_true(pnc_isis_auth_write(key, lsp, end + 7, 27));
	assert_int_equal(pnc_read_bytes(frame, 17 + end + 7, 0), FCN_PNC_FRAME_ISIS);
}

/*
 * RFC 5304 section 2: an authentic LSP becomes a purge when anybody sets its lifetime to 0, which
 * the digest does not cover. So a purge has no contents, or does not count.
 */
TEST(purge)
{
	/* Purge originator (RFC 6232), host name, fingerprint, instance: purges have these. */
	static const uint8_t allowed[] = {13, 137, 15, 7}, others[] = {1, 134, 135, 236};

	for (unsigned int k = 1; k < RTE_DIM(isis_keys); k++) {
		struct pnc_build_prefix p = pnc_prefix("10.0.0.0/24");
		struct pnc_build m = pnc_message(FCN_PNC_ISIS, 1, 1);
		const struct fcn_pnc_auth auth = one(&isis_keys[k]);
		uint8_t frame[1514];
		int len;

		if (!fcn_pnc_algorithm_is_built(isis_keys[k].algorithm))
			continue;
		pnc_setup(NULL, &auth);
		m.key = &isis_keys[k];
		m.prefix = &p;
		m.n_prefixes = 1;
		len = pnc_build(&m, frame, sizeof(frame));
		assert_true(len > 0);
		pnc_read_bytes(frame, (size_t)len, 0);
		assert_int_equal(bench.told.n, 1);
		frame[27] = frame[28] = 0;
		pnc_read_bytes(frame, (size_t)len, 0);
		assert_int_equal(bench.told.n, 1);
		assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_AUTH_PURGE), 1);
		for (unsigned int i = 0; i < RTE_DIM(others); i++) {
			read_purge(&isis_keys[k], others[i], 2);
			assert_int_equal(bench.told.n, 1);
		}
		for (unsigned int i = 0; i < RTE_DIM(allowed); i++)
			read_purge(&isis_keys[k], allowed[i], 2 + i);
		assert_int_equal(bench.told.n, 0);
		assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_PURGED), 4);
		assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_AUTH_PURGE), 5);
	}
}

TEST(refused)
{
	static const struct {
		struct fcn_pnc_key key;
		enum fcn_pnc_protocol protocol;
	} bad[] = {
			{{.algorithm = FCN_PNC_AUTH_COUNT, .len = 1}, FCN_PNC_ISIS},
			{{.algorithm = FCN_PNC_AUTH_PASSWORD, .len = 0}, FCN_PNC_ISIS},
			{{.algorithm = FCN_PNC_AUTH_SHA1, .len = 81}, FCN_PNC_ISIS},
			{{.algorithm = FCN_PNC_AUTH_PASSWORD, .len = 9}, FCN_PNC_OSPF},
			{{.algorithm = FCN_PNC_AUTH_MD5, .len = 17}, FCN_PNC_OSPF},
			{{.algorithm = FCN_PNC_AUTH_SHA1, .len = 5, .id = 256}, FCN_PNC_OSPF},
			{{.algorithm = FCN_PNC_AUTH_MD5, .len = 5}, FCN_PNC_OSPF3},
			{{.algorithm = FCN_PNC_AUTH_PASSWORD, .len = 5}, FCN_PNC_OSPF3},
	};
	struct fcn_pnc_isis_conf conf = FCN_PNC_ISIS_DEFAULTS;
	const struct fcn_pnc_sink sink = {0};
	struct fcn_pnc_isis *isis;
	const char *error = NULL;

	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		const struct fcn_pnc_auth auth = one(&bad[i].key);

		assert_non_null(fcn_pnc_auth_why_not(&auth, bad[i].protocol));
	}
	conf.auth = one(&bad[0].key);
	assert_int_equal(fcn_pnc_isis_create(&conf, &sink, &isis, &error), -EINVAL);
	assert_non_null(error);
	conf.auth.n = FCN_PNC_MAX_KEYS + 1;
	assert_int_equal(fcn_pnc_isis_create(&conf, &sink, &isis, &error), -EINVAL);
	conf.auth.n = 0;
	conf.limits.prefixes = 0;
	assert_int_equal(fcn_pnc_isis_create(&conf, &sink, &isis, &error), -EINVAL);
}
