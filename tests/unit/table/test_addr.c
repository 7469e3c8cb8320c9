/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "table_test.h"

TEST(addr_parse)
{
	static const uint8_t doc[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
	static const uint8_t ten[16] = {10, 0, 200, 255};
	struct fcn_addr addr;

	memset(&addr, 0xee, sizeof(addr));
	assert_int_equal(fcn_addr_parse("10.0.200.255", &addr), 0);
	assert_int_equal(addr.version, 4);
	assert_memory_equal(addr.bytes, ten, 16);
	memset(&addr, 0xee, sizeof(addr));
	assert_int_equal(fcn_addr_parse("2001:DB8::1", &addr), 0);
	assert_int_equal(addr.version, 6);
	assert_memory_equal(addr.bytes, doc, 16);
	assert_int_equal(fcn_addr_parse("::ffff:10.0.0.1", &addr), 0);
	assert_int_equal(addr.version, 6);
	assert_int_equal(addr.bytes[12], 10);
}

TEST(addr_parse_bad)
{
	static const char *const bad[] = {"", " ", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256",
			"01.2.3.4", "1.2.3.4 ", " 1.2.3.4", "0x1.2.3.4", "1.2.3.4/24", "1..2.3",
			":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
			"::1::", "12345::", "g::", "fe80::1%eth0", "::1/64", "[::1]", "::1 ",
			"host", "-1.2.3.4", "::256.0.0.1",
			"00000000000000000000000000000000000000000000000000000000000000000000"};
	struct fcn_addr addr, before;
	size_t i;

	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < RTE_DIM(bad); i++) {
		addr = before;
		if (fcn_addr_parse(bad[i], &addr) != -EINVAL)
			fail_msg("accepted \"%s\"", bad[i]);
		assert_memory_equal(&addr, &before, sizeof(addr));
	}
}

TEST(prefix_parse)
{
	struct fcn_prefix prefix;

	assert_int_equal(fcn_prefix_parse("2001:db8::/32", &prefix), 0);
	assert_int_equal(prefix.addr.version, 6);
	assert_int_equal(prefix.len, 32);
	assert_int_equal(fcn_prefix_parse("::/0", &prefix), 0);
	assert_int_equal(prefix.len, 0);
	assert_int_equal(fcn_prefix_parse("::1/128", &prefix), 0);
	assert_int_equal(prefix.len, 128);
	assert_int_equal(fcn_prefix_parse("::1", &prefix), 0);
	assert_int_equal(prefix.len, 128);
	assert_int_equal(fcn_prefix_parse("10.0.0.0/8", &prefix), 0);
	assert_int_equal(prefix.addr.version, 4);
	assert_int_equal(prefix.len, 8);
	assert_int_equal(fcn_prefix_parse("10.1.2.3", &prefix), 0);
	assert_int_equal(prefix.len, 32);
	/* Host bits are kept: whether they are an error is the caller's question. */
	assert_int_equal(fcn_prefix_parse("10.1.2.3/8", &prefix), 0);
	assert_int_equal(prefix.addr.bytes[3], 3);
	assert_int_equal(fcn_prefix_parse("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128",
					 &prefix),
			0);
	assert_int_equal(prefix.addr.bytes[15], 255);
}

TEST(prefix_parse_bad)
{
	static const char *const bad[] = {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1",
			"10.0.0.0/+8", "10.0.0.0/08", "10.0.0.0/00", "10.0.0.0/ 8", "10.0.0.0/8 ",
			"10.0.0.0 /8", "10.0.0.0//8", "10.0.0.0/8/8", "10.0.0.0/0x8", "10/8",
			"10.0.0.0/255.0.0.0", "10.0.0.0/1000", "10.0.0.0/4294967304", "::/129",
			"::/256", "::/999", "::/0128", "::/a", "2001:db8/32",
			"0000:0000:0000:0000:0000:0000:000000000:0000000/1"};
	struct fcn_prefix prefix, before;
	size_t i;

	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < RTE_DIM(bad); i++) {
		prefix = before;
		if (fcn_prefix_parse(bad[i], &prefix) != -EINVAL)
			fail_msg("accepted \"%s\"", bad[i]);
		assert_memory_equal(&prefix, &before, sizeof(prefix));
	}
}

