/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Neighbours that the host functions look for: from packets that wait for them to what is shown. */

#include <jansson.h>

#include "fcn_nd.h"
#include "world.h"

#define MS UINT64_C(1000000)
#define RETRANS (100 * MS)

static const uint8_t own6[16] = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 0xfe};
static const uint8_t other6[16] = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 1};
static const struct rte_ether_addr other_mac = {{2, 0, 0, 0, 5, 5}};

/* Port 0 is 192.0.2.254/24, port 1 is 2001:db8:1::fe/64: the world's packets are for 2001:db8:1::1.
 */
static int
setup(void **state)
{
	static const char *const address[] = {"192.0.2.254/24", "2001:db8:1::fe/64"};
	struct fcn_config *cfg;
	struct fcn_prefix p;

	RTE_SET_USED(state);
	if (world_setup(false) != 0)
		return -1;
	cfg = world_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	for (uint16_t port = 0; port < 2; port++) {
		assert_int_equal(fcn_prefix_parse(address[port], &p), 0);
		assert_int_equal(fcn_config_address_add(cfg, port, &p), 0);
	}
	cfg->host.mode = FCN_HOST_ON;
	cfg->host.dad = false;
	cfg->host.mld = false;
	cfg->host.retrans_ns = RETRANS;
	cfg->host.reachable_ns = 30000 * MS;
	world_commit(cfg);
	return 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	return world_teardown();
}

static void
turn(uint64_t now)
{
	fcn_poll_once(world.ctl->worker[0], now);
	fcn_control_host_poll(world.ctl, now);
	fcn_poll_once(world.ctl->worker[0], now);
}

/* A turn in which 2001:db8::1 sends. */
static void
turn_with_packets(uint64_t now)
{
	world.source = true;
	fcn_poll_once(world.ctl->worker[0], now);
	world.source = false;
	turn(now);
}

static json_int_t
shown_number(const char *key)
{
	json_t *v = fcn_show_host(world.ctl);
	const json_t *n = json_object_get(v, key);
	json_int_t value;

	if (n == NULL)
		n = json_object_get(json_object_get(v, "counters"), key);
	if (!json_is_integer(n))
		fail_msg("no number %s", key);
	value = json_integer_value(n);
	json_decref(v);
	return value;
}

/* The only neighbour there is. @param mac NULL: none is known */
static void
assert_neighbour(const char *port, const char *address, const char *mac, const char *state)
{
	json_t *list = fcn_show_neighbours(world.ctl);
	const json_t *row = json_array_get(list, 0);

	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(json_string_value(json_object_get(row, "port")), port);
	assert_string_equal(json_string_value(json_object_get(row, "address")), address);
	assert_string_equal(json_string_value(json_object_get(row, "state")), state);
	if (mac == NULL)
		assert_true(json_is_null(json_object_get(row, "mac")));
	else
		assert_string_equal(json_string_value(json_object_get(row, "mac")), mac);
	json_decref(list);
}

static void
hear(uint16_t port, enum fcn_punt_reason reason, const struct rte_ether_hdr *eth, const void *data,
		uint32_t len, uint64_t now)
{
	struct fcn_punt punt = {.mbuf = rte_pktmbuf_alloc(world.pool),
			.in_port = port,
			.interface = port,
			.reason = reason,
			.l3_off = reason == FCN_PUNT_ARP ? 0 : sizeof(*eth)};
	struct fcn_worker *w = world.ctl->worker[0];

	assert_non_null(punt.mbuf);
	memcpy(rte_pktmbuf_append(punt.mbuf, sizeof(*eth)), eth, sizeof(*eth));
	memcpy(rte_pktmbuf_append(punt.mbuf, len), data, len);
	/* as if it had come in by the port */
	w->counters[port].rx_packets++;
	w->counters[port].consumed++;
	assert_true(fcn_punt_put(w->punts, FCN_PUNT_KIND_NEIGHBOUR, &punt));
	turn(now);
}

