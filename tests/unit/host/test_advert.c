/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_ether.h>

#include "fcn_nd.h"
#include "host_frames.h"
#include "host_state.h"
#include "hostbed.h"
#include "icmp6_request.h"

static int
setup(void **state)
{
	if (bed_setup(state) != 0)
		return -1;
	bed.conf.ra_interval_ns = 100 * S;
	bed.conf.port[1].advertise = true;
	bed_configure();
	return 0;
}

TEST_FIXTURE(.begin = bed_begin, .end = bed_end, .setup = setup, .teardown = bed_teardown);

static void
router_solicits(uint16_t port, uint8_t n, const char *src)
{
	struct fcn_addr s = {0};
	struct rte_ether_addr mac = mac_of(n);
	struct bytes b;

	if (src != NULL)
		s = addr_of(src);
	bytes_ether(&b, mac_of_port(port), mac, RTE_ETHER_TYPE_IPV6);
	b.len += router_solicitation(src == NULL ? NULL : s.bytes, &mac, b.data + b.len);
	bed_punt(FCN_PUNT_LINK, port, &b);
}

/* RFC 4861 section 6.2.4: three at most 16 s apart, then each between a third and the whole. */
TEST(unsolicited)
{
	uint64_t t = bed.now;
	bool differ = false;

	bed_run(t + 1000 * S);
	assert_true(bed.n_sent >= 12 && bed.n_sent <= 35);
	assert_int_equal(bed_count(FCN_HOST_RA_TX), bed.n_sent);
	assert_int_equal(bed.sent[0].at, t);
	for (unsigned int i = 0; i < bed.n_sent; i++) {
		uint64_t gap;

		bed_sent_is(i, 1, RA_1);
		if (i == 0)
			continue;
		gap = bed.sent[i].at - bed.sent[i - 1].at;
		if (i < 3) {
			assert_int_equal(gap, 16 * S);
			continue;
		}
		assert_true(gap >= 33 * S && gap <= 100 * S);
		differ |= i > 3 && gap != bed.sent[i - 1].at - bed.sent[i - 2].at;
	}
	assert_true(differ);
}

/* Answered within 500 ms, to all, but 3 s apart (section 6.2.6); who asks is learned. */
TEST(solicited)
{
	uint64_t t;

	bed_run(bed.now + 60 * S);
	t = bed.sent[bed.n_sent - 1].at + 5 * S;
	bed_run(t);
	bed_forget();
	router_solicits(1, 0x0b, NULL);
	assert_int_equal(bed.n_sent, 0);
	bed_run(t + S / 2);
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, RA_1);
	t = bed.sent[0].at;
	for (unsigned int i = 0; i < 5; i++)
		router_solicits(1, 0x0b, "fe80::b");
	bed_run(t + 3 * S - 1);
	assert_int_equal(bed.n_sent, 1);
	bed_run(t + 3 * S);
	assert_int_equal(bed.n_sent, 2);
	bed_sent_is(1, 1, RA_1);
	bed_run(t + 4 * S);
	assert_int_equal(bed.n_sent, 2);
	assert_int_equal(bed_neighbour(1, "fe80::b", NULL), FCN_NEIGHBOUR_PROBE);
	/* not on a port that does not advertise */
	bed_forget();
	router_solicits(0, 0x0a, "fe80::a");
	bed_run(bed.now + S);
	assert_int_equal(bed.n_sent, 0);
}

TEST(the_last_one)
{
	bed_run(bed.now + 60 * S);
	bed_forget();
	bed.conf.port[1].advertise = false;
	bed_configure();
	assert_int_equal(bed.n_sent, 1);
	bed_sent_is(0, 1, RA_LAST_1);
	bed_run(bed.now + 500 * S);
	assert_int_equal(bed.n_sent, 1);
	/* on again, and off before any was sent */
	bed.conf.port[1].advertise = true;
	bed_configure();
	bed.conf.port[1].advertise = false;
	bed_configure();
	assert_int_equal(bed.n_sent, 1);
	/* a port that goes down says nothing more */
	bed.conf.port[1].advertise = true;
	bed_configure();
	bed_run(bed.now);
	assert_int_equal(bed.n_sent, 2);
	bed.conf.port[1].up = false;
	bed_configure();
	bed_run(bed.now + 500 * S);
	assert_int_equal(bed.n_sent, 3);
	bed_sent_is(2, 1, RA_LAST_1);
}