TEST(format)
{
	/* Shortest form by RFC 5952. */
	static const char *const same[] = {"2001:db8::1/64", "::/0", "1:2:3:4:5:6:7:8/127",
			"0.0.0.0/0", "255.255.255.255/32",
			"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128"};
	struct fcn_prefix prefix;
	struct fcn_prefix none = {0};
	char buf[FCN_PREFIX_STRLEN];
	size_t i;

	for (i = 0; i < RTE_DIM(same); i++) {
		assert_int_equal(fcn_prefix_parse(same[i], &prefix), 0);
		assert_ptr_equal(fcn_prefix_format(&prefix, buf, sizeof(buf)), buf);
		assert_string_equal(buf, same[i]);
	}
	assert_int_equal(fcn_prefix_parse("2001:0db8:0:0::A/64", &prefix), 0);
	assert_string_equal(fcn_addr_format(&prefix.addr, buf, sizeof(buf)), "2001:db8::a");
	assert_string_equal(fcn_addr_format(&none.addr, buf, sizeof(buf)), "-");
	assert_string_equal(fcn_prefix_format(&none, buf, sizeof(buf)), "-");
}

TEST(format_short_buffer)
{
	struct fcn_prefix prefix;
	char buf[16];
	size_t size;

	assert_int_equal(fcn_prefix_parse("10.0.0.1/24", &prefix), 0);
	for (size = 0; size <= sizeof(buf); size++) {
		memset(buf, 'x', sizeof(buf));
		fcn_prefix_format(&prefix, buf, size);
		/* "10.0.0.1/24" and its end take 12: all of it or nothing. */
		if (size > 0)
			assert_string_equal(buf, size >= 12 ? "10.0.0.1/24" : "");
		if (size < sizeof(buf))
			assert_int_equal(buf[size], 'x');
		memset(buf, 'x', sizeof(buf));
		fcn_addr_format(&prefix.addr, buf, size);
		if (size > 0)
			assert_string_equal(buf, size >= 9 ? "10.0.0.1" : "");
		if (size < sizeof(buf))
			assert_int_equal(buf[size], 'x');
	}
}

TEST(longest_text_fits)
{
	struct fcn_prefix prefix = {.addr.version = 6, .len = 128};
	char buf[FCN_PREFIX_STRLEN];

	/* A mapped address is the one kind that inet_ntop() ends in dots. */
	memset(prefix.addr.bytes + 10, 0xff, 6);
	assert_string_equal(
			fcn_prefix_format(&prefix, buf, sizeof(buf)), "::ffff:255.255.255.255/128");
	assert_int_equal(FCN_PREFIX_STRLEN, FCN_ADDR_STRLEN + strlen("/128"));
}

TEST(equal)
{
	struct fcn_prefix a, b;

	fcn_prefix_parse("10.0.0.1/24", &a);
	fcn_prefix_parse("10.0.0.1/24", &b);
	b.addr.bytes[9] = 1; /* behind an IPv4 address: not part of it */
	assert_true(fcn_addr_equal(&a.addr, &b.addr));
	assert_true(fcn_prefix_equal(&a, &b));
	b.len = 25;
	assert_true(fcn_addr_equal(&a.addr, &b.addr));
	assert_false(fcn_prefix_equal(&a, &b));
	b = a;
	b.addr.bytes[3] = 2;
	assert_false(fcn_addr_equal(&a.addr, &b.addr));
	assert_false(fcn_prefix_equal(&a, &b));
	b = a;
	b.addr.version = 6;
	assert_false(fcn_addr_equal(&a.addr, &b.addr));
}

