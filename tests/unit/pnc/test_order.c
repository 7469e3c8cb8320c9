/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Age, order, and several originators. */

#include "fcn_inet.h"
#include "fletcher_write.h"
#include "ospf.h"
#include "pnc_util.h"

TEST_FIXTURE(PNC_TEST);

static struct pnc_build
with(enum fcn_pnc_protocol protocol, uint8_t n, uint32_t sequence,
		const struct pnc_build_prefix *prefix)
{
	struct pnc_build m = pnc_message(protocol, n, sequence);

	m.prefix = prefix;
	m.n_prefixes = 1;
	return m;
}

/* A prefix of two systems goes to the lower address, until that system no longer has it. */
static void
check_originators(
		enum fcn_pnc_protocol protocol, const char *text, const char *low, const char *high)
{
	const struct pnc_build_prefix prefix = pnc_prefix(text);
	struct pnc_build_prefix plain = prefix;
	struct pnc_build m = with(protocol, 8, 1, &prefix);

	plain.is_proxied = false;
	pnc_setup(NULL, NULL);
	pnc_read_built(&m, 0);
	assert_string_equal(pnc_proxy(text), high);
	m = with(protocol, 3, 1, &prefix);
	pnc_read_built(&m, 0);
	assert_string_equal(pnc_proxy(text), low);
	assert_int_equal(bench.told.n, 1);
	assert_int_equal(bench.told.removes, 0);
	m.prefix = &plain;
	m.sequence++;
	pnc_read_built(&m, 0);
	assert_string_equal(pnc_proxy(text), high);
	assert_int_equal(bench.told.removes, 0);
}

TEST(originators)
{
	check_originators(FCN_PNC_ISIS, "10.1.0.0/16", "192.0.2.3", "192.0.2.8");
	check_originators(FCN_PNC_OSPF, "10.1.0.0/16", "192.0.2.3", "192.0.2.8");
	check_originators(FCN_PNC_OSPF3, "2001:db8:1::/48", "2001:db8:ffff::3", "2001:db8:ffff::8");
}

/* The same node says it in both levels: the later end counts. */
TEST(levels)
{
	const struct pnc_build_prefix prefix = pnc_prefix("10.1.0.0/16");
	struct pnc_build m = with(FCN_PNC_ISIS, 1, 5, &prefix);

	pnc_setup(NULL, NULL);
	pnc_read_built(&m, 0);
	m.level = 1;
	m.seconds = 600;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).originators, 2);
	assert_int_equal(pnc_left("10.1.0.0/16", 0), 1200);
	m.seconds = 3000;
	m.sequence = 6;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_left("10.1.0.0/16", 0), 3000);
	/* Level 1 is purged: level 2 is still there. */
	m.seconds = 0;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_left("10.1.0.0/16", 0), 1200);
	assert_int_equal(bench.told.removes, 0);
}

/* A system changes its router ID, loses it, and its fragment 0. */
TEST(address)
{
	const struct pnc_build_prefix prefix = pnc_prefix("10.1.0.0/16");
	const struct pnc_build_prefix host = pnc_prefix("192.0.2.55/32");
	struct pnc_build first = pnc_message(FCN_PNC_ISIS, 1, 1);
	struct pnc_build second = with(FCN_PNC_ISIS, 1, 1, &prefix);

	pnc_setup(NULL, NULL);
	second.fragment = 1;
	second.router_address[0].version = 0;
	second.router_address[1].version = 0;
	pnc_read_built(&second, 0);
	assert_int_equal(bench.told.n, 0);
	pnc_read_built(&first, 0);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "192.0.2.1");
	first.sequence++;
	first.router_address[0].bytes[3] = 111;
	pnc_read_built(&first, 0);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "192.0.2.111");
	/* No IPv4 address: the IPv6 one. */
	first.sequence++;
	first.router_address[0].version = 0;
	pnc_read_built(&first, 0);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "2001:db8:ffff::1");
	/* None at all; a host prefix with the capability is its own proxy. */
	first.sequence++;
	first.router_address[1].version = 0;
	first.n_prefixes = 1;
	first.prefix = &host;
	pnc_read_built(&first, 0);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "");
	assert_string_equal(pnc_proxy("192.0.2.55/32"), "192.0.2.55");
	/* Addresses that no node has. */
	first.sequence++;
	fcn_addr_parse("224.0.0.9", &first.router_address[0]);
	fcn_addr_parse("fe80::1", &first.router_address[1]);
	pnc_read_built(&first, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_PROXY), 2);
	assert_string_equal(pnc_proxy("10.1.0.0/16"), "");
	first.sequence++;
	fcn_addr_parse("192.0.2.1", &first.router_address[0]);
	first.router_address[1].version = 0;
	pnc_read_built(&first, 0);
	assert_int_equal(bench.told.n, 2);
	first.seconds = 0;
	pnc_read_built(&first, 0);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(pnc_state(FCN_PNC_ISIS).unresolved, 1);
}

