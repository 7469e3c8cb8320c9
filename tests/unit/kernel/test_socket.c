/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The real socket and a TAP interface, in a network namespace of this process alone; skipped where
 * that is not allowed. The oracle is the kernel: what was set is read back with the other socket.
 */

#include <errno.h>
#include <net/if.h>
#include <sched.h>
#include <unistd.h>

#include <linux/rtnetlink.h>

#include <rte_eal.h>
#include <rte_ethdev.h>

#include "fcn_kernel_tap.h"
#include "netlink_socket.h"
#include "fcn_test.h"

#define MS UINT64_C(1000000)

static struct rte_mempool *pool;

static struct fcn_prefix
prefix(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

/* Poll until all was read. */
static void
read_all(struct fcn_netlink *nl, uint64_t *now, uint64_t syncs)
{
	struct fcn_netlink_counts counts = {0};

	for (unsigned int i = 0; i < 5000 && counts.syncs < syncs; i++) {
		*now += MS;
		fcn_netlink_poll(nl, *now);
		fcn_netlink_counts(nl, &counts);
		usleep(100);
	}
	assert_int_equal(counts.syncs, syncs);
	assert_int_equal(counts.malformed, 0);
}

static int
begin(void **state)
{
	char *eal[] = {"test", "--no-huge", "--no-pci", "--no-shconf", "-m", "64", "--log-level=3",
			"-l", "0"};

	RTE_SET_USED(state);
	if (unshare(CLONE_NEWNET) != 0 || access("/dev/net/tun", R_OK | W_OK) != 0)
		exit(77); /* skipped */
	if (rte_eal_init(RTE_DIM(eal), eal) < 0)
		return -1;
	pool = rte_pktmbuf_pool_create(
			"frames", 255, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

TEST_FIXTURE(.begin = begin);

TEST(tap_and_socket)
{
	const struct fcn_netlink_conf conf = {.table[0].number = RT_TABLE_MAIN};
	const struct fcn_prefix address = prefix("192.0.2.1/24"),
				address6 = prefix("2001:db8::1/64");
	struct fcn_netlink_socket *listen = fcn_netlink_socket_listen();
	struct fcn_netlink_socket *request = fcn_netlink_socket_request();
	struct fcn_kernel_store *store = fcn_kernel_store_create();
	struct fcn_netlink_link link = {
			.mac = {{2, 0, 0, 0, 0, 1}}, .mtu = 1400, .set_master = true};
	struct fcn_kernel_path *list;
	struct fcn_kernel_tap *tap;
	struct fcn_netlink_io io;
	struct fcn_netlink *nl;
	uint64_t left_out, now = 0;
	char err[256];
	size_t n;

	assert_true(fcn_netlink_socket_is_built());
	assert_non_null(listen);
	assert_non_null(request);
	assert_true(fcn_netlink_socket_fd(listen) >= 0);
	tap = fcn_kernel_tap_open("sw1", err, sizeof(err));
	assert_non_null(tap);
	assert_string_equal(fcn_kernel_tap_name(tap), "sw1");
	link.ifindex = fcn_kernel_tap_ifindex(tap);
	assert_int_equal(link.ifindex, if_nametoindex("sw1"));
	assert_int_equal(fcn_netlink_set_link(request, &link), 0);
	assert_int_equal(fcn_netlink_set_address(request, link.ifindex, &address, true), 0);
	assert_int_equal(fcn_netlink_set_address(request, link.ifindex, &address, true), 0);
	assert_int_equal(fcn_netlink_set_address(request, link.ifindex, &address6, true), 0);

	io = fcn_netlink_socket_io(listen);
	nl = fcn_netlink_create(&io, store);
	fcn_kernel_store_set_port(store, 3, link.ifindex);
	fcn_netlink_configure(nl, &conf, now);
	read_all(nl, &now, 1);
	assert_int_equal(fcn_kernel_store_paths(store, &list, &n, &left_out), 0);
	assert_int_equal(n, 2);
	assert_int_equal(list[0].type, FCN_KERNEL_CONNECTED);
	assert_int_equal(list[0].prefix.len, 24);
	assert_int_equal(list[1].prefix.len, 64);
	assert_int_equal(list[1].port, 3);
	free(list);

	/* The line is cut: the state changes without a route's message, and all is read again. */
	fcn_kernel_tap_set_carrier(tap, true);
	fcn_kernel_tap_set_carrier(tap, false);
	read_all(nl, &now, 2);
	/* The address goes, and the network with it. */
	assert_int_equal(fcn_netlink_set_address(request, link.ifindex, &address, false), 0);
	assert_int_equal(fcn_netlink_set_address(request, link.ifindex, &address, false), 0);
	read_all(nl, &now, 3);
	assert_int_equal(fcn_kernel_store_paths(store, &list, &n, &left_out), 0);
	assert_int_equal(n, 1);
	free(list);
	/* Requests that the kernel refuses. */
	link.ifindex = 4711;
	assert_int_equal(fcn_netlink_set_link(request, &link), -ENODEV);
	assert_int_equal(fcn_netlink_set_address(request, 4711, &address, true), -ENODEV);
	assert_int_equal(fcn_netlink_set_address(request, 4711, &address, false), 0);
	fcn_netlink_free(nl);
	fcn_kernel_tap_close(tap);
	fcn_kernel_tap_close(NULL);
	fcn_netlink_socket_close(listen);
	fcn_netlink_socket_close(request);
	fcn_netlink_socket_close(NULL);
	fcn_kernel_store_free(store);
}

TEST(frames)
{
	struct fcn_netlink_socket *request = fcn_netlink_socket_request();
	struct fcn_kernel_tap *tap, *other;
	struct fcn_netlink_link link = {.mac = {{2, 0, 0, 0, 0, 1}}, .mtu = 9000};
	struct rte_mbuf *m, *chain, *tail;
	bool more;
	char err[256];

	tap = fcn_kernel_tap_open("sw2", err, sizeof(err));
	assert_non_null(tap);
	assert_true(fcn_kernel_tap_fd(tap) >= 0);
	m = rte_pktmbuf_alloc(pool);
	memset(rte_pktmbuf_append(m, 60), 0, 60);
	/* Down: refused, and counted as that. */
	assert_false(fcn_kernel_tap_write(tap, m));
	assert_int_equal(fcn_kernel_tap_counts(tap)->to_kernel_down, 1);
	link.ifindex = fcn_kernel_tap_ifindex(tap);
	assert_int_equal(fcn_netlink_set_link(request, &link), 0);
	assert_true(fcn_kernel_tap_write(tap, m));
	assert_int_equal(fcn_kernel_tap_counts(tap)->to_kernel, 1);
	/* More segments than there is room for. */
	chain = rte_pktmbuf_alloc(pool);
	rte_pktmbuf_append(chain, 60);
	for (unsigned int i = 0; i < 70; i++) {
		tail = rte_pktmbuf_alloc(pool);
		rte_pktmbuf_append(tail, 10);
		assert_int_equal(rte_pktmbuf_chain(chain, tail), 0);
	}
	assert_false(fcn_kernel_tap_write(tap, chain));
	assert_int_equal(fcn_kernel_tap_counts(tap)->to_kernel_full, 1);
	rte_pktmbuf_free(chain);
	rte_pktmbuf_free(m);
	/* With an address the kernel speaks: IGMP or MLD, when the interface comes up. */
	more = true;
	m = NULL;
	for (unsigned int i = 0; i < 3000 && m == NULL; i++) {
		struct fcn_prefix a = prefix("2001:db8:9::1/64");

		if (i == 0)
			fcn_netlink_set_address(request, link.ifindex, &a, true);
		m = fcn_kernel_tap_read(tap, pool, &more);
		usleep(1000);
	}
	if (m != NULL)
		assert_true(fcn_kernel_tap_counts(tap)->from_kernel > 0);
	rte_pktmbuf_free(m);
	fcn_kernel_tap_refused(tap);
	assert_int_equal(fcn_kernel_tap_counts(tap)->from_kernel_refused, 1);
	fcn_kernel_tap_clear_counts(tap);
	assert_int_equal(fcn_kernel_tap_counts(tap)->to_kernel, 0);
	/* The name is taken. */
	other = fcn_kernel_tap_open("lo", err, sizeof(err));
	assert_null(other);
	assert_non_null(strstr(err, "another interface has this name"));
	assert_false(fcn_kernel_tap_is_gone(tap));
	assert_int_equal(system("ip link del sw2 2>/dev/null"), 0);
	while (fcn_kernel_tap_read(tap, pool, &more) != NULL)
		;
	assert_true(fcn_kernel_tap_is_gone(tap));
	fcn_kernel_tap_close(tap);
	fcn_netlink_socket_close(request);
}