TEST(contains)
{
	static const struct {
		const char *prefix, *addr;
		bool in;
	} cases[] = {
			{"10.0.0.0/8", "10.255.255.255", true},
			{"10.0.0.0/8", "11.0.0.0", false},
			{"10.0.0.0/9", "10.127.255.255", true},
			{"10.0.0.0/9", "10.128.0.0", false},
			{"0.0.0.0/0", "255.1.2.3", true},
			{"0.0.0.0/0", "::", false},
			{"::/0", "0.0.0.0", false},
			{"::/0", "ffff::1", true},
			{"2001:db8::/33", "2001:db8:7fff::", true},
			{"2001:db8::/33", "2001:db8:8000::", false},
			{"::1/128", "::1", true},
			{"::1/128", "::", false},
			{"::2/127", "::3", true},
			{"::2/127", "::4", false},
			{"10.1.2.3/8", "10.9.9.9", true}, /* host bits of the prefix do not count */
			{"1.2.3.4/32", "1.2.3.5", false},
	};
	struct fcn_prefix prefix;
	struct fcn_addr addr;
	size_t i;

	for (i = 0; i < RTE_DIM(cases); i++) {
		assert_int_equal(fcn_prefix_parse(cases[i].prefix, &prefix), 0);
		assert_int_equal(fcn_addr_parse(cases[i].addr, &addr), 0);
		if (fcn_prefix_contains(&prefix, &addr) != cases[i].in)
			fail_msg("%s in %s", cases[i].addr, cases[i].prefix);
	}
	memset(&prefix, 0, sizeof(prefix));
	memset(&addr, 0, sizeof(addr));
	assert_false(fcn_prefix_contains(&prefix, &addr));
}

TEST(normalise)
{
	static const struct {
		const char *from, *to;
		bool changed;
	} cases[] = {
			{"10.1.2.3/32", "10.1.2.3/32", false},
			{"10.1.2.3/31", "10.1.2.2/31", true},
			{"10.255.0.0/9", "10.128.0.0/9", true},
			{"10.1.2.3/0", "0.0.0.0/0", true},
			{"::/0", "::/0", false},
			{"2001:db8::1/128", "2001:db8::1/128", false},
			{"2001:db8::1/127", "2001:db8::/127", true},
			{"2001:db8:ffff::/35", "2001:db8:e000::/35", true},
	};
	struct fcn_prefix from, to;
	size_t i;

	for (i = 0; i < RTE_DIM(cases); i++) {
		assert_int_equal(fcn_prefix_parse(cases[i].from, &from), 0);
		assert_int_equal(fcn_prefix_parse(cases[i].to, &to), 0);
		assert_int_equal(fcn_prefix_normalise(&from), cases[i].changed);
		assert_memory_equal(&from, &to, sizeof(from));
	}
}

TEST(unicast)
{
	static const char *const yes[] = {"10.0.0.1", "223.255.255.255", "240.0.0.1",
			"255.255.255.254", "::1", "fe80::1", "2001:db8::", "fe00::"};
	static const char *const no[] = {"0.0.0.0", "255.255.255.255", "224.0.0.1",
			"239.255.255.255", "::", "ff02::1", "ff00::"};
	struct fcn_addr addr;
	size_t i;

	for (i = 0; i < RTE_DIM(yes); i++) {
		assert_int_equal(fcn_addr_parse(yes[i], &addr), 0);
		assert_true(fcn_addr_is_unicast(&addr));
	}
	for (i = 0; i < RTE_DIM(no); i++) {
		assert_int_equal(fcn_addr_parse(no[i], &addr), 0);
		assert_false(fcn_addr_is_unicast(&addr));
	}
	memset(&addr, 1, sizeof(addr));
	addr.version = 0;
	assert_false(fcn_addr_is_unicast(&addr));
}

/* Where the standards have an address that no host has, by the length of the prefix. The addresses
 * and lengths are the examples and rules of the RFCs that are named. */