/* Prefixes and messages that cannot be. */
TEST(prefixes)
{
	static const char *const bad[] = {"0.0.0.0/0", "224.0.0.0/4", "127.0.0.0/8", "0.0.0.0/1",
			"169.254.0.0/16", "::/0", "ff00::/8", "fe80::/10", "::1/128"};
	struct pnc_build_prefix prefix;
	struct pnc_build m;

	pnc_setup(NULL, NULL);
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		prefix = pnc_prefix(bad[i]);
		m = with(FCN_PNC_ISIS, 1, 1 + i, &prefix);
		pnc_read_built(&m, 0);
		assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_BAD_PREFIX), i + 1);
	}
	assert_int_equal(bench.told.n, 0);
	/* Host bits are not part of a prefix. */
	prefix = pnc_prefix("10.1.255.0/20");
	m = with(FCN_PNC_ISIS, 1, 100, &prefix);
	pnc_read_built(&m, 0);
	assert_string_equal(pnc_proxy("10.1.240.0/20"), "192.0.2.1");
	m.sequence = 0;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(FCN_PNC_ISIS, FCN_PNC_COUNT_SEQUENCE), 1);
}

static void
check_ospf(enum fcn_pnc_protocol protocol, const char *text)
{
	const struct pnc_build_prefix prefix = pnc_prefix(text);
	struct pnc_build m = with(protocol, 1, 7, &prefix);

	pnc_setup(NULL, NULL);
	m.seconds = 1000;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_left(text, 0), 2600);
	/* A little younger: it is the same one. */
	m.seconds = 100;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(protocol, FCN_PNC_COUNT_SAME), 2);
	assert_int_equal(pnc_left(text, 0), 2600);
	/* More than a quarter of an hour younger: it is newer (RFC 2328 section 13.1). */
	m.seconds = 99;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_left(text, 0), 3501);
	/* Much older ones are not. */
	m.seconds = 3599;
	pnc_read_built(&m, 10 * SECOND);
	assert_int_equal(pnc_left(text, 0), 3501);
	assert_int_equal(fcn_pnc_frame_tick(&bench.readers, 3500 * SECOND), 3501 * SECOND);
	assert_int_equal(bench.told.n, 1);
	assert_true(fcn_pnc_frame_tick(&bench.readers, 3501 * SECOND) == UINT64_MAX);
	assert_int_equal(bench.told.n, 0);
	assert_int_equal(pnc_count(protocol, FCN_PNC_COUNT_EXPIRED), 2);

	/* It does not age: an hour from each time that it is read. */
	m.sequence++;
	m.seconds = 0x8000 | 5;
	pnc_read_built(&m, 4000 * SECOND);
	assert_int_equal(pnc_left(text, 4000 * SECOND), 3600);
	pnc_read_built(&m, 4500 * SECOND);
	assert_int_equal(pnc_left(text, 4500 * SECOND), 3600);

	/* The last sequence number, its flush, and the first one again. */
	pnc_setup(NULL, NULL);
	m = with(protocol, 1, 0, &prefix);
	m.sequence = 0x7FFFFFFF;
	pnc_read_built(&m, 0);
	assert_int_equal(bench.told.n, 1);
	m.sequence = 0x80000001;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(protocol, FCN_PNC_COUNT_OLD), 2);
	m.sequence = 0x7FFFFFFF;
	m.seconds = 3600;
	pnc_read_built(&m, 0);
	assert_int_equal(bench.told.n, 0);
	m.sequence = 0x80000001;
	m.seconds = 1;
	pnc_read_built(&m, 0);
	assert_int_equal(bench.told.n, 1);
	/* A number that no LSA has. */
	m.sequence = 0x80000000;
	pnc_read_built(&m, 0);
	assert_int_equal(pnc_count(protocol, FCN_PNC_COUNT_SEQUENCE), 2);
}

