/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Neighbours that the host functions look for: from packets that wait for them to what is shown. */

#include <jansson.h>

#include "host_platform.h"
#include "icmp6_request.h"

static json_int_t
shown_number(const char *key)
{
	json_t *v = fcn_show_host(platform.ctl);
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
	json_t *list = fcn_show_neighbours(platform.ctl);
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

TEST_FIXTURE(FCN_TEST_EAL, .setup = host_platform_setup, .teardown = platform_teardown);

/* Packets wait while their neighbour is looked for, and go on when it answers. */
TEST(found)
{
	const struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	json_int_t waiting;
	uint64_t sent;
	json_t *v;

	v = fcn_show_host(platform.ctl);
	assert_true(json_is_true(json_object_get(v, "on")));
	assert_int_equal(json_integer_value(json_object_get(
					 json_object_get(v, "configuration"), "retrans_ns")),
			HOST_PLATFORM_RETRANS);
	json_decref(v);
	host_platform_turn(1 * MS);
	assert_int_equal(shown_number("neighbours"), 0);
	sent = c[1].tx_packets;
	host_platform_turn_with_packets(2 * MS);
	assert_neighbour("p1", "2001:db8:1::1", NULL, "incomplete");
	assert_int_equal(shown_number("neighbours"), 1);
	waiting = shown_number("waiting_packets");
	assert_true(waiting > 0);
	assert_int_equal(c[1].tx_packets, sent + 1); /* the question */
	host_platform_receive_advertisement(host_platform_other6, 3 * MS);
	assert_neighbour("p1", "2001:db8:1::1", "02:00:00:00:05:05", "reachable");
	assert_int_equal(shown_number("waiting_packets"), 0);
	assert_int_equal(c[1].tx_packets, sent + 1 + waiting);
	/* From now on, the worker does without the host functions. */
	waiting = c[0].punted[FCN_PUNT_KIND_RESOLVE];
	host_platform_turn_with_packets(4 * MS);
	assert_int_equal(c[0].punted[FCN_PUNT_KIND_RESOLVE], waiting);
	/* After a while it is asked whether it is still there. */
	host_platform_turn_with_packets(60000 * MS);
	host_platform_turn(60000 * MS + 1);
	assert_neighbour("p1", "2001:db8:1::1", "02:00:00:00:05:05", "probe");
}

static struct fcn_addr
address(const char *text)
{
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	return a;
}

/* Add a policy whose only segment is on a network of the switch. @return its slot */
static uint16_t
add_policy(struct fcn_config *cfg, const char *segment)
{
	struct fcn_config_srv6_segments list;
	struct fcn_config_srv6_policy policy;
	const struct fcn_addr first = address(segment);
	int slot;

	memset(&policy, 0, sizeof(policy));
	strcpy(policy.name, "east");
	policy.mode = FCN_SRV6_NO_SRH;
	policy.dscp = FCN_SRV6_COPY;
	policy.hop_limit = 64;
	policy.source = address("2001:db8:ff::1");
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 policy"), &policy, NULL), 0);
	slot = cfg->srv6.policies.item[cfg->srv6.policies.n - 1].slot;
	assert_in_range(slot, 0, FCN_SRV6_POLICIES - 1);
	memset(&list, 0, sizeof(list));
	list.policy = (uint16_t)slot;
	list.weight = 1;
	list.list.n = 1;
	memcpy(list.list.segment[0], first.bytes, 16);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 segments"), &list, NULL), 0);
	return (uint16_t)slot;
}

/* Steer what is not RoCEv2 to 2001:db8:1::/64 into a policy by which packets can leave. */
static void
steer_others(void)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_config_srv6_steering rule;

	platform_neighbour(cfg, 1, "2001:db8:1::2", 2);
	memset(&rule, 0, sizeof(rule));
	assert_int_equal(fcn_prefix_parse("2001:db8:1::/64", &rule.prefix), 0);
	rule.policy = add_policy(cfg, "2001:db8:1::2");
	rule.port = rule.dscp = FCN_SRV6_ANY;
	rule.roce = FCN_STEERING_ROCE_OFF;
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 steering"), &rule, NULL), 0);
	platform_commit(cfg);
	assert_true(fcn_control_snapshot(platform.ctl)->srv6.select[0].is_live);
}