TEST(host_in_prefix)
{
	static const struct {
		const char *prefix, *why; /* why: the beginning; NULL: a host can have it */
	} cases[] = {
			/* RFC 4291 section 2.6.1, and RFC 6164 section 5 for /127 */
			{"2001:db8::/64", "the Subnet-Router anycast address"},
			{"fe80::/64", "the Subnet-Router anycast address"},
			{"2001:db8:1:8000::/49", "the Subnet-Router anycast address"},
			{"2001:db8::/126", "the Subnet-Router anycast address"},
			{"2001:db8::4/126", "the Subnet-Router anycast address"},
			{"2001:db8::/127", NULL},
			{"2001:db8::1/127", NULL},
			{"2001:db8::/128", NULL},
			{"2001:db8::1/64", NULL},
			{"2001:db8::5/126", NULL},
			{"2001:db8::7/126", NULL},
			{"2001:db8:0:0:1::/64", NULL},
			/* RFC 2526 section 2 */
			{"2001:db8::fdff:ffff:ffff:ff80/64", "one of the highest 128"},
			{"2001:db8::fdff:ffff:ffff:ffff/64", "one of the highest 128"},
			{"2001:db8::fdff:ffff:ffff:ff7f/64", NULL},
			{"2001:db8::ffff:ffff:ffff:ffff/64", NULL},
			{"2001:db8::feff:ffff:ffff:fffe/64", NULL},
			{"2001:db8::ffff:ff80/96", "one of the highest 128"},
			{"2001:db8::ffff:ff7f/96", NULL},
			{"2001:db8::fdff:ff80/96", NULL},
			{"2001:db8::80/120", "one of the highest 128"},
			{"2001:db8::7f/120", NULL},
			{"2001:db8::7f/121", NULL},
			/* RFC 1122 section 3.2.1.3, and RFC 3021 section 2.1 for /31 */
			{"192.0.2.0/24", "the address of the network itself"},
			{"192.0.2.255/24", "the broadcast address of its prefix"},
			{"192.0.2.4/30", "the address of the network itself"},
			{"192.0.2.7/30", "the broadcast address of its prefix"},
			{"10.255.255.255/8", "the broadcast address of its prefix"},
			{"10.1.255.255/8", NULL},
			{"192.0.2.128/24", NULL},
			{"192.0.2.5/30", NULL},
			{"192.0.2.6/31", NULL},
			{"192.0.2.7/31", NULL},
			{"192.0.2.255/32", NULL},
			/* what no host has anywhere */
			{"ff02::1/64", "a multicast address"},
			{"::1/128", "a loopback address"},
			{"127.0.0.1/8", "a loopback address"},
			{"224.0.0.1/31", "a multicast address"},
			{"239.255.255.255/32", "a multicast address"},
			{"240.0.0.1/24", "an address of 240.0.0.0/4"},
			{"255.255.255.254/32", "an address of 240.0.0.0/4"},
			{"255.255.255.255/32", "the broadcast address"},
			{"223.255.255.1/24", NULL},
	};
	struct fcn_prefix prefix;

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		const char *why;

		assert_int_equal(fcn_prefix_parse(cases[i].prefix, &prefix), 0);
		why = fcn_prefix_why_no_host(&prefix);
		if (cases[i].why == NULL && why != NULL)
			fail_msg("%s: %s", cases[i].prefix, why);
		if (cases[i].why != NULL &&
				(why == NULL || strncmp(why, cases[i].why, strlen(cases[i].why))))
			fail_msg("%s: %s", cases[i].prefix, why);
	}
}

/* The ranges are those of the IANA registries of special-purpose addresses that are not forwarded.
 */
TEST(not_forwarded)
{
	static const char *const no[] = {"0.0.0.0/8", "0.1.0.0/16", "127.0.0.0/8", "127.1.2.3/32",
			"169.254.0.0/16", "169.254.3.0/24", "224.0.0.0/4", "239.255.255.255/32",
			"240.0.0.0/4", "240.0.0.0/5", "255.255.255.255/32", "248.1.0.0/16",
			"ff00::/8", "ff02::1/128", "fe80::/10", "fe80::/64", "febf::/16"};
	static const char *const yes[] = {"0.0.0.0/0", "0.0.0.0/7", "126.0.0.0/7", "128.0.0.0/1",
			"224.0.0.0/3", "223.0.0.0/8", "169.254.0.0/15", "::/0", "fe00::/7",
			"fe80::/9", "fec0::/10", "2001:db8::/32"};
	struct fcn_prefix prefix;

	for (size_t i = 0; i < RTE_DIM(no); i++) {
		assert_int_equal(fcn_prefix_parse(no[i], &prefix), 0);
		if (fcn_prefix_why_not_forwarded(&prefix) == NULL)
			fail_msg("%s", no[i]);
	}
	for (size_t i = 0; i < RTE_DIM(yes); i++) {
		assert_int_equal(fcn_prefix_parse(yes[i], &prefix), 0);
		if (fcn_prefix_why_not_forwarded(&prefix) != NULL)
			fail_msg("%s: %s", yes[i], fcn_prefix_why_not_forwarded(&prefix));
	}
}
