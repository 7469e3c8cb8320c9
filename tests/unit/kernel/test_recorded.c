/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Conversations with Linux 6.18 that tests/fuzz/record-netlink recorded. What is to come of them is
 * what `ip route` and `ip nexthop` showed at their end, less what does not go by the ports p0 (sw1)
 * and p1 (sw2).
 */

#include <stdio.h>

#include <linux/seg6_local.h>

#include "fcn_test.h"
#include "netlink_player.h"

/* A segment list of a path, as `ip route` shows it. */
static size_t
put_segments(const struct fcn_kernel_store *store, const struct fcn_kernel_path *p,
		const char *prefix, char *text, size_t size)
{
	const uint64_t serial = fcn_kernel_path_serial(p);
	struct fcn_kernel_segments *list;
	const struct fcn_segment_list *l;
	char segment[FCN_ADDR_STRLEN];
	size_t n, i = 0, len;

	assert_int_equal(fcn_kernel_store_segments(store, &list, &n), 0);
	while (list[i].serial != serial)
		i++;
	l = &list[i].list;
	len = snprintf(text, size, "%s %s", prefix,
			l->mode == FCN_SRV6_H_ENCAPS ? "encap" : "encap.red");
	for (unsigned int k = 0; k < l->n; k++) {
		struct fcn_addr a = {.version = 6};

		memcpy(a.bytes, l->segment[k], sizeof(a.bytes));
		len += snprintf(text + len, size - len, "%c%s", k == 0 ? ' ' : ',',
				fcn_addr_format(&a, segment, sizeof(segment)));
	}
	free(list);
	return len + snprintf(text + len, size - len, " %u\n", p->weight);
}

/* A local SID of a path, as `ip route` shows it. */
static size_t
put_sid(const struct fcn_kernel_store *store, const struct fcn_kernel_path *p, const char *prefix,
		char *text, size_t size)
{
	static const char *const names[] = {[SEG6_LOCAL_ACTION_END] = "End",
			[SEG6_LOCAL_ACTION_END_X] = "End.X",
			[SEG6_LOCAL_ACTION_END_T] = "End.T",
			[SEG6_LOCAL_ACTION_END_DX6] = "End.DX6",
			[SEG6_LOCAL_ACTION_END_DX4] = "End.DX4",
			[SEG6_LOCAL_ACTION_END_DT6] = "End.DT6"};
	const uint64_t serial = fcn_kernel_path_serial(p);
	char via[FCN_ADDR_STRLEN] = "-";
	struct fcn_kernel_sid *list;
	size_t n, i = 0, len;

	assert_int_equal(fcn_kernel_store_sids(store, &list, &n), 0);
	while (list[i].serial != serial)
		i++;
	assert_true(fcn_prefix_equal(&list[i].prefix, &p->prefix));
	if (list[i].via.version != 0)
		fcn_addr_format(&list[i].via, via, sizeof(via));
	len = snprintf(text, size, "%s %s table %u nh %s port %d flavors %u %u/%u\n", prefix,
			names[list[i].action], list[i].table, via, (int16_t)list[i].port,
			list[i].flavors, list[i].block_bits, list[i].node_function_bits);
	free(list);
	return len;
}

static size_t
put_path(const struct fcn_kernel_store *store, const struct fcn_kernel_path *p, char *text,
		size_t size)
{
	char prefix[FCN_PREFIX_STRLEN], via[FCN_ADDR_STRLEN];

	fcn_prefix_format(&p->prefix, prefix, sizeof(prefix));
	if (p->type == FCN_KERNEL_SID)
		return put_sid(store, p, prefix, text, size);
	if (p->type == FCN_KERNEL_SEGMENTS)
		return put_segments(store, p, prefix, text, size);
	if (p->type == FCN_KERNEL_CONNECTED)
		return snprintf(text, size, "%s p%u\n", prefix, p->port);
	if (p->type != FCN_KERNEL_GATEWAY)
		return snprintf(text, size, "%s %s\n", prefix,
				p->type == FCN_KERNEL_BLACKHOLE ? "blackhole" : "unreachable");
	return snprintf(text, size, "%s %s p%u %u\n", prefix,
			fcn_addr_format(&p->via, via, sizeof(via)), p->port, p->weight);
}

