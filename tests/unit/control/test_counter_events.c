/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Events that control finds when it looks: drops, suppressed notices, neighbours. */

#include "control_private.h" /* lists of neighbours and senders, without any */
#include "fcn_show.h"
#include "platform.h"

static struct fcn_event event[FCN_COLLECTOR_EVENTS];

/* Events since the last time. */
static unsigned int
news(void)
{
	unsigned int n;

	n = fcn_collector_events(fcn_control_collector(platform.ctl), event, RTE_DIM(event));
	fcn_collector_clear(fcn_control_collector(platform.ctl));
	return n;
}

static unsigned int
watch(void)
{
	fcn_control_counter_events(platform.ctl);
	return news();
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = platform_setup_ports, .teardown = platform_teardown);

/* Told when it begins, and again only after a second without. */
TEST(drops)
{
	uint64_t *drop = fcn_control_worker(platform.ctl, 0)->counters[1].drop;

	assert_int_equal(watch(), 0);
	drop[FCN_DROP_NO_ROUTE] += 5;
	drop[FCN_DROP_MTU] += 2;
	assert_int_equal(watch(), 1);
	assert_int_equal(event[0].type, FCN_EVENT_DROP_BURST);
	assert_int_equal(event[0].port, 1);
	assert_int_equal(event[0].len, 7);
	drop[FCN_DROP_MTU] += 100;
	assert_int_equal(watch(), 0); /* it goes on */
	assert_int_equal(watch(), 0); /* it is over */
	drop[FCN_DROP_MTU]++;
	assert_int_equal(watch(), 1);
	assert_int_equal(event[0].len, 1);
	assert_int_equal(watch(), 0);
	memset(drop, 0, sizeof(fcn_control_worker(platform.ctl, 0)->counters[1].drop)); /* cleared
											 */
	assert_int_equal(watch(), 0);
	drop[FCN_DROP_MTU] = 3;
	assert_int_equal(watch(), 1);
	assert_int_equal(event[0].len, 3);
	memset(drop, 0, sizeof(fcn_control_worker(platform.ctl, 0)->counters[1].drop));
}

TEST(suppressed)
{
	uint64_t *verdict = fcn_control_worker(platform.ctl, 0)->notify[0].stats[1][3].verdict;

	assert_int_equal(watch(), 0);
	for (unsigned int v = 0; v < FCN_NOTIFY_VERDICT_COUNT; v++)
		verdict[v] += !fcn_notify_verdict_is_suppressed(v);
	assert_int_equal(watch(), 0);
	verdict[FCN_NOTIFY_INTERVAL] += 9;
	assert_int_equal(watch(), 1);
	assert_int_equal(event[0].type, FCN_EVENT_SUPPRESSED);
	assert_int_equal(event[0].port, 1);
	assert_int_equal(event[0].class, 3);
	assert_int_equal(event[0].len, 9);
	assert_int_equal(watch(), 0);
}

/* Told once a second for each port and reason, both ways. */
TEST(border)
{
	struct fcn_port_counters *c = &fcn_control_worker(platform.ctl, 0)->counters[1];

	assert_int_equal(watch(), 0);
	c->border[0][FCN_BORDER_FAST_CNP] += 3;
	c->border[1][FCN_BORDER_FAST_CNP] += 4;
	c->border[1][FCN_BORDER_CNP]++;
	assert_int_equal(watch(), 2);
	assert_int_equal(event[0].type, FCN_EVENT_BORDER);
	assert_int_equal(event[0].port, 1);
	assert_int_equal(event[0].verdict, FCN_DROP_BORDER_FAST_CNP);
	assert_int_equal(event[0].len, 7);
	assert_int_equal(event[1].verdict, FCN_DROP_BORDER_CNP);
	c->border[0][FCN_BORDER_FAST_CNP] += 1000;
	assert_int_equal(watch(), 0); /* it goes on */
	assert_int_equal(watch(), 0); /* it is over */
	c->border[0][FCN_BORDER_FAST_CNP]++;
	assert_int_equal(watch(), 1);
	assert_int_equal(event[0].len, 1);
	memset(c->border, 0, sizeof(c->border));
}

