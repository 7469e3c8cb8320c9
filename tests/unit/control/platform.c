/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "platform.h"

struct platform platform;

static unsigned int pool_size = 1023;

/* RoCEv2: Ethernet, IPv6, UDP, BTH, 16 of payload, ICRC. */
static const uint8_t frame[14 + 40 + 8 + 12 + 16 + 4] = {2, 0x66, 0x63, 0x6e, 0, 0, 2, 0, 0, 0, 1,
		1, 0x86, 0xDD, 0x60, 0x10, 0, 0, 0, 40, 17, 64, 0x20, 1, 0xd,
		0xb8, [37] = 1, [38] = 0x20, 1, 0xd, 0xb8, 0, 1, [53] = 1, [54] = 0xC0, 0xDE, 0x12,
		0xB7, 0, 40, [62] = 4, 0x40, 0xFF, 0xFF};

static uint16_t
rx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct platform_port *p = priv;

	RTE_SET_USED(now);
	if (p->n_pending > 0) {
		n = RTE_MIN(n, p->n_pending);
		memcpy(pkts, p->pending, n * sizeof(pkts[0]));
		p->n_pending -= n;
		memmove(p->pending, p->pending + n, p->n_pending * sizeof(p->pending[0]));
		return n;
	}
	if (!platform.source || p->number != 0 ||
			rte_pktmbuf_alloc_bulk(platform.pool, pkts, n) != 0)
		return 0;
	for (uint16_t i = 0; i < n; i++) {
		uint8_t *data = (uint8_t *)rte_pktmbuf_append(pkts[i], sizeof(frame));

		memcpy(data, frame, sizeof(frame));
		data[14] = 0x60 | (i % 8) << 1; /* class i % 8 */
		data[37] = i;
		if (platform.not_roce)
			data[56] ^= 0xFF;
	}
	return n;
}

static uint16_t
tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	struct platform_port *p = priv;
	uint16_t accepted = RTE_MIN(n, platform.accept);

	RTE_SET_USED(now);
	p->sent += accepted;
	for (uint16_t i = 0; i < accepted && platform.receiver != NULL; i++)
		platform.receiver(p, pkts[i]);
	rte_pktmbuf_free_bulk(pkts, accepted);
	return accepted;
}

static uint64_t
link_bps(void *priv)
{
	return ((const struct platform_port *)priv)->link_bps;
}

static bool
link_up(void *priv)
{
	return !((const struct platform_port *)priv)->down;
}

static bool
accepts_clones(void *priv)
{
	return !((const struct platform_port *)priv)->no_clones;
}

static const char *
limits(void *priv)
{
	RTE_SET_USED(priv);
	return "is a diary";
}

const struct fcn_port_ops platform_port_ops = {.kind = "diary",
		.rx_burst = rx_burst,
		.tx_burst = tx_burst,
		.accepts_clones = accepts_clones,
		.link_bps = link_bps,
		.link_up = link_up,
		.limits = limits};

static int
open_port(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	struct platform *w = arg;
	struct platform_port *p = &w->port[number];

	assert_false(p->open);
	if (strcmp(port->name, PLATFORM_BROKEN) == 0) {
		snprintf(err, err_size, "does not open");
		return -EIO;
	}
	p->open = true;
	p->number = number;
	p->opened++;
	p->mtu = port->mtu;
	p->link_bps = port->link_bps;
	out->ops = p->ops != NULL ? p->ops : &platform_port_ops;
	out->priv = p;
	out->info.link_bps = port->link_bps;
	return 0;
}

static int
update_port(void *arg, const struct fcn_config_port *port, struct fcn_control_port *open, char *err,
		size_t err_size)
{
	struct platform_port *p = open->priv;

	RTE_SET_USED(arg);
	assert_true(p->open);
	if (port->mtu == PLATFORM_BAD_MTU) {
		snprintf(err, err_size, "MTU refused");
		return -EINVAL;
	}
	p->updated++;
	p->mtu = port->mtu;
	p->link_bps = port->link_bps;
	open->info.link_bps = port->link_bps;
	return 0;
}

static void
close_port(void *arg, struct fcn_control_port *open)
{
	struct platform_port *p = open->priv;

	RTE_SET_USED(arg);
	assert_true(p->open);
	rte_pktmbuf_free_bulk(p->pending, p->n_pending);
	p->n_pending = 0;
	p->open = false;
	p->closed++;
}

int
platform_begin_large(void **state)
{
	pool_size = 8191;
	return fcn_test_eal_init(state);
}

int
platform_setup(bool threaded)
{
	return platform_setup_as(&(struct fcn_platform){0}, threaded);
}

int
platform_setup_as(const struct fcn_platform *features, bool threaded)
{
	return platform_setup_sized(features, threaded,
			&(struct platform_size){
					.mac_entries = 64, .events = 64, .mbufs = pool_size});
}

int
platform_setup_empty(void **state)
{
	RTE_SET_USED(state);
	return platform_setup(false);
}

int
platform_setup_ports(void **state)
{
	struct fcn_config *cfg;

	if (platform_setup_empty(state) != 0)
		return -1;
	cfg = platform_edit();
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	assert_int_equal(fcn_config_port_add(cfg, "p1"), 1);
	platform_commit(cfg);
	return 0;
}