TEST(ospf)
{
	check_ospf(FCN_PNC_OSPF, "10.1.0.0/16");
	check_ospf(FCN_PNC_OSPF3, "2001:db8:1::/48");
}

/* Router IDs that are addresses, where that is configured. */
TEST(router_id)
{
	pnc_setup_ids();
	pnc_read("ospf-id", 0);
	assert_string_equal(pnc_proxy("10.27.0.0/16"), "192.0.2.24");
	/* A router address is better. */
	pnc_read("ospf", 0);
	assert_string_equal(pnc_proxy("10.21.0.0/16"), "192.0.2.121");
}

/* Code points are configuration. */
TEST(code_points)
{
	const struct pnc_build_prefix prefix = pnc_prefix("10.1.0.0/16");
	static const uint8_t bits[] = {0, 7, 9, 17, 31};

	for (unsigned int i = 0; i < RTE_DIM(bits); i++) {
		struct pnc_build isis = with(FCN_PNC_ISIS, 1, 1, &prefix);
		struct pnc_build ospf = with(FCN_PNC_OSPF, 1, 1, &prefix);

		isis.flag_bit = ospf.flag_bit = bits[i];
		isis.flags_sub_tlv = ospf.flags_sub_tlv = 99;
		pnc_setup(NULL, NULL);
		pnc_read_built(&isis, 0);
		pnc_read_built(&ospf, 0);
		assert_int_equal(bench.told.n, 0);
		pnc_setup_codes(99, bits[i]);
		pnc_read_built(&isis, 0);
		assert_int_equal(bench.told.n, 1);
		pnc_read_built(&ospf, 0);
		assert_int_equal(bench.told.n, 2);
		/* The bits beside it say nothing. */
		pnc_setup_codes(99, bits[i] + 1);
		pnc_read_built(&isis, 0);
		pnc_read_built(&ospf, 0);
		assert_int_equal(bench.told.n, 0);
	}
}

/*
 * A newer LSA with the address of a router has a link instead: the address has gone, as if the LSA
 * had been withdrawn.
 */
TEST(no_router_address)
{
	static const struct {
		enum fcn_pnc_protocol protocol;
		const char *prefix;
		size_t packet, lsa; /* offsets in the frame */
	} cases[] = {
			{FCN_PNC_OSPF, "10.0.0.0/24", 34, 62},
			{FCN_PNC_OSPF3, "2001:db8:a::/48", 54, 74},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct pnc_build_prefix p = pnc_prefix(cases[i].prefix);
		struct pnc_build m = pnc_message(cases[i].protocol, 1, 1);
		uint8_t frame[1514], *lsa = frame + cases[i].lsa;
		uint8_t *packet = frame + cases[i].packet, pseudo[40] = {0};
		uint32_t sum;
		size_t len;

		pnc_setup(NULL, NULL);
		m.prefix = &p;
		m.n_prefixes = 1;
		pnc_read_built(&m, 0);
		assert_int_equal(bench.told.n, 1);
		m.sequence++;
		len = (size_t)pnc_build(&m, frame, sizeof(frame));
		lsa[21] = 2; /* the type of the first TLV: a link */
		fletcher_write(lsa + 2, fcn_get_be16(lsa + 18) - 2u, 14);
		fcn_put_be16(packet + 12, 0);
		if (cases[i].protocol == FCN_PNC_OSPF3) {
			memcpy(pseudo, packet - 32, 32);
			fcn_put_be32(pseudo + 32, fcn_get_be16(packet + 2));
			pseudo[39] = 89;
		}
		sum = (uint16_t)~ospf_checksum(0, pseudo, sizeof(pseudo));
		fcn_put_be16(packet + 12, ospf_checksum(sum, packet, fcn_get_be16(packet + 2)));
		pnc_read_bytes(frame, len, SECOND);
		assert_int_equal(bench.told.n, 0);
		assert_int_equal(pnc_count(cases[i].protocol, FCN_PNC_COUNT_NEW), 4);
		/* Links of routers are not remembered otherwise. */
		pnc_setup(NULL, NULL);
		pnc_read_bytes(frame, len, SECOND);
		assert_int_equal(pnc_count(cases[i].protocol, FCN_PNC_COUNT_OTHER), 1);
		assert_int_equal(pnc_state(cases[i].protocol).items, 1);
	}
}
