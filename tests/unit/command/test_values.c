/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Values of every type: what they mean, and why they are refused. */

#include <errno.h>

#include <rte_common.h>

#include "commands.h"

TEST_FIXTURE(FCN_TEST_COMMANDS);

struct value {
	const char *line;
	uint64_t value;
};

struct error {
	const char *line;
	unsigned int column;
	const char *message;
};

static void
check_values(const struct value *values, size_t n)
{
	struct fcn_session session;
	size_t i;

	for (i = 0; i < n; i++) {
		run_good(&session, values[i].line);
		if (session.u64 != values[i].value)
			fail_msg("\"%s\" is %ju", values[i].line, (uintmax_t)session.u64);
	}
}

static void
check_errors(const struct error *errors, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		run_bad(errors[i].line, -EINVAL, errors[i].column, errors[i].message);
}

TEST(numbers)
{
	static const struct value values[] = {
			{"type number 0", 0}, {"type number 10", 10}, {"type number 010", 10},
			{"type number 0x1f", 31}, {"type number 0XFF", 255},
			{"type number 18446744073709551615", UINT64_MAX},
			{"type number 0xffffffffffffffff", UINT64_MAX}, {"type class 0", 0},
			{"type class 7", 7}, {"type class all", FCN_ARG_CLASS_ALL},
			{"type count 1", 1}, {"type count 250K", 250000},
			{"type count 1M", 1000000}, {"type count 0.5k", 500},
			{"type name 5", 12345}, /* no number */
	};

	check_values(values, RTE_DIM(values));
}

TEST(scaled)
{
	static const struct value values[] = {
			{"type rate 0", 0},
			{"type rate 1000", 1000},
			{"type rate 64K", 64000},
			{"type rate 100M", 100000000},
			{"type rate 2.5G", UINT64_C(2500000000)},
			{"type rate 10G", UINT64_C(10000000000)},
			{"type rate 1.6T", UINT64_C(1600000000000)},
			{"type rate 0.000000001G", 1},
			{"type rate 18446744073709551615", UINT64_MAX},
			{"type rate 18446744073.709551615G", UINT64_MAX},
			{"type rate 1.00000000000000000000000000000000000000000000G", 1000000000},
			{"type rate 000000000000000000000000000000000000000000002K", 2000},
			{"type size 9216", 9216},
			{"type size 200K", 200000},
			{"type size 1.5M", 1500000},
			{"type size 1Ki", 1024},
			{"type size 64Ki", 65536},
			{"type size 1.5Mi", 1572864},
			{"type size 2Gi", UINT64_C(2147483648)},
			{"type size 1Ti", UINT64_C(1099511627776)},
			{"type size 16777215.99999904632568359375Ti", UINT64_C(0xfffffffffff00000)},
			/* 2^-40 Ti is a byte */
			{"type size 0.0000000000009094947017729282379150390625Ti", 1},
			{"type time 0", 0},
			{"type time 0.0", 0},
			{"type time 100ns", 100},
			{"type time 4us", 4000},
			{"type time 1.5us", 1500},
			{"type time 5ms", 5000000},
			{"type time 300s", UINT64_C(300000000000)},
			{"type time 0.000000001s", 1},
	};

	check_values(values, RTE_DIM(values));
}

TEST(bad_numbers)
{
	static const struct error errors[] = {
			{"type number -1", 13, "-1 is negative"},
			{"type number 1K", 13, "1K is not a number (examples: 10, 0x1f)"},
			{"type number 0x", 13, "0x is not a number (examples: 10, 0x1f)"},
			{"type number 0xg", 13, "0xg is not a number (examples: 10, 0x1f)"},
			{"type number 1f", 13, "1f is not a number (examples: 10, 0x1f)"},
			{"type number 18446744073709551616", 13,
					"18446744073709551616 is too large for a number"},
			{"type number 0x10000000000000000", 13,
					"0x10000000000000000 is too large for a number"},
			{"type class 8", 12, "8 is not a class (0..7, or all)"},
			{"type class 07", 12, "07 is not a class (0..7, or all)"},
			{"type rate 10X", 11, "10X is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate 10Ki", 11, "10Ki is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate .5G", 11, ".5G is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate 5.G", 11, "5.G is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate 1.2.3G", 11,
					"1.2.3G is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate +5G", 11, "+5G is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate 1e9", 11, "1e9 is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate G", 11, "G is not a rate (examples: 10G, 2.5G, 100M)"},
			{"type rate -2.5G", 11, "-2.5G is negative"},
			{"type rate 18446744073709551616", 11,
					"18446744073709551616 is too large for a rate"},
			{"type rate 18446745T", 11, "18446745T is too large for a rate"},
			{"type rate 18446744073.709551616G", 11,
					"18446744073.709551616G is too large for a rate"},
			{"type rate 1.5", 11, "1.5 is not a whole number of bits/s"},
			{"type rate 0.0000000001G", 11,
					"0.0000000001G is not a whole number of bits/s"},
			{"type rate 0.00000000000000000000000000000000000001G", 11,
					"0.00000000000000000000000000000000000001G is not a whole "
					"number of bits/s"},
			{"type rate 1.23456789012345678901G", 11,
					"1.23456789012345678901G is not a whole number of bits/s"},
			{"type count 1.5", 12, "1.5 is not a whole number"},
			{"type size 0.1Ki", 11, "0.1Ki is not a whole number of bytes"},
			{"type time 4", 11, "4 has no unit (examples: 4us, 100ns, 5ms, 300s)"},
			{"type time 4m", 11, "4m is not a time (examples: 4us, 100ns, 5ms, 300s)"},
			{"type time 1.5ns", 11, "1.5ns is not a whole number of nanoseconds"},
			{"type time 18446744074s", 11, "18446744074s is too large for a time"},
	};

	check_errors(errors, RTE_DIM(errors));
}