/* 2001:db8:1::1 answers (RFC 4861 section 4.4). */
static void
hear_advertisement(uint64_t now)
{
	const struct rte_ether_addr own_mac = world.ctl->published->port[1].mac;
	const struct rte_ether_hdr eth = {.dst_addr = own_mac,
			.src_addr = other_mac,
			.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6)};
	uint8_t question[128], answer[128];
	uint32_t len = fcn_nd_build_ns(own6, &own_mac, NULL, other6, question, sizeof(question));
	struct fcn_nd nd;

	assert_int_equal(fcn_nd_parse(question, len, &nd), FCN_MSG_OK);
	len = fcn_nd_build_na_reply(&nd, &other_mac, false, answer, sizeof(answer));
	hear(1, FCN_PUNT_LOCAL, &eth, answer, len, now);
}

/* Packets wait while their neighbour is looked for, and go on when it answers. */
static void
test_found(void **state)
{
	const struct fcn_port_counters *c = world.ctl->worker[0]->counters;
	json_int_t waiting;
	uint64_t sent;
	json_t *v;

	RTE_SET_USED(state);
	v = fcn_show_host(world.ctl);
	assert_true(json_is_true(json_object_get(v, "on")));
	assert_int_equal(json_integer_value(json_object_get(
					 json_object_get(v, "configuration"), "retrans_ns")),
			RETRANS);
	json_decref(v);
	turn(1 * MS);
	assert_int_equal(shown_number("neighbours"), 0);
	sent = c[1].tx_packets;
	turn_with_packets(2 * MS);
	assert_neighbour("p1", "2001:db8:1::1", NULL, "incomplete");
	assert_int_equal(shown_number("neighbours"), 1);
	waiting = shown_number("waiting_packets");
	assert_true(waiting > 0);
	assert_int_equal(c[1].tx_packets, sent + 1); /* the question */
	hear_advertisement(3 * MS);
	assert_neighbour("p1", "2001:db8:1::1", "02:00:00:00:05:05", "reachable");
	assert_int_equal(shown_number("waiting_packets"), 0);
	assert_int_equal(c[1].tx_packets, sent + 1 + waiting);
	/* From now on, the worker does without the host functions. */
	waiting = c[0].punted[FCN_PUNT_KIND_RESOLVE];
	turn_with_packets(4 * MS);
	assert_int_equal(c[0].punted[FCN_PUNT_KIND_RESOLVE], waiting);
	/* After a while it is asked whether it is still there. */
	turn_with_packets(60000 * MS);
	turn(60000 * MS + 1);
	assert_neighbour("p1", "2001:db8:1::1", "02:00:00:00:05:05", "probe");
}

/* Three questions (RFC 4861 section 10), and who waited is dropped by a name. */
static void
test_failed(void **state)
{
	const struct fcn_port_counters *c = world.ctl->worker[0]->counters;
	const uint64_t now = 21000 * MS;
	uint64_t punted, sent;

	RTE_SET_USED(state);
	for (unsigned int s = 1; s <= 20; s++) /* until its own addresses are announced */
		turn(s * 1000 * MS);
	sent = c[1].tx_packets;
	turn_with_packets(now);
	punted = c[0].punted[FCN_PUNT_KIND_RESOLVE];
	assert_true(punted > 0);
	for (unsigned int i = 1; i <= 3; i++)
		turn(now + i * (RETRANS + 1));
	assert_int_equal(c[1].tx_packets, sent + 3);
	assert_neighbour("p1", "2001:db8:1::1", NULL, "failed");
	assert_int_equal(shown_number("waiting_packets"), 0);
	assert_int_equal(c[0].drop[FCN_DROP_NEIGHBOUR_FAILED] + c[0].drop[FCN_DROP_NEIGHBOUR_WAIT],
			punted);
	assert_true(c[0].drop[FCN_DROP_NEIGHBOUR_FAILED] > 0);
	assert_int_equal(c[0].returned, punted);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
			TEST(test_found),
			TEST(test_failed),
	};

	return cmocka_run_group_tests_name("host", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