/* RoCEv2 that a steering rule for other packets leaves over waits for its neighbour, too. */
TEST(left_over)
{
	const struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	uint64_t sent;

	steer_others();
	host_platform_turn(1 * MS);
	sent = c[1].tx_packets;
	host_platform_turn_with_packets(2 * MS);
	assert_true(shown_number("waiting_packets") > 0);
	assert_int_equal(c[1].tx_packets, sent + 1); /* the question */
	host_platform_receive_advertisement(host_platform_other6, 3 * MS);
	assert_int_equal(shown_number("waiting_packets"), 0);
	assert_true(c[1].tx_packets > sent + 1);
}

/* The last frame that each port has sent. */
static struct {
	unsigned int n;
	uint8_t data[256];
} last[2];

static void
keep(struct platform_port *port, const struct rte_mbuf *m)
{
	last[port->number].n++;
	memcpy(last[port->number].data, rte_pktmbuf_mtod(m, const uint8_t *),
			RTE_MIN(m->data_len, sizeof(last[0].data)));
}

/* A station behind a port asks 2001:db8:1::fe. */
static void
ping(uint16_t port, const char *from, uint64_t now)
{
	const struct fcn_addr src = address(from), dst = address("2001:db8:1::fe");
	struct rte_mbuf *m = rte_pktmbuf_alloc(platform.pool);
	struct rte_ether_hdr *eth;
	uint8_t ip[128];
	uint32_t len;

	assert_non_null(m);
	len = echo_request6(src.bytes, dst.bytes, 1, 1, src.bytes, 8, ip);
	eth = (struct rte_ether_hdr *)rte_pktmbuf_append(m, sizeof(*eth));
	eth->dst_addr = fcn_control_snapshot(platform.ctl)->port[port].mac;
	eth->src_addr = (struct rte_ether_addr){{2, 0, 0, 0, 7, 9}};
	eth->ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	memcpy(rte_pktmbuf_append(m, (uint16_t)len), ip, len);
	memset(last, 0, sizeof(last));
	platform_arrive(port, m);
	host_platform_turn(now);
}

/* Check that an IPv6 header has these addresses. */
static void
assert_header(const uint8_t *ip, const char *src, const char *dst)
{
	assert_memory_equal(ip + 8, address(src).bytes, 16);
	assert_memory_equal(ip + 24, address(dst).bytes, 16);
}

/* The same address, in two tables: each answers in its own. One station of the table red is behind
 * a policy, whose first segment is in the main table. */
TEST(tables)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_config_route route;
	struct fcn_prefix network;

	assert_int_equal(fcn_config_table_add(cfg, "red"), 1);
	strcpy(cfg->port[1].table, "red");
	assert_int_equal(fcn_prefix_parse("2001:db8:1::fe/64", &network), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, network), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:1::5/64", &network), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, network), 0);
	platform_neighbour(cfg, 0, "2001:db8:1::1", 2);
	platform_neighbour(cfg, 1, "2001:db8:1::1", 3);
	memset(&route, 0, sizeof(route));
	assert_int_equal(fcn_prefix_parse("2001:db8:9::/48", &route.prefix), 0);
	route.table = 1;
	route.policy = 1 + add_policy(cfg, "2001:db8:1::1");
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("route"), &route, NULL), 0);
	platform_commit(cfg);
	host_platform_turn(1 * MS);
	platform.receiver = keep;
	for (uint16_t port = 0; port < 2; port++) {
		ping(port, "2001:db8:1::1", (2 + port) * MS);
		assert_int_equal(last[port].n, 1);
		assert_int_equal(last[!port].n, 0);
		assert_int_equal(last[port].data[5], 2 + port); /* its station */
		assert_header(last[port].data + 14, "2001:db8:1::fe", "2001:db8:1::1");
		assert_int_equal(last[port].data[14 + 40], 129); /* Echo Reply */
	}
	ping(1, "2001:db8:9::9", 5 * MS);
	assert_int_equal(last[0].n, 1);
	assert_int_equal(last[1].n, 0);
	assert_int_equal(last[0].data[5], 2);
	assert_header(last[0].data + 14, "2001:db8:ff::1", "2001:db8:1::1");
	assert_int_equal(last[0].data[14 + 6], 41);
	assert_int_equal(last[0].data[14 + 7], 64);
	assert_header(last[0].data + 54, "2001:db8:1::fe", "2001:db8:9::9");
	assert_int_equal(last[0].data[54 + 7], 64);
	assert_int_equal(last[0].data[54 + 40], 129);
	/* A station may have an address that the switch has in the other table. */
	ping(1, "2001:db8:1::5", 7 * MS);
	assert_int_equal(last[1].n, 1); /* the question for its MAC address */
	host_platform_receive_advertisement(address("2001:db8:1::5").bytes, 8 * MS);
	assert_int_equal(last[1].n, 2);
	assert_header(last[1].data + 14, "2001:db8:1::fe", "2001:db8:1::5");
	assert_int_equal(last[1].data[14 + 40], 129);
	/* In the main table, nothing leads there. */
	ping(0, "2001:db8:9::9", 9 * MS);
	assert_int_equal(last[0].n + last[1].n, 0);
	platform.receiver = NULL;
}