/* Billionths; of a fraction, what is beyond them is cut off. */
TEST(ratios)
{
	static const struct value values[] = {
			{"type ratio 0", 0},
			{"type ratio 1", 1000000000},
			{"type ratio 2", 2000000000},
			{"type ratio 0.2", 200000000},
			{"type ratio 20%", 200000000},
			{"type ratio 12.5%", 125000000},
			{"type ratio 1/8", 125000000},
			{"type ratio 1/3", 333333333},
			{"type ratio 2/3", 666666666},
			{"type ratio 128/1", UINT64_C(128000000000)},
			{"type ratio 0/7", 0},
			{"type ratio 0.000000001", 1},
			{"type ratio 0.0000001%", 1},
			{"type ratio 1.5000000000000000000", 1500000000},
			{"type ratio 18446744073.709551615", UINT64_MAX},
			{"type ratio 1/18446744073709551615", 0},
	};
	static const struct error errors[] = {
			{"type ratio 0.0000000001", 12,
					"0.0000000001 is not a whole number of billionths"},
			{"type ratio 0.00000001%", 12,
					"0.00000001% is not a whole number of billionths"},
			{"type ratio -0.2", 12, "-0.2 is negative"},
			{"type ratio 1/0", 12, "1/0 divides by zero"},
			{"type ratio 1/", 12, "1/ is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio /8", 12, "/8 is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio 1/2/3", 12,
					"1/2/3 is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio 1.5/2", 12,
					"1.5/2 is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio 0x1/2", 12,
					"0x1/2 is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio 1/8%", 12, "1/8% is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio 1K", 12, "1K is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio %", 12, "% is not a ratio (examples: 0.2, 20%, 1/8, 2)"},
			{"type ratio 18446744074", 12, "18446744074 is too large for a ratio"},
			{"type ratio 18446744073709551616/1", 12,
					"18446744073709551616/1 is too large for a ratio"},
			{"type ratio 18446744074/1", 12, "18446744074/1 is too large for a ratio"},
	};

	check_values(values, RTE_DIM(values));
	check_errors(errors, RTE_DIM(errors));
}

TEST(addresses)
{
	static const uint8_t a4[16] = {192, 0, 2, 7};
	static const uint8_t a6[16] = {0x20, 0x01, 0x0d, 0xb8, [15] = 1};
	static const uint8_t p4[16] = {10, 32};
	static const uint8_t mac[6] = {0x02, 0xab, 0xCD, 0x00, 0x11, 0xff};
	struct fcn_session session;

	run_good(&session, "type addr 192.0.2.7");
	assert_int_equal(session.addr.version, 4);
	assert_memory_equal(session.addr.bytes, a4, 16);
	run_good(&session, "type addr4 192.0.2.7");
	assert_memory_equal(session.addr.bytes, a4, 16);
	run_good(&session, "type addr 2001:db8::1");
	assert_int_equal(session.addr.version, 6);
	assert_memory_equal(session.addr.bytes, a6, 16);
	run_good(&session, "type addr6 2001:db8::1");
	assert_memory_equal(session.addr.bytes, a6, 16);
	run_good(&session, "type prefix 10.32.0.0/11");
	assert_int_equal(session.prefix.addr.version, 4);
	assert_int_equal(session.prefix.len, 11);
	assert_memory_equal(session.prefix.addr.bytes, p4, 16);
	run_good(&session, "type prefix 2001:db8::1");
	assert_int_equal(session.prefix.len, 128);
	run_good(&session, "type mac 02:ab:CD:00:11:ff");
	assert_memory_equal(session.mac.addr_bytes, mac, 6);

	run_bad("type addr 300.0.0.1", -EINVAL, 11,
			"300.0.0.1 is not an IP address (examples: 10.0.0.1, 2001:db8::1)");
	run_bad("type addr6 10.0.0.1", -EINVAL, 12,
			"10.0.0.1 is not an IPv6 address (example: 2001:db8::1)");
	run_bad("type addr4 ::1", -EINVAL, 12, "::1 is not an IPv4 address (example: 10.0.0.1)");
	run_bad("type prefix 10.0.0.0/33", -EINVAL, 13,
			"10.0.0.0/33 is not an IP prefix (examples: 10.0.0.0/8, 2001:db8::/32)");
	run_bad("type addr 1111111111222222222233333333334444444444555555555566666", -EINVAL, 11,
			"11111111112222222222333333333344444444445555... is not an IP address "
			"(examples: 10.0.0.1, 2001:db8::1)");
	run_bad("type mac 02:00:00:00:00", -EINVAL, 10,
			"02:00:00:00:00 is not a MAC address (example: 02:00:00:00:00:01)");
	run_bad("type mac 02:00:00:00:00:0g", -EINVAL, 10,
			"02:00:00:00:00:0g is not a MAC address (example: 02:00:00:00:00:01)");
	run_bad("type mac 02-00-00-00-00-01", -EINVAL, 10,
			"02-00-00-00-00-01 is not a MAC address (example: 02:00:00:00:00:01)");
}