/* From a link-local address that is found good alone. */
TEST(waits_for_its_address)
{
	bed_teardown(state);
	bed_setup_fresh(state);
	bed.conf.dad = true;
	bed.conf.port[1].advertise = true;
	bed_configure();
	while (bed_count(FCN_HOST_RA_TX) == 0) {
		struct fcn_addr a = addr_of("fe80::ff:fe00:11");

		assert_true(bed.now < 4 * S);
		bed_run(fcn_host_next(bed.host));
		if (!fcn_host_address_usable(bed.host, &a))
			assert_int_equal(bed_count(FCN_HOST_RA_TX), 0);
	}
}

/* New prefixes are told soon; eight at the most; those of 64 bits are for autoconfiguration. */
TEST(prefixes)
{
	struct fcn_nd nd;
	char prefix[40];

	bed_run(bed.now + 60 * S);
	bed_forget();
	bed_address(1, "2001:db8:1::2/64"); /* the same */
	bed_address(1, "2001:db8:aa::2/128");
	bed_address(1, "2001:db8:ab::2/80");
	bed_configure();
	bed_run(bed.now + 4 * S);
	for (unsigned int i = 0; i < bed.n_sent; i++) {
		if (bed.sent[i].data[54] == FCN_ND_ROUTER_ADVERT)
			assert_int_equal(fcn_nd_parse(bed.sent[i].data + 14, bed.sent[i].len - 14,
							 &nd),
					FCN_MSG_OK);
	}
	assert_int_equal(nd.ra.n_prefixes, 2);
	assert_int_equal(nd.ra.prefix[0].len, 64);
	assert_int_equal(nd.ra.prefix[0].flags, FCN_ND_ON_LINK | FCN_ND_AUTONOMOUS);
	assert_int_equal(nd.ra.prefix[1].len, 80);
	assert_int_equal(nd.ra.prefix[1].flags, FCN_ND_ON_LINK);
	for (unsigned int i = 0; i < 12; i++) {
		snprintf(prefix, sizeof(prefix), "2001:db8:c%x::1/64", i);
		bed_address(1, prefix);
	}
	bed_configure();
	bed_forget();
	bed_run(bed.now + 4 * S);
	memset(&nd, 0, sizeof(nd));
	for (unsigned int i = 0; i < bed.n_sent; i++) {
		if (bed.sent[i].data[54] == FCN_ND_ROUTER_ADVERT)
			assert_int_equal(fcn_nd_parse(bed.sent[i].data + 14, bed.sent[i].len - 14,
							 &nd),
					FCN_MSG_OK);
	}
	assert_int_equal(nd.ra.n_prefixes, 8);
	assert_false(nd.prefixes_left_out);
}

/* Three intervals, 9000 s at the most. */
TEST(lifetime)
{
	static const struct {
		uint64_t interval_s;
		unsigned int lifetime_s;
	} way[] = {{4, 12}, {1800, 5400}, {3000, 9000}, {5000, 9000}, {0, 1800}};
	struct fcn_nd nd;

	for (unsigned int i = 0; i < RTE_DIM(way); i++) {
		bed.conf.port[1].advertise = false;
		bed_configure();
		bed.conf.ra_interval_ns = way[i].interval_s * S;
		bed.conf.port[1].advertise = true;
		bed_configure();
		bed_forget();
		bed_run(bed.now);
		assert_int_equal(bed.n_sent, 1);
		assert_int_equal(fcn_nd_parse(bed.sent[0].data + 14, bed.sent[0].len - 14, &nd), 0);
		assert_int_equal(nd.ra.lifetime_s, way[i].lifetime_s);
	}
}
