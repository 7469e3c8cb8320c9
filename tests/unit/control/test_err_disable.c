/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A whole switch in virtual time: a bridge of four ports, and one station that is heard now by one
 * port, now by another, as in a loop. Which port is closed, for how long, and what becomes of that
 * when the configuration changes.
 */

#include <errno.h>

#include <rte_ether.h>

#include "fcn_control.h"
#include "fcn_show.h"
#include "fcn_test.h"

#define SECOND UINT64_C(1000000000)
#define N_PORTS 4
#define PENDING 64

struct end {
	struct rte_mbuf *pending[PENDING]; /* what the switch is about to receive */
	unsigned int n_pending;
	unsigned int sent; /* frames the switch sent here */
	bool down;
};

static struct {
	struct rte_mempool *pool;
	struct fcn_world world;
	struct fcn_control *ctl;
	struct end end[FCN_MAX_PORTS];
	uint64_t now;
	uint64_t due; /* what the last poll said */
	char said[256];
} net;

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct end *e = priv;
	uint16_t take = RTE_MIN(n, e->n_pending);

	RTE_SET_USED(now);
	memcpy(pkts, e->pending, take * sizeof(pkts[0]));
	e->n_pending -= take;
	memmove(e->pending, e->pending + take, e->n_pending * sizeof(e->pending[0]));
	return take;
}

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	RTE_SET_USED(now);
	((struct end *)priv)->sent += n;
	rte_pktmbuf_free_bulk(pkts, n);
	return n;
}

static bool
link_up(void *priv)
{
	return !((const struct end *)priv)->down;
}

static const struct fcn_port_ops ops = {
		.kind = "test", .rx_burst = rx_burst, .tx_burst = tx_burst, .link_up = link_up};

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	RTE_SET_USED(arg);
	if (strcmp(port->name, "broken") == 0) {
		snprintf(err, err_size, "does not open");
		return -EIO;
	}
	out->ops = &ops;
	out->priv = &net.end[number];
	out->info.link_bps = UINT64_C(10000000000);
	return 0;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(open);
}

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	snprintf(net.said, sizeof(net.said), "%s", line);
}

static struct fcn_config *
edit(void)
{
	struct fcn_config *cfg = fcn_config_copy(net.ctl->config);

	assert_non_null(cfg);
	return cfg;
}

static void
commit(struct fcn_config *cfg)
{
	char err[256] = "";

	if (fcn_control_commit(net.ctl, cfg, err, sizeof(err)) != 0)
		fail_msg("%s", err);
}

static void
add_port(struct fcn_config *cfg, const char *name, unsigned int number)
{
	assert_int_equal(fcn_config_port_add(cfg, name), number);
	cfg->port[number].bridge = 0;
	cfg->port[number].pvid = 1;
}

static void
set_action(enum fcn_loop_action action, uint64_t recover_ns)
{
	struct fcn_config *cfg = edit();

	cfg->bridge[0].loop_action = action;
	cfg->bridge[0].recover_ns = recover_ns;
	commit(cfg);
}

