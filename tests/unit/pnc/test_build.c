/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Frames of the builder are, octet for octet, those that tests/data/pnc_messages.py makes. */

#include <errno.h>

#include "pnc_keys.h"

static const uint8_t mac[6] = {2, 0, 0, 0, 0x0A, 1};

static void
check(const struct pnc_build *message, const char *name, const struct fcn_pnc_key *key)
{
	struct pnc_build m = *message;
	char full[40];
	uint8_t frame[1514];
	const uint8_t *wanted;
	size_t len;
	int got;

	if (key != NULL && !fcn_pnc_algorithm_is_built(key->algorithm))
		return;
	snprintf(full, sizeof(full), "%s%s%s", name, key == NULL ? "" : "-",
			key == NULL ? "" : fcn_pnc_algorithm_name(key->algorithm));
	wanted = pnc_frame_named(full, &len);
	memcpy(m.mac, mac, sizeof(mac));
	m.key = key;
	got = pnc_build(&m, frame, sizeof(frame));
	assert_int_equal(got, len);
	assert_memory_equal(frame, wanted, len);
	/* Not one octet more than there is room for. */
	for (size_t room = 0; room < len; room++) {
		uint8_t *small = malloc(room + 1);

		assert_non_null(small);
		small[room] = 0x5A;
		assert_int_equal(pnc_build(&m, small, room), -ENOSPC);
		assert_int_equal(small[room], 0x5A);
		free(small);
	}
}

TEST(isis)
{
	struct pnc_build m = pnc_message(FCN_PNC_ISIS, 7, 9);
	struct pnc_build_prefix p[] = {pnc_prefix("10.70.0.0/16"), pnc_prefix("192.0.2.7/32"),
			pnc_prefix("10.71.0.0/17"), pnc_prefix("2001:db8:70::/48")};

	p[1].is_proxied = false;
	p[1].is_node = true;
	p[2].is_leaked = true;
	assert_int_equal(fcn_addr_parse("192.0.2.70", &p[2].source), 0);
	assert_int_equal(fcn_addr_parse("2001:db8::70", &p[3].source), 0);
	m.fragment = 3;
	m.n_prefixes = RTE_DIM(p);
	m.prefix = p;
	check(&m, "built-isis", NULL);
	for (unsigned int i = 0; i < RTE_DIM(isis_keys); i++)
		check(&m, "built-isis", &isis_keys[i]);
}

TEST(ospf)
{
	struct pnc_build m = pnc_message(FCN_PNC_OSPF, 8, 9);
	struct pnc_build_prefix p[] = {pnc_prefix("10.80.0.0/16"), pnc_prefix("192.0.2.8/32"),
			pnc_prefix("10.81.0.0/17")};

	p[1].is_proxied = false;
	p[1].is_node = true;
	p[2].is_leaked = true;
	assert_int_equal(fcn_addr_parse("192.0.2.80", &p[2].source), 0);
	m.fragment = 3;
	m.n_prefixes = RTE_DIM(p);
	m.prefix = p;
	check(&m, "built-ospf", NULL);
	for (unsigned int i = 0; i < RTE_DIM(ospf_keys); i++)
		check(&m, "built-ospf", &ospf_keys[i]);
}

TEST(ospf3)
{
	struct pnc_build m = pnc_message(FCN_PNC_OSPF3, 9, 9);
	struct pnc_build_prefix p[] = {pnc_prefix("2001:db8:90::/48"),
			pnc_prefix("2001:db8:91::/64"), pnc_prefix("2001:db8:ffff::9/128")};
	uint8_t frame[1514];

	p[1].is_leaked = true;
	assert_int_equal(fcn_addr_parse("2001:db8::90", &p[1].source), 0);
	p[2].is_proxied = false;
	p[2].is_node = true;
	assert_int_equal(fcn_addr_parse("fe80::31", &m.link_address), 0);
	m.fragment = 3;
	m.n_prefixes = RTE_DIM(p);
	m.prefix = p;
	check(&m, "built-ospf3", NULL);
	for (unsigned int i = 2; i < RTE_DIM(ospf_keys); i++)
		check(&m, "built-ospf3", &ospf_keys[i]);

	/* It has no passwords, and this instance no IPv4. */
	m.key = &ospf_keys[0];
	assert_int_equal(pnc_build(&m, frame, sizeof(frame)), -EINVAL);
	m.key = NULL;
	p[0] = pnc_prefix("10.0.0.0/8");
	assert_int_equal(pnc_build(&m, frame, sizeof(frame)), -EINVAL);
}

TEST(purge)
{
	struct pnc_build m = pnc_message(FCN_PNC_ISIS, 7, 9);
	uint8_t frame[1514];
	const uint8_t *wanted;
	size_t len;

	if (!fcn_pnc_algorithm_is_built(isis_keys[4].algorithm))
		skip();
	m.seconds = 0;
	m.fragment = 3;
	m.key = &isis_keys[4];
	memcpy(m.mac, mac, sizeof(mac));
	wanted = pnc_frame_named("built-isis-purge", &len);
	assert_int_equal(pnc_build(&m, frame, sizeof(frame)), len);
	assert_memory_equal(frame, wanted, len);
}
