/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The routes that the lab makes, by the topology. */

#include <stdlib.h>
#include <string.h>

#include "fcn_test.h"
#include "network_util.h"

/* Two PEs with a core switch between them; the way by x is longer. Hosts a and b are at pe1. */
#define WAN                                \
	"switch add pe1,pe2\n"             \
	"switch add p core\n"              \
	"host add a,b,r\n"                 \
	"link add a,b pe1\n"               \
	"link add pe1 p\n"                 \
	"link add p pe2\n"                 \
	"link add r pe2\n"                 \
	"flow add f from a to b size 1K\n" \
	"duration 1us\n"                   \
	"buffers 1024\n"

static const char around[] = "switch add x,y\n"
			     "link add pe1 x\n"
			     "link add x y\n"
			     "link add y pe2\n";

/* Get the number of lines that begin with a text. */
static unsigned int
count_lines(const char *text, const char *begin)
{
	unsigned int n = 0;

	for (const char *at = text; (at = strstr(at, begin)) != NULL; at++)
		n += at == text || at[-1] == '\n';
	return n;
}

TEST_FIXTURE(.begin = net_eal);

TEST(core)
{
	char *text;

	start(WAN, "");
	text = lab_autoconf(net, 0);
	assert_int_equal(count_lines(text, "set loopback 2001:db8:f::1\n"), 1);
	assert_int_equal(count_lines(text, "route add 2001:db8:0:1::1/128 via 2001:db8:0:1::1 port "
					   "a\n"),
			1);
	assert_int_equal(count_lines(text, "route add 2001:db8:0:2::1/128 via 2001:db8:0:2::1 port "
					   "b\n"),
			1);
	assert_int_equal(count_lines(text, "route add 2001:db8:0:3::1/128"), 0);
	assert_int_equal(
			count_lines(text,
					"route add 2001:db8:f::2/128 via 2001:db8:e:3::2 port p\n"),
			1);
	assert_int_equal(
			count_lines(text,
					"route add 2001:db8:f::3/128 via 2001:db8:e:3::2 port p\n"),
			1);
	assert_int_equal(
			count_lines(text,
					"route add 2001:db8:5:2::/64 via 2001:db8:e:3::2 port p\n"),
			1);
	assert_int_equal(
			count_lines(text,
					"route add 2001:db8:5:3::/64 via 2001:db8:e:3::2 port p\n"),
			1);
	assert_int_equal(count_lines(text, "route add"), 6);
	free(text);
	text = lab_autoconf(net, 2);
	assert_int_equal(count_lines(text, "route add 2001:db8:5:1::/64 via 2001:db8:e:3::1 port "
					   "pe1\n"),
			1);
	assert_int_equal(count_lines(text, "route add"), 4); /* none to a host */
	free(text);
	assert_int_equal(stop(), 0);
}

/* Packets to hosts go the longer way, around the core; those to switches do not. */
TEST(around)
{
	char *text;

	start(WAN, around);
	text = lab_autoconf(net, 0);
	assert_int_equal(count_lines(text, "route add 2001:db8:0:3::1/128"), 1);
	assert_int_equal(count_lines(text, "route add 2001:db8:0:3::1/128 via 2001:db8:e:6::2 port "
					   "x\n"),
			1);
	assert_int_equal(count_lines(text, "route add 2001:db8:5:2::/64"), 1);
	assert_int_equal(
			count_lines(text,
					"route add 2001:db8:5:2::/64 via 2001:db8:e:3::2 port p\n"),
			1);
	free(text);
	assert_int_equal(stop(), 0);
}