static int
setup(void **state)
{
	struct fcn_control_conf conf = {.name = "loop",
			.world = &net.world,
			.socket = SOCKET_ID_ANY,
			.mac_entries = 256,
			.flow_sets = 64,
			.dest_sets = 64,
			.events = 256};
	struct fcn_config *cfg;
	char err[256];

	RTE_SET_USED(state);
	memset(&net, 0, sizeof(net));
	net.now = SECOND;
	net.world = (struct fcn_world){.name = "test",
			.port_open = open_port,
			.port_close = close_port,
			.log = log_line};
	net.pool = rte_pktmbuf_pool_create("loop", 4095, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	conf.pool = net.pool;
	net.ctl = fcn_control_create(&conf, err, sizeof(err));
	if (net.pool == NULL || net.ctl == NULL)
		return -1;
	cfg = edit();
	assert_int_equal(fcn_config_bridge_add(cfg, "br0"), 0);
	assert_int_equal(fcn_config_bridge_add(cfg, "br1"), 1);
	for (unsigned int p = 0; p < N_PORTS; p++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", p);
		add_port(cfg, name, p);
	}
	commit(cfg);
	return 0;
}

static int
setup_disable(void **state)
{
	if (setup(state) != 0)
		return -1;
	set_action(FCN_LOOP_DISABLE, 300 * SECOND);
	return 0;
}

static int
teardown(void **state)
{
	struct fcn_conservation sum = {0};
	unsigned int missing;

	RTE_SET_USED(state);
	fcn_control_conservation(net.ctl, &sum);
	assert_true(fcn_conservation_holds(&sum));
	fcn_control_free(net.ctl);
	missing = rte_mempool_in_use_count(net.pool);
	rte_mempool_free(net.pool);
	return missing == 0 ? 0 : -1;
}

/* A broadcast of a station comes in by a port. */
static void
arrive(unsigned int port, uint8_t station)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(net.pool);
	uint8_t *data;

	assert_non_null(m);
	assert_non_null(rte_pktmbuf_append(m, 60));
	data = rte_pktmbuf_mtod(m, uint8_t *);
	memset(data, 0, 60);
	memset(data, 0xFF, 6);
	data[6] = 2;
	data[11] = station;
	data[12] = 0x88;
	data[13] = 0xB5;
	assert_true(net.end[port].n_pending < PENDING);
	net.end[port].pending[net.end[port].n_pending++] = m;
	fcn_poll_once(net.ctl->worker[0], net.now);
	while (fcn_worker_next_event(net.ctl->worker[0], net.now) <= net.now)
		fcn_poll_once(net.ctl->worker[0], net.now);
}

static void
control(void)
{
	fcn_control_drain(net.ctl);
	net.due = fcn_control_err_disable_poll(net.ctl, net.now);
}

/* A station of its own is heard by one port and by another, by turns, n times each. */
static void
loop(unsigned int a, unsigned int b, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		arrive(a, 10 + a + b);
		arrive(b, 10 + a + b);
	}
}

static uint64_t
closed(void)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_snapshot_port *port = &net.ctl->published->port[p];

		set |= (uint64_t)port->err_disabled << p;
		if (port->mode == FCN_PORT_BRIDGED && !net.ctl->env.port[p].down)
			assert_int_equal(port->err_disabled,
					!(net.ctl->published->bridge[port->bridge].members >> p &
							1));
	}
	return set;
}

/* Ports that a broadcast leaves by. */
static uint64_t
reaches(unsigned int port)
{
	uint64_t set = 0;

	for (unsigned int p = 0; p < N_PORTS; p++)
		net.end[p].sent = 0;
	arrive(port, 100 + port);
	for (unsigned int p = 0; p < N_PORTS; p++)
		set |= (uint64_t)(net.end[p].sent != 0) << p;
	return set;
}

/* The last events of a kind. @return how many there were */
static unsigned int
events_of(enum fcn_event_type type, struct fcn_event *last)
{
	struct fcn_event ev[FCN_COLLECTOR_EVENTS];
	unsigned int n = fcn_collector_events(net.ctl->collector, ev, RTE_DIM(ev)), found = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (ev[i].type != type)
			continue;
		*last = ev[i];
		found++;
	}
	return found;
}

static void
test_off_by_default(void **state)
{
	struct fcn_event ev;

	RTE_SET_USED(state);
	loop(0, 1, 50);
	control();
	assert_int_equal(events_of(FCN_EVENT_MAC_FLAPPING, &ev), 2);
	assert_int_equal(closed(), 0);
	assert_int_equal(net.due, FCN_HOST_NEVER);
	assert_string_equal(net.said, "");
}