static json_int_t
sum_of_counters(void)
{
	json_t *v = fcn_show_host(platform.ctl), *counter;
	json_int_t sum = 0;
	const char *name;

	json_object_foreach (json_object_get(v, "counters"), name, counter)
		sum += json_integer_value(counter);
	json_decref(v);
	return sum;
}

TEST(clear_counters)
{
	host_platform_turn_with_packets(2 * MS);
	assert_true(shown_number("nd_tx") > 0);
	assert_true(shown_number("wait_queued") > 0);
	fcn_control_clear_counters(platform.ctl, NULL, 0);
	assert_int_equal(sum_of_counters(), 0);
	assert_true(shown_number("waiting_packets") > 0);
}

/* The next hop of the only configured route. */
static void
assert_next_hop(const char *want)
{
	const struct fcn_route_query query = {.limit = UINT64_MAX};
	json_t *list = fcn_show_some_routes(platform.ctl, &query), *row;
	unsigned int n = 0;
	size_t i;

	json_array_foreach (list, i, row) {
		if (strcmp(json_string_value(json_object_get(row, "origin")), "config") != 0)
			continue;
		assert_string_equal(json_string_value(json_object_get(row, "next_hop")), want);
		n++;
	}
	assert_int_equal(n, 1);
	json_decref(list);
}

/* A configured route is resolved by the neighbour that answered, as well as by a configured one. */
TEST(route)
{
	struct fcn_config *cfg = platform_edit();

	platform_route(cfg, "2001:db8:9::/48", "2001:db8:1::1", 1);
	platform_commit(cfg);
	host_platform_turn_with_packets(2 * MS);
	assert_next_hop("no neighbour");
	host_platform_receive_advertisement(host_platform_other6, 3 * MS);
	assert_neighbour("p1", "2001:db8:1::1", "02:00:00:00:05:05", "reachable");
	assert_next_hop("resolved");
}

/* Three questions (RFC 4861 section 10), and who waited is dropped by a name. */
TEST(failed)
{
	const struct fcn_port_counters *c = fcn_control_worker(platform.ctl, 0)->counters;
	const uint64_t now = 21000 * MS;
	uint64_t punted, sent;

	for (unsigned int s = 1; s <= 20; s++) /* until its own addresses are announced */
		host_platform_turn(s * 1000 * MS);
	sent = c[1].tx_packets;
	host_platform_turn_with_packets(now);
	punted = c[0].punted[FCN_PUNT_KIND_RESOLVE];
	assert_true(punted > 0);
	for (unsigned int i = 1; i <= 3; i++)
		host_platform_turn(now + i * (HOST_PLATFORM_RETRANS + 1));
	assert_int_equal(c[1].tx_packets, sent + 3);
	assert_neighbour("p1", "2001:db8:1::1", NULL, "failed");
	assert_int_equal(shown_number("waiting_packets"), 0);
	assert_int_equal(c[0].drop[FCN_DROP_NEIGHBOUR_FAILED] + c[0].drop[FCN_DROP_NEIGHBOUR_WAIT],
			punted);
	assert_true(c[0].drop[FCN_DROP_NEIGHBOUR_FAILED] > 0);
	assert_int_equal(c[0].returned, punted);
}