int
platform_setup_sized(const struct fcn_platform *features, bool threaded,
		const struct platform_size *size)
{
	char name[] = "platform";
	struct fcn_control_conf conf = {.name = name,
			.platform = &platform.ops,
			.socket = SOCKET_ID_ANY,
			.threaded = threaded,
			.events = size->events,
			.mac_entries = size->mac_entries,
			.flow_sets = 64,
			.dest_sets = 64};
	char err[256];

	memset(&platform, 0, sizeof(platform));
	platform.accept = UINT16_MAX;
	platform.ops = (struct fcn_platform){.name = "diary",
			.port_open = open_port,
			.port_update = update_port,
			.port_close = close_port,
			.slack_ns = features->slack_ns,
			.kernel = features->kernel,
			.log = features->log,
			.arg = &platform};
	platform.pool = rte_pktmbuf_pool_create(
			"platform", size->mbufs, 0, 0, FCN_DATA_ROOM, SOCKET_ID_ANY);
	conf.pool = platform.pool;
	platform.ctl = fcn_control_create(&conf, err, sizeof(err));
	memset(name, '?', sizeof(name) - 1); /* control has copied the name */
	return platform.pool == NULL || platform.ctl == NULL ? -1 : 0;
}

int
platform_teardown(void **state)
{
	struct fcn_conservation c = {0};
	unsigned int missing;

	RTE_SET_USED(state);
	fcn_worker_conservation(fcn_control_worker(platform.ctl, 0), &c);
	assert_true(fcn_conservation_holds(&c));
	fcn_control_free(platform.ctl);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		assert_int_equal(platform.port[p].opened, platform.port[p].closed);
	missing = rte_mempool_in_use_count(platform.pool);
	rte_mempool_free(platform.pool);
	return missing == 0 ? 0 : -1;
}

struct fcn_config *
platform_edit(void)
{
	struct fcn_config *cfg = fcn_config_copy(fcn_control_config(platform.ctl));

	assert_non_null(cfg);
	return cfg;
}

void
platform_commit(struct fcn_config *cfg)
{
	char err[256] = "";

	if (fcn_control_commit(platform.ctl, cfg, err, sizeof(err)) != 0)
		fail_msg("%s", err);
	assert_ptr_equal(fcn_control_config(platform.ctl), cfg);
}

void
platform_refused(struct fcn_config *cfg, const char *want)
{
	char err[256] = "";

	assert_int_equal(fcn_control_commit(platform.ctl, cfg, err, sizeof(err)), -1);
	assert_string_equal(err, want);
	fcn_config_free(cfg);
}

void
platform_route(struct fcn_config *cfg, const char *prefix, const char *via, uint16_t port)
{
	struct fcn_config_route r = {.port = port};

	assert_int_equal(fcn_prefix_parse(prefix, &r.prefix), 0);
	assert_int_equal(fcn_addr_parse(via, &r.via), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("route"), &r, NULL), 0);
}

void
platform_neighbour(struct fcn_config *cfg, uint16_t port, const char *text, uint8_t n)
{
	struct rte_ether_addr mac = {{2, 0, 0, 0, 7, n}};
	struct fcn_addr a;

	assert_int_equal(fcn_addr_parse(text, &a), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, port, a, mac), 0);
}

void
platform_arrive(unsigned int port, struct rte_mbuf *m)
{
	struct platform_port *p = &platform.port[port];

	assert_true(p->n_pending < PLATFORM_PENDING);
	p->pending[p->n_pending++] = m;
}

static void
check_json(const json_t *got, json_t *want, const char *key)
{
	const char *member;
	json_t *value;
	size_t i;

	if (json_typeof(want) == JSON_OBJECT) {
		json_object_foreach (want, member, value)
			check_json(json_object_get(got, member), value, member);
	} else if (json_typeof(want) == JSON_ARRAY) {
		if (!json_is_array(got) || json_array_size(got) != json_array_size(want))
			fail_msg("%s has %zu elements", key, json_array_size(got));
		json_array_foreach (want, i, value)
			check_json(json_array_get(got, i), value, key);
	} else if (!json_equal(got, want)) {
		char *is = got == NULL ? NULL : json_dumps(got, JSON_ENCODE_ANY);

		fail_msg("%s is %s", key, is == NULL ? "not there" : is);
	}
}

void
platform_shows(const json_t *v, const char *want)
{
	char *text = strdup(want);
	json_error_t err;
	json_t *o;

	assert_non_null(text);
	for (char *c = text; (c = strchr(c, '\'')) != NULL;)
		*c = '"';
	o = json_loads(text, JSON_DECODE_ANY, &err);
	if (o == NULL)
		fail_msg("%s in %s", err.text, want);
	check_json(v, o, "the value");
	json_decref(o);
	free(text);
}

void
platform_gives(json_t *v, const char *want)
{
	platform_shows(v, want);
	json_decref(v);
}

json_int_t
platform_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v))
		fail_msg("no number %s", key);
	return json_integer_value(v);
}

const char *
platform_string(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_string(v))
		fail_msg("no string %s", key);
	return json_string_value(v);
}