/* Of the two ports of a loop the one with the higher number, wherever the loop was entered. */
static void
test_one_end_is_closed(void **state)
{
	struct fcn_mac_key key = {.mac = {{2, 0, 0, 0, 0, 50}}, .vlan = 1};
	const struct fcn_mac_table *macs = net.ctl->worker[0]->macs;
	struct fcn_event ev;
	json_t *show, *row;

	RTE_SET_USED(state);
	arrive(2, 50);
	loop(2, 1, 10); /* ten moves to p1, nine to p2 */
	control();
	assert_int_equal(closed(), 0);
	arrive(2, 13);
	control();
	assert_int_equal(closed(), 1 << 2);
	assert_int_equal(events_of(FCN_EVENT_ERR_DISABLED, &ev), 1);
	assert_int_equal(ev.port, 2);
	assert_int_equal(ev.in_port, 1);
	assert_int_equal(ev.time_ns, net.now);
	assert_memory_equal(ev.sender, ((uint8_t[]){2, 0, 0, 0, 0, 13}), 6);
	assert_string_equal(net.said,
			"port p2: closed because of a loop: MAC addresses move there and back "
			"between it and port p1; it is opened again after 300s");
	/* nothing goes out there, nothing comes in, and nobody is known to be there */
	assert_int_equal(reaches(0), 1 << 1 | 1 << 3);
	assert_int_equal(reaches(2), 0);
	assert_int_equal(net.ctl->worker[0]->counters[2].drop[FCN_DROP_ERR_DISABLED], 1);
	assert_true(fcn_mac_table_lookup(macs, &key, net.now, UINT64_MAX / 2) < 0);
	assert_int_equal(fcn_mac_table_count_port(macs, 2), 0);
	net.now += SECOND;
	show = fcn_show_bridges(net.ctl, -1);
	row = json_array_get(json_object_get(json_array_get(show, 0), "ports"), 2);
	assert_true(json_is_true(json_object_get(row, "err_disabled")));
	/* the clock is the worker's, which had its last turn when the port was closed */
	assert_int_equal(json_integer_value(json_object_get(row, "recover_in_ns")), 300 * SECOND);
	row = json_array_get(json_object_get(json_array_get(show, 0), "ports"), 1);
	assert_true(json_is_false(json_object_get(row, "err_disabled")));
	assert_true(json_is_null(json_object_get(row, "recover_in_ns")));
	json_decref(show);
}

static void
test_recovery(void **state)
{
	struct fcn_event ev;
	uint64_t since = net.now;

	RTE_SET_USED(state);
	loop(0, 3, 12);
	control();
	assert_int_equal(closed(), 1 << 3);
	assert_int_equal(net.due, since + 300 * SECOND);
	net.now = net.due - 1;
	control();
	assert_int_equal(closed(), 1 << 3);
	assert_int_equal(events_of(FCN_EVENT_ERR_RECOVERED, &ev), 0);
	net.now = since + 300 * SECOND;
	control();
	assert_int_equal(closed(), 0);
	assert_int_equal(net.due, FCN_HOST_NEVER);
	assert_int_equal(events_of(FCN_EVENT_ERR_RECOVERED, &ev), 1);
	assert_int_equal(ev.port, 3);
	assert_int_equal(ev.time_ns, net.now);
	assert_int_equal(reaches(3), 7);
	assert_int_equal(reaches(0), 0xE);
	/* The loop is still there. */
	loop(0, 3, 12);
	control();
	assert_int_equal(closed(), 1 << 3);
}

/* A time that is set meanwhile counts for a port that is closed already. */
static void
test_new_time(void **state)
{
	uint64_t since = net.now;

	RTE_SET_USED(state);
	loop(0, 3, 12);
	control();
	set_action(FCN_LOOP_DISABLE, 0);
	control();
	assert_int_equal(closed(), 1 << 3);
	assert_int_equal(net.due, FCN_HOST_NEVER);
	net.now += 100000 * SECOND;
	control();
	assert_int_equal(closed(), 1 << 3);
	set_action(FCN_LOOP_DISABLE, 100001 * SECOND);
	control();
	assert_int_equal(net.due, since + 100001 * SECOND);
	set_action(FCN_LOOP_DISABLE, 100000 * SECOND);
	control();
	assert_int_equal(closed(), 0);
}

/* Two loops at once: one port, and a second later another, if it is told of again. */
static void
test_one_a_second(void **state)
{
	RTE_SET_USED(state);
	loop(0, 1, 12);
	loop(2, 3, 12);
	control();
	assert_int_equal(closed(), 1 << 3);
	net.now += SECOND; /* told at this very moment: too early */
	loop(0, 1, 12);
	control();
	assert_int_equal(closed(), 1 << 3);
	net.now += SECOND;
	control();
	assert_int_equal(closed(), 1 << 3);
	loop(0, 1, 12);
	control();
	assert_int_equal(closed(), 1 << 1 | 1 << 3);
}