static void
play(struct netlink_player *p, const char *name)
{
	static uint8_t data[1 << 16];
	char path[512];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", fcn_test_args[0], name);
	f = fopen(path, "rb");
	assert_non_null(f);
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	netlink_player_open(p);
	assert_true(netlink_player_play(p, data, size));
	netlink_player_apply(p);
	assert_int_equal(fcn_netlink_state(p->nl), FCN_NETLINK_LISTENING);
}

static void
assert_list(const struct netlink_player *p, const char *expected)
{
	char text[4096] = "";
	size_t len = 0;

	for (size_t i = 0; i < p->list.n; i++)
		len += put_path(p->store, &p->list.path[i], text + len, sizeof(text) - len);
	assert_string_equal(text, expected);
}

static struct fcn_netlink_counts
counts_of(const struct netlink_player *p)
{
	struct fcn_netlink_counts counts;

	fcn_netlink_counts(p->nl, &counts);
	assert_int_equal(counts.malformed, 0);
	assert_int_equal(counts.lost, 0);
	return counts;
}

#define NETWORKS4           \
	"192.0.2.0/25 p0\n" \
	"192.0.2.128/25 p1\n"
#define NETWORKS6              \
	"2001:db8:1::/64 p0\n" \
	"2001:db8:2::/64 p1\n"