static struct fcn_build_neighbour
neighbour(uint16_t port, const char *addr, uint8_t mac)
{
	struct fcn_build_neighbour n = {.port = port, .mac = {{2, 0, 0, 0, 0, mac}}};

	assert_int_equal(fcn_addr_parse(addr, &n.addr), 0);
	return n;
}

/* What is new, what is gone, what has another MAC address; in any order. */
TEST(neighbours)
{
	static const uint8_t mapped[16] = {[10] = 0xFF, [11] = 0xFF, 192, 0, 2, 9};
	struct fcn_build_neighbour before[] = {neighbour(1, "2001:db8::3", 3),
			neighbour(0, "2001:db8::1", 1), neighbour(0, "192.0.2.9", 4)};
	struct fcn_build_neighbour now[] = {neighbour(0, "2001:db8::1", 7),
			neighbour(1, "2001:db8::1", 1), neighbour(1, "2001:db8::3", 3)};

	fcn_control_neighbour_events(platform.ctl, before, 3, now, 3);
	assert_int_equal(news(), 3);
	assert_int_equal(event[0].type, FCN_EVENT_NEIGHBOUR_LOST);
	assert_int_equal(event[0].port, 0);
	assert_memory_equal(event[0].sender, mapped, 16);
	assert_int_equal(event[1].type, FCN_EVENT_NEIGHBOUR); /* another MAC address */
	assert_int_equal(event[1].port, 0);
	assert_int_equal(event[1].sender[15], 1);
	assert_int_equal(event[2].type, FCN_EVENT_NEIGHBOUR);
	assert_int_equal(event[2].port, 1);
	fcn_control_neighbour_events(platform.ctl, now, 3, NULL, 0);
	assert_int_equal(news(), 3);
	fcn_control_neighbour_events(platform.ctl, NULL, 0, NULL, 0);
	assert_int_equal(news(), 0);
}

/* Senders that refuse notices are learned and forgotten, in any order, of no port, for each kind.
 */
TEST(senders)
{
	struct fcn_host_refusal before[] = {
			{.sender = {0x20, 1, [15] = 9}}, {.sender = {0x20, 1, [15] = 1}}};
	struct fcn_host_refusal now[] = {{.sender = {0x20, 1, [15] = 5}},
			{.sender = {0x20, 1, [15] = 9}}, {.sender = {0x20, 1, [15] = 2}}};
	struct fcn_host_refusal other = {.sender = {0x20, 1, [15] = 2}, .kind = 1};
	json_t *v, *o;

	fcn_control_sender_events(platform.ctl, before, 2, now, 3);
	assert_int_equal(news(), 3);
	assert_int_equal(event[0].type, FCN_EVENT_SENDER_FORGOTTEN);
	assert_int_equal(event[0].sender[15], 1);
	assert_int_equal(event[1].type, FCN_EVENT_SENDER);
	assert_int_equal(event[1].sender[15], 2);
	assert_int_equal(event[2].type, FCN_EVENT_SENDER);
	assert_int_equal(event[2].sender[15], 5);
	fcn_control_sender_events(platform.ctl, NULL, 0, now, 1);
	v = fcn_show_events(platform.ctl, 1);
	o = json_array_get(json_object_get(v, "events"), 0);
	assert_string_equal(json_string_value(json_object_get(o, "event")), "sender");
	assert_string_equal(json_string_value(json_object_get(o, "address")), "2001::2");
	assert_string_equal(json_string_value(json_object_get(o, "notice")), "fast_cnp");
	assert_true(json_is_null(json_object_get(o, "port")));
	json_decref(v);
	assert_int_equal(news(), 1);
	fcn_control_sender_events(platform.ctl, now, 3, NULL, 0);
	assert_int_equal(news(), 3);
	fcn_control_sender_events(platform.ctl, NULL, 0, NULL, 0);
	assert_int_equal(news(), 0);
	/* The same sender refuses one kind, and then only another one. */
	fcn_control_sender_events(platform.ctl, now, 1, &other, 1);
	assert_int_equal(news(), 2);
	assert_int_equal(event[0].type, FCN_EVENT_SENDER_FORGOTTEN);
	assert_int_equal(event[0].kind, 0);
	assert_int_equal(event[1].type, FCN_EVENT_SENDER);
	assert_int_equal(event[1].kind, 1);
}