/* Three ports of one segment: the lowest stays. */
static void
test_three_ends(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int second = 0; second < 8; second++) {
		for (unsigned int i = 0; i < 12; i++) {
			arrive(1, 7);
			arrive(2, 7);
			arrive(3, 7);
		}
		control();
		net.now += SECOND;
	}
	assert_int_equal(closed(), 1 << 2 | 1 << 3);
}

/* The other end lost its link before control looked: the one that is left stays open. */
static void
test_last_with_link(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int p = 2; p < 4; p++)
		net.end[p].down = true;
	fcn_control_link_poll(net.ctl);
	loop(0, 1, 12);
	net.end[0].down = true;
	fcn_control_link_poll(net.ctl);
	control();
	assert_int_equal(closed(), 0);
	assert_int_equal(net.ctl->published->bridge[0].members, 1 << 1);
	/* and a port that is closed is no other end either */
	net.end[0].down = false;
	fcn_control_link_poll(net.ctl);
	net.now += 2 * SECOND;
	loop(0, 1, 12);
	control();
	assert_int_equal(closed(), 1 << 1);
	assert_int_equal(net.ctl->published->bridge[0].members, 1);
}

static void
test_moves_there_and_back_count_apart(void **state)
{
	RTE_SET_USED(state);
	/* nine moves to p2 from p1, and nine from p3 */
	for (unsigned int i = 0; i < 9; i++) {
		arrive(1, 7);
		arrive(2, 7);
		arrive(3, 8);
		arrive(2, 8);
	}
	control();
	assert_int_equal(closed(), 0);
}

/* What has nothing to do with the port leaves it closed; so does what is refused. */
static void
test_commit_keeps(void **state)
{
	struct fcn_config *cfg;
	char err[256] = "";

	RTE_SET_USED(state);
	loop(0, 2, 12);
	control();
	cfg = edit();
	cfg->bridge[0].ageing_ns++;
	cfg->port[2].tagged[0] = 4;
	fcn_config_port_remove(cfg, 0);
	commit(cfg);
	assert_int_equal(closed(), 1 << 2);
	assert_int_equal(net.ctl->published->port[2].tagged[0], 0);
	cfg = edit();
	cfg->bridge[0].loop_action = FCN_LOOP_LOG;
	cfg->bridge[0].move_limit = 0;
	cfg->bridge[1].loop_action = FCN_LOOP_DISABLE;
	cfg->bridge[1].move_limit = 0;
	assert_int_equal(fcn_control_commit(net.ctl, cfg, err, sizeof(err)), -1);
	assert_string_equal(err, "bridge br1: loop-action disable closes ports from the "
				 "move-limit on, which is off");
	fcn_config_free(cfg);
	cfg = edit();
	cfg->bridge[0].loop_action = FCN_LOOP_LOG;
	assert_int_equal(fcn_config_port_add(cfg, "broken"), 0);
	assert_int_equal(fcn_control_commit(net.ctl, cfg, err, sizeof(err)), -1);
	fcn_config_free(cfg);
	assert_int_equal(closed(), 1 << 2);
	assert_int_equal(net.ctl->env.err_disabled, 1 << 2);
	assert_int_equal(fcn_control_err_disable_clear(net.ctl, UINT64_MAX), 1);
	assert_int_equal(closed(), 0);
	assert_int_equal(net.ctl->published->port[2].tagged[0], 4);
}

static void
log_instead(struct fcn_config *cfg)
{
	cfg->bridge[0].loop_action = FCN_LOOP_LOG;
}

static void
leave(struct fcn_config *cfg)
{
	fcn_config_bridge_leave(cfg, 2);
}

static void
change_bridge(struct fcn_config *cfg)
{
	cfg->bridge[1].loop_action = FCN_LOOP_DISABLE;
	cfg->port[2].bridge = 1;
}

static void
remove_port(struct fcn_config *cfg)
{
	fcn_config_port_remove(cfg, 2);
}