TEST(routes)
{
	struct fcn_kernel_neighbour *neighbours;
	struct netlink_player p;
	size_t n;

	play(&p, "routes");
	/* 10.4.0.0/16 is by an interface that stands for no port; its lesser metric counts. */
	assert_list(&p, "10.1.0.0/16 192.0.2.1 p0 1\n"
			"10.2.0.0/16 192.0.2.1 p0 3\n"
			"10.2.0.0/16 192.0.2.129 p1 1\n"
			"10.3.0.0/16 2001:db8:1::1 p0 1\n"
			"10.5.0.0/16 blackhole\n"
			"10.6.0.0/16 unreachable\n"
			"10.7.0.0/16 unreachable\n"
			"10.8.0.0/16 blackhole\n" NETWORKS4 NETWORKS6
			"2001:db8:a::/48 2001:db8:1::1 p0 1\n"
			"2001:db8:a::/48 2001:db8:2::2 p1 1\n"
			"2001:db8:b::/48 2001:db8:1::1 p0 2\n"
			"2001:db8:b::/48 2001:db8:2::1 p1 1\n"
			"2001:db8:c::/48 unreachable\n");
	assert_int_equal(fcn_kernel_store_neighbours(p.store, &neighbours, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(neighbours[0].port, 0);
	assert_int_equal(neighbours[0].mac.addr_bytes[5], 1);
	free(neighbours);
	/* Each change was clear from its message. */
	assert_int_equal(counts_of(&p).unclear, 0);
	netlink_player_close(&p);
}

TEST(replaced)
{
	struct netlink_player p;

	play(&p, "replaced");
	assert_list(&p, "10.1.0.0/16 192.0.2.129 p1 1\n"
			"10.2.0.0/16 unreachable\n"
			"10.4.0.0/16 192.0.2.129 p1 1\n" NETWORKS4 NETWORKS6);
	assert_int_equal(counts_of(&p).syncs, 2);
	netlink_player_close(&p);
}

TEST(nexthops)
{
	struct netlink_player p;

	play(&p, "nexthops");
	/* 300 to 100 are weights that need more than an octet. */
	assert_list(&p, "10.1.0.0/16 192.0.2.2 p0 3\n"
			"10.1.0.0/16 192.0.2.129 p1 1\n"
			"10.3.0.0/16 blackhole\n"
			"10.4.0.0/16 192.0.2.2 p0 1\n"
			"10.5.0.0/16 192.0.2.2 p0 3\n"
			"10.5.0.0/16 192.0.2.129 p1 1\n" NETWORKS4 NETWORKS6);
	assert_int_equal(counts_of(&p).syncs, 2);
	netlink_player_close(&p);
}

/* Two interfaces lose their carrier, one of which stands for no port. */
TEST(carrier)
{
	struct netlink_player p;

	play(&p, "carrier");
	assert_list(&p, "10.0.0.0/8 192.0.2.129 p1 1\n"
			"10.2.0.0/16 192.0.2.129 p1 1\n" NETWORKS4 NETWORKS6);
	assert_int_equal(counts_of(&p).syncs, 2);
	assert_int_equal(counts_of(&p).differences, 0); /* it was no check */
	netlink_player_close(&p);
}

/* One goes down: the kernel says nothing of IPv4, and not that paths of several are dead. */
TEST(down)
{
	struct netlink_player p;

	play(&p, "down");
	assert_list(&p, "10.1.0.0/16 192.0.2.129 p1 1\n"
			"192.0.2.128/25 p1\n"
			"2001:db8:2::/64 p1\n"
			"2001:db8:b::/48 2001:db8:2::1 p1 1\n");
	assert_int_equal(counts_of(&p).syncs, 2);
	netlink_player_close(&p);
}

/* An address goes, on whatever interface, and with it a route whose source it was. */
TEST(source)
{
	struct netlink_player p;

	play(&p, "source");
	assert_list(&p, "10.0.0.0/8 192.0.2.129 p1 1\n" NETWORKS4 NETWORKS6);
	netlink_player_close(&p);
}

/* Of two routes of the same metric the first is replaced, then taken away: the second is left. */
TEST(behind)
{
	struct netlink_player p;

	play(&p, "behind");
	assert_list(&p, "10.1.0.0/16 192.0.2.2 p0 1\n" NETWORKS4 NETWORKS6);
	netlink_player_close(&p);
}

/* Segment lists, and local SIDs. */
TEST(srv6)
{
	struct fcn_kernel_counts counts;
	struct netlink_player p;

	play(&p, "srv6");
	assert_list(&p, "10.1.0.0/16 encap 2001:db8:ff::1 1\n" NETWORKS4 NETWORKS6
			"2001:db8:a::/48 encap 2001:db8:ff::1,2001:db8:ff::2 1\n"
			"2001:db8:b::/48 encap.red 2001:db8:ff::1 1\n"
			"2001:db8:e::/48 encap 2001:db8:ff::1 3\n"
			"2001:db8:e::/48 2001:db8:2::1 p1 1\n"
			"2001:db8:f::/48 encap 2001:db8:ff::3 1\n"
			"2001:db8:f0:1::/64 End table 0 nh - port -1 flavors 0 0/0\n"
			"2001:db8:f0:2::/64 End.X table 0 nh 2001:db8:1::1 port 0 flavors 0 0/0\n"
			"2001:db8:f0:3::/64 End.T table 254 nh - port -1 flavors 0 0/0\n"
			"2001:db8:f0:4::/64 End.DT6 table 254 nh - port -1 flavors 0 0/0\n"
			"2001:db8:f0:5::/64 End.DX6 table 0 nh 2001:db8:1::1 port -1 flavors 0 "
			"0/0\n"
			"2001:db8:f0:6::/64 End.DX4 table 0 nh 192.0.2.1 port -1 flavors 0 0/0\n"
			"2001:db8:f0:7::/64 End table 0 nh - port -1 flavors 2 32/16\n"
			"2001:db8:f1::/48 End table 0 nh - port -1 flavors 16 32/16\n");
	assert_int_equal(counts_of(&p).unclear, 0);
	assert_int_equal(counts_of(&p).differences, 0);
	fcn_kernel_store_counts(p.store, &counts);
	assert_int_equal(counts.segment_lists, 4);
	assert_int_equal(counts.srv6_mode, 2);
	assert_int_equal(counts.srv6_segments, 0);
	assert_int_equal(counts.sids, 8);
	assert_int_equal(counts.srv6_behavior, 2);
	assert_int_equal(counts.srv6_flavor, 0);
	assert_int_equal(counts.encapsulation, 0);
	assert_int_equal(counts.dead, 0);
	netlink_player_close(&p);
}