TEST(vlans)
{
	struct fcn_session session;
	unsigned int vlan;

	run_good(&session, "type vlans 10,20-30,63-64,4094");
	for (vlan = 0; vlan < 4096; vlan++) {
		bool expected = vlan == 10 || (vlan >= 20 && vlan <= 30) || vlan == 63 ||
				vlan == 64 || vlan == 4094;

		assert_int_equal((session.vlans[vlan / 64] >> vlan % 64) & 1, expected);
	}
	run_good(&session, "type vlans 1-4094");
	assert_int_equal(session.vlans[0], UINT64_MAX - 1);
	assert_int_equal(session.vlans[63], UINT64_MAX / 2);

	run_bad("type vlans 0", -EINVAL, 12,
			"0 is not a list of VLANs (1..4094, example: 10,20-30)");
	run_bad("type vlans 4095", -EINVAL, 12,
			"4095 is not a list of VLANs (1..4094, example: 10,20-30)");
	run_bad("type vlans 10,", -EINVAL, 12,
			"10, is not a list of VLANs (1..4094, example: 10,20-30)");
	run_bad("type vlans 10-", -EINVAL, 12,
			"10- is not a list of VLANs (1..4094, example: 10,20-30)");
	run_bad("type vlans 99999999999999999999", -EINVAL, 12,
			"99999999999999999999 is not a list of VLANs (1..4094, example: 10,20-30)");
	run_bad("type vlans 30-20", -EINVAL, 12, "30-20 has a range that ends before it begins");
}

TEST(strings)
{
	struct fcn_session session;
	char line[FCN_COMMAND_MAX_TEXT + 100], name[FCN_COMMAND_MAX_TEXT + 1];

	run_good(&session, "type name net_ring0:a-b.c/D9");
	assert_string_equal(session.str, "net_ring0:a-b.c/D9");
	run_bad("type name p!1", -EINVAL, 11, "p!1 is not a name (letters, digits and ._:-/)");
	run_good(&session, "type choice two");
	assert_string_equal(session.str, "two");
	run_bad("type choice on", -EINVAL, 13,
			"did you mean one? expected one, two or three, found \"on\"");

	run_good(&session, "type text  to spine 3,   north  \t");
	assert_string_equal(session.str, "to spine 3,   north");
	run_good(&session, "type text cable#7 is#good #or not");
	assert_string_equal(session.str, "cable#7 is#good");
	run_good(&session, "type text Zürich → 東京");
	assert_string_equal(session.str, "Zürich → 東京");
	run_good(&session, "type text \"as it is\"");
	assert_string_equal(session.str, "\"as it is\"");

	/* a text with its end fits, and one character more does not */
	memset(name, 'x', sizeof(name));
	name[FCN_COMMAND_MAX_TEXT - 1] = '\0';
	snprintf(line, sizeof(line), "type name %s", name);
	run_good(&session, line);
	assert_string_equal(session.str, name);
	snprintf(line, sizeof(line), "type text %s", name);
	run_good(&session, line);
	assert_string_equal(session.str, name);
	name[FCN_COMMAND_MAX_TEXT - 1] = 'x';
	name[FCN_COMMAND_MAX_TEXT] = '\0';
	snprintf(line, sizeof(line), "type name %s", name);
	run_bad(line, -EINVAL, 11, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... is too long");
	snprintf(line, sizeof(line), "type text %s", name);
	run_bad(line, -EINVAL, 11, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx... is too long");
}