/* And what ends it: told, where the port is still there. */
static void
test_commit_forgets(void **state)
{
	static const struct {
		void (*change)(struct fcn_config *cfg);
		bool told;
	} changes[] = {{log_instead, true}, {leave, true}, {change_bridge, true},
			{remove_port, false}};

	for (size_t i = 0; i < RTE_DIM(changes); i++) {
		struct fcn_config *cfg;
		struct fcn_event ev;

		teardown(state);
		setup_disable(state);
		loop(0, 2, 12);
		control();
		assert_int_equal(closed(), 1 << 2);
		cfg = edit();
		changes[i].change(cfg);
		commit(cfg);
		assert_int_equal(closed(), 0);
		assert_int_equal(net.ctl->env.err_disabled, 0);
		assert_int_equal(events_of(FCN_EVENT_ERR_RECOVERED, &ev), changes[i].told);
		control();
		assert_int_equal(net.due, FCN_HOST_NEVER);
	}
}

/* What was told of a port is not held against the one that got its number. */
static void
test_number_of_another(void **state)
{
	struct fcn_config *cfg;

	RTE_SET_USED(state);
	loop(0, 2, 12);
	cfg = edit();
	remove_port(cfg);
	commit(cfg);
	cfg = edit();
	add_port(cfg, "other", 2);
	commit(cfg);
	control();
	assert_int_equal(closed(), 0);
	net.now += 2 * SECOND;
	loop(0, 2, 12);
	control();
	assert_int_equal(closed(), 1 << 2);
}

/* The bridge's interface has no port to be heard by, until the closed one is open again: it tells
 * the link of its groups then. */
static void
test_interface_comes_back(void **state)
{
	struct fcn_prefix prefix = {
			.addr = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8, [15] = 1}}, .len = 64};
	struct fcn_config *cfg = edit();
	int number = fcn_config_bridge_interface_add(cfg, "br0.1", 0, 1);

	RTE_SET_USED(state);
	assert_true(number >= 0);
	assert_int_equal(fcn_config_address_add(cfg, number, &prefix), 0);
	cfg->host.mode = FCN_HOST_ON;
	commit(cfg);
	loop(0, 1, 12);
	control();
	assert_int_equal(closed(), 1 << 1);
	net.end[0].down = net.end[2].down = net.end[3].down = true;
	fcn_control_link_poll(net.ctl);
	net.end[1].sent = 0;
	for (unsigned int i = 0; i < 400; i++) {
		if (i == 300) /* its time has come */
			assert_int_equal(net.end[1].sent, 0);
		fcn_control_host_poll(net.ctl, net.now);
		fcn_poll_once(net.ctl->worker[0], net.now);
		fcn_poll_once(net.ctl->worker[0], net.now);
		control();
		net.now += SECOND;
	}
	assert_int_equal(closed(), 0);
	assert_true(net.end[1].sent > 0);
}

static void
test_clear(void **state)
{
	struct fcn_event ev;

	RTE_SET_USED(state);
	assert_int_equal(fcn_control_err_disable_clear(net.ctl, UINT64_MAX), 0);
	loop(0, 2, 12);
	control();
	assert_int_equal(fcn_control_err_disable_clear(net.ctl, 0xB), 0);
	assert_int_equal(closed(), 1 << 2);
	assert_int_equal(fcn_control_err_disable_clear(net.ctl, 1 << 2), 1);
	assert_int_equal(closed(), 0);
	assert_int_equal(events_of(FCN_EVENT_ERR_RECOVERED, &ev), 1);
	assert_int_equal(reaches(2), 0xB);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_disable, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(test_off_by_default, setup, teardown),
			TEST(test_one_end_is_closed),
			TEST(test_recovery),
			TEST(test_new_time),
			TEST(test_one_a_second),
			TEST(test_three_ends),
			TEST(test_last_with_link),
			TEST(test_moves_there_and_back_count_apart),
			TEST(test_commit_keeps),
			TEST(test_commit_forgets),
			TEST(test_number_of_another),
			TEST(test_interface_comes_back),
			TEST(test_clear),
	};

	return cmocka_run_group_tests_name(
			"err_disable", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
