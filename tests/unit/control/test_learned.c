/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Proxies and END.CON SIDs learned from routing protocols: what is remembered, for how long, and
 * what snapshots are built of. */

#include <errno.h>
#include <stdio.h>

#include "fcn_learned.h"
#include "fcn_notice_endcon.h"
#include "platform.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)

#define MANY (FCN_LEARNED_MAX - 3 * FCN_LEARNED_SHARE) /* what one protocol can have */

static uint64_t now;

static int
setup(void **state)
{
	now = 1000 * SECOND;
	return platform_setup_ports(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = platform_teardown);

static struct fcn_proxy_prefix
item(const char *prefix, const char *proxy, enum fcn_proxy_origin origin)
{
	struct fcn_proxy_prefix p = {.origin = origin};

	assert_int_equal(fcn_prefix_parse(prefix, &p.prefix), 0);
	assert_int_equal(fcn_addr_parse(proxy, &p.proxy), 0);
	return p;
}

static int
add(const char *prefix, const char *proxy, enum fcn_proxy_origin origin, uint64_t lifetime)
{
	const struct fcn_proxy_prefix p = item(prefix, proxy, origin);

	return fcn_learned_add(platform.ctl, FCN_LEARNED_PROXY, &p, lifetime);
}

static int
take(const char *prefix, enum fcn_proxy_origin origin)
{
	const struct fcn_proxy_prefix p = item(prefix, "2001:db8::1", origin);

	return fcn_learned_remove(platform.ctl, FCN_LEARNED_PROXY, &p.prefix, origin);
}

/* Let a time pass. @return when there is work again */
static uint64_t
wait(uint64_t ns)
{
	now += ns;
	return fcn_learned_poll(platform.ctl, now);
}

static const struct fcn_build_env *
env(void)
{
	return fcn_control_build_env(platform.ctl);
}

static struct fcn_learned_state
state_of(void)
{
	struct fcn_learned_state s;

	fcn_learned_state(platform.ctl, FCN_LEARNED_PROXY, &s);
	return s;
}

/* Added, changed, renewed, removed; equal prefixes of several protocols are apart. */
TEST(changes)
{
	uint64_t generation;

	wait(0);
	assert_int_equal(fcn_learned_poll(platform.ctl, now), FCN_HOST_NEVER);
	generation = fcn_control_snapshot(platform.ctl)->generation;
	assert_int_equal(add("2001:db8:a::1/48", "2001:db8:f::1", FCN_PROXY_BGP, 100), 0);
	assert_int_equal(add("192.0.2.0/24", "198.51.100.1", FCN_PROXY_ISIS, 50), 0);
	assert_true(state_of().pending);
	assert_int_equal(env()->n_learned_proxies, 0);
	assert_int_equal(wait(0), now + 50 * SECOND);
	assert_false(state_of().pending);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation + 1);
	assert_int_equal(env()->n_learned_proxies, 2);
	assert_int_equal(env()->learned_proxies[0].prefix.addr.version, 4);
	assert_int_equal(env()->learned_proxies[0].origin, FCN_PROXY_ISIS);
	assert_int_equal(env()->learned_proxies[1].prefix.addr.bytes[15], 0);

	/* Told again: nothing is built. */
	assert_int_equal(add("2001:db8:a::/48", "2001:db8:f::1", FCN_PROXY_BGP, 100), 0);
	wait(SECOND);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation + 1);
	assert_int_equal(state_of().count[FCN_PROXY_BGP].renewed, 1);
	/* Another proxy, another protocol. */
	assert_int_equal(add("2001:db8:a::/48", "198.51.100.9", FCN_PROXY_BGP, 100), 0);
	assert_int_equal(add("2001:db8:a::/48", "2001:db8:f::3", FCN_PROXY_OSPF3, 100), 0);
	wait(SECOND);
	assert_int_equal(env()->n_learned_proxies, 3);
	assert_int_equal(env()->learned_proxies[1].origin, FCN_PROXY_OSPF3);
	assert_int_equal(env()->learned_proxies[2].proxy.version, 4);
	assert_int_equal(state_of().count[FCN_PROXY_BGP].changed, 1);

	assert_int_equal(take("2001:db8:a::/48", FCN_PROXY_ISIS), -ENOENT);
	assert_int_equal(take("2001:db8:a::/47", FCN_PROXY_BGP), -ENOENT);
	assert_int_equal(take("2001:db8:a::7/48", FCN_PROXY_BGP), 0);
	assert_int_equal(take("2001:db8:a::/48", FCN_PROXY_BGP), -ENOENT);
	wait(SECOND);
	assert_int_equal(env()->n_learned_proxies, 2);
	assert_int_equal(state_of().count[FCN_PROXY_BGP].removed, 1);
	assert_int_equal(state_of().n_of[FCN_PROXY_BGP], 0);

	assert_int_equal(fcn_learned_clear(platform.ctl, FCN_LEARNED_PROXY, FCN_PROXY_BGP), 0);
	assert_int_equal(fcn_learned_clear(platform.ctl, FCN_LEARNED_PROXY, FCN_PROXY_OSPF3), 1);
	wait(SECOND);
	assert_int_equal(env()->n_learned_proxies, 1);
	assert_int_equal(state_of().n, 1);
}

TEST(refused)
{
	static const char *const bad[] = {
			"::", "ff02::1", "fe80::1", "::1", "0.0.0.0", "224.0.0.1", "127.0.0.1"};

	for (size_t i = 0; i < RTE_DIM(bad); i++)
		assert_int_equal(add("2001:db8::/32", bad[i], FCN_PROXY_BGP, 10), -EINVAL);
	assert_int_equal(state_of().n, 0);
}

/* Each is forgotten at its time, unless it is renewed. */
TEST(lifetime)
{
	uint64_t next;

	wait(0);
	assert_int_equal(add("2001:db8:1::/48", "2001:db8:f::1", FCN_PROXY_BGP, 10), 0);
	assert_int_equal(add("2001:db8:2::/48", "2001:db8:f::1", FCN_PROXY_BGP, 20), 0);
	assert_int_equal(add("2001:db8:3::/48", "2001:db8:f::1", FCN_PROXY_BGP, 10), 0);
	assert_int_equal(wait(0), now + 10 * SECOND);
	wait(9 * SECOND);
	assert_int_equal(add("2001:db8:3::/48", "2001:db8:f::1", FCN_PROXY_BGP, 10), 0);
	wait(SECOND - 1);
	assert_int_equal(state_of().n, 3);
	wait(1);
	assert_int_equal(state_of().n, 2);
	assert_int_equal(env()->n_learned_proxies, 2);
	next = wait(9 * SECOND);
	assert_int_equal(next, now + SECOND);
	assert_int_equal(state_of().n, 1);
	assert_int_equal(env()->learned_proxies[0].prefix.addr.bytes[5], 2);
	wait(SECOND);
	assert_int_equal(state_of().n, 0);
	assert_int_equal(state_of().count[FCN_PROXY_BGP].expired, 3);
	assert_int_equal(fcn_learned_poll(platform.ctl, now), FCN_HOST_NEVER);
	/* A commit does not bring them back, nor take others away. */
	assert_int_equal(add("2001:db8:1::/48", "2001:db8:f::1", FCN_PROXY_BGP, 10), 0);
	wait(SECOND);
	platform_commit(platform_edit());
	assert_int_equal(env()->n_learned_proxies, 1);
}

/* Let a protocol learn prefixes until it is refused. @return how many it has learned */
static uint32_t
fill(enum fcn_proxy_origin origin, uint32_t most)
{
	struct fcn_proxy_prefix p = item("2001:db8::/64", "2001:db8:f::1", origin);
	int rc = 0;
	uint32_t n;

	for (n = 0; rc == 0 && n < most; n++) {
		p.prefix.addr.bytes[5] = (uint8_t)(n >> 16);
		p.prefix.addr.bytes[6] = (uint8_t)(n >> 8);
		p.prefix.addr.bytes[7] = (uint8_t)n;
		rc = fcn_learned_add(platform.ctl, FCN_LEARNED_PROXY, &p, 1000);
	}
	if (rc == 0)
		return n;
	assert_int_equal(rc, -ENOSPC);
	return n - 1;
}

/* A protocol that says as much as it can leaves the others their shares. */
TEST(shares)
{
	struct fcn_learned_state s;

	wait(0);
	/* 65536 without three shares of 8192. */
	assert_int_equal(fill(FCN_PROXY_BGP, UINT32_MAX), 40960);
	s = state_of();
	assert_int_equal(s.room[FCN_PROXY_BGP], 0);
	assert_int_equal(s.room[FCN_PROXY_ISIS], 8192);
	assert_int_equal(s.count[FCN_PROXY_BGP].refused, 1);
	assert_int_equal(fill(FCN_PROXY_ISIS, UINT32_MAX), 8192);
	assert_int_equal(fill(FCN_PROXY_OSPF, 8192), 8192);
	/* What one leaves of what is not a share, another one can have. */
	assert_int_equal(take("2001:db8:0:1::/64", FCN_PROXY_BGP), 0);
	s = state_of();
	assert_int_equal(s.room[FCN_PROXY_BGP], 1);
	assert_int_equal(s.room[FCN_PROXY_ISIS], 1);
	assert_int_equal(s.room[FCN_PROXY_OSPF3], 8193);
	assert_int_equal(fill(FCN_PROXY_OSPF3, UINT32_MAX), 8193);
	assert_int_equal(fcn_learned_clear(platform.ctl, FCN_LEARNED_PROXY, FCN_PROXY_ISIS), 8192);
	assert_int_equal(state_of().room[FCN_PROXY_BGP], 0);
	assert_int_equal(fill(FCN_PROXY_ISIS, UINT32_MAX), 8192);
	assert_int_equal(state_of().n, FCN_LEARNED_MAX);
	assert_int_equal(state_of().count[FCN_PROXY_ISIS].refused, 2);
	assert_int_equal(state_of().count[FCN_PROXY_ISIS].memory, 0);
	/* What is known can be told again, and get another proxy. */
	assert_int_equal(add("2001:db8:0:2::/64", "2001:db8:f::7", FCN_PROXY_BGP, 10), 0);
}

/* As many as there may be, and no more; changes that come together are in one snapshot. */
TEST(many)
{
	struct fcn_proxy_prefix p = item("2001:db8::/64", "2001:db8:f::1", FCN_PROXY_BGP);
	struct fcn_event event[FCN_COLLECTOR_EVENTS];
	struct fcn_learned *list;
	uint64_t builds;
	uint32_t n;

	wait(SECOND);
	builds = state_of().builds;
	for (unsigned int i = 0; i < MANY; i++) {
		p.prefix.addr.bytes[6] = (uint8_t)(i * 7 >> 8);
		p.prefix.addr.bytes[7] = (uint8_t)(i * 7);
		assert_int_equal(fcn_learned_add(platform.ctl, FCN_LEARNED_PROXY, &p, 1000), 0);
	}
	p.prefix.addr.bytes[5] = 1;
	assert_int_equal(fcn_learned_add(platform.ctl, FCN_LEARNED_PROXY, &p, 1000), -ENOSPC);
	assert_int_equal(state_of().count[FCN_PROXY_BGP].refused, 1);
	assert_int_equal(state_of().n, MANY);
	/* Events are limited, and those left out are counted. */
	n = fcn_collector_events(fcn_control_collector(platform.ctl), event, RTE_DIM(event));
	assert_int_equal(n, 100);
	assert_int_equal(event[0].type, FCN_EVENT_PROXY_LEARNED);
	assert_int_equal(state_of().events_skipped, MANY - 100);
	wait(0);
	assert_int_equal(state_of().builds, builds + 1);
	assert_int_equal(env()->n_learned_proxies, MANY);
	list = fcn_learned_list(platform.ctl, FCN_LEARNED_PROXY, &n);
	assert_int_equal(n, MANY);
	for (uint32_t i = 1; i < n; i++)
		assert_true(fcn_prefix_compare(&list[i - 1].item.prefix, &list[i].item.prefix) < 0);
	free(list);
	/* The next ones wait until it has been quiet for a while. */
	p.prefix.addr.bytes[5] = 0;
	for (unsigned int i = 0; i < 20; i++) {
		p.proxy.bytes[15] = (uint8_t)(2 + i);
		assert_int_equal(fcn_learned_add(platform.ctl, FCN_LEARNED_PROXY, &p, 1000), 0);
		wait(MS);
	}
	assert_in_range(state_of().builds, builds + 2, builds + 3);
	wait(SECOND);
	assert_false(state_of().pending);
	assert_int_equal(fcn_learned_clear(platform.ctl, FCN_LEARNED_PROXY, FCN_PROXY_BGP), MANY);
	wait(SECOND);
	assert_int_equal(env()->n_learned_proxies, 0);
}

static json_t *
row(json_t *rows, size_t i)
{
	json_t *o = json_array_get(rows, i);

	assert_non_null(o);
	return o;
}

/* `show pnc`: configured ones among the learned; of equal prefixes, one is used. */
TEST(show)
{
	const struct fcn_route_query all = {.limit = UINT64_MAX};
	struct fcn_proxy_prefix p = item("2001:db8:a::/48", "2001:db8:f::9", FCN_PROXY_STATIC);
	struct fcn_config *cfg = platform_edit();
	struct fcn_prefix within;
	struct fcn_route_query some = {.limit = 1, .skip = 1, .prefix = &within};
	json_t *rows;

	wait(0);
	assert_int_equal(FCN_LIST_ADD(cfg, "proxy prefix", fcn_config_proxy_prefix, p.prefix,
					 p.proxy),
			0);
	platform_commit(cfg);
	assert_int_equal(add("2001:db8:a::/48", "2001:db8:f::1", FCN_PROXY_BGP, 100), 0);
	assert_int_equal(add("2001:db8:a:1::/64", "2001:db8:f::1", FCN_PROXY_BGP, 100), 0);
	assert_int_equal(add("2001:db8:a:1::/64", "192.0.2.1", FCN_PROXY_OSPF, 30), 0);
	wait(10 * SECOND);
	rows = fcn_show_pnc(platform.ctl, &all);
	assert_int_equal(json_array_size(rows), 4);
	assert_string_equal(platform_string(row(rows, 0), "protocol"), "static");
	assert_string_equal(platform_string(row(rows, 0), "address"), "2001:db8:f::9");
	assert_true(json_is_true(json_object_get(row(rows, 0), "used")));
	assert_true(json_is_null(json_object_get(row(rows, 0), "left_s")));
	assert_string_equal(platform_string(row(rows, 1), "protocol"), "bgp");
	assert_true(json_is_false(json_object_get(row(rows, 1), "used")));
	assert_int_equal(platform_number(row(rows, 1), "age_s"), 10);
	assert_int_equal(platform_number(row(rows, 1), "left_s"), 90);
	assert_string_equal(platform_string(row(rows, 2), "protocol"), "ospf");
	assert_string_equal(platform_string(row(rows, 2), "prefix"), "2001:db8:a:1::/64");
	assert_true(json_is_true(json_object_get(row(rows, 2), "used")));
	assert_int_equal(platform_number(row(rows, 2), "left_s"), 20);
	assert_true(json_is_false(json_object_get(row(rows, 3), "used")));
	json_decref(rows);
	assert_int_equal(fcn_prefix_parse("2001:db8:a:1::/64", &within), 0);
	rows = fcn_show_pnc(platform.ctl, &some);
	assert_int_equal(json_array_size(rows), 1);
	assert_string_equal(platform_string(row(rows, 0), "protocol"), "bgp");
	json_decref(rows);
	rows = fcn_show_pnc_protocols(platform.ctl);
	platform_shows(rows, "{'configured': 1, 'learned': 3}");
	assert_int_equal(
			platform_number(row(json_object_get(rows, "protocols"), 3), "prefixes"), 2);
	json_decref(rows);
}

/* Events name the prefix, its proxy and the protocol. */
TEST(events)
{
	struct fcn_event event[FCN_COLLECTOR_EVENTS];
	json_t *o, *list;

	wait(0);
	fcn_collector_clear(fcn_control_collector(platform.ctl));
	assert_int_equal(add("192.0.2.0/24", "2001:db8:f::1", FCN_PROXY_ISIS, 10), 0);
	assert_int_equal(add("192.0.2.0/24", "2001:db8:f::1", FCN_PROXY_ISIS, 10), 0);
	assert_int_equal(add("192.0.2.0/24", "198.51.100.7", FCN_PROXY_ISIS, 10), 0);
	wait(10 * SECOND);
	assert_int_equal(fcn_collector_events(fcn_control_collector(platform.ctl), event,
					 RTE_DIM(event)),
			3);
	assert_int_equal(event[1].type, FCN_EVENT_PROXY_LEARNED);
	assert_int_equal(event[2].type, FCN_EVENT_PROXY_LOST);
	o = fcn_show_events(platform.ctl, 1);
	list = json_object_get(o, "events");
	assert_string_equal(platform_string(row(list, 0), "event"), "proxy_lost");
	assert_string_equal(platform_string(row(list, 0), "prefix"), "192.0.2.0/24");
	assert_string_equal(platform_string(row(list, 0), "proxy"), "198.51.100.7");
	assert_string_equal(platform_string(row(list, 0), "protocol"), "isis");
	json_decref(o);
}

static int
add_sid(const char *sid, enum fcn_proxy_origin origin, uint64_t lifetime)
{
	struct fcn_proxy_prefix p = {.prefix.len = 128, .origin = origin};

	assert_int_equal(fcn_addr_parse(sid, &p.prefix.addr), 0);
	return fcn_learned_add(platform.ctl, FCN_LEARNED_ENDCON, &p, lifetime);
}

/* Whether the workers' list has an address as END.CON. */
static bool
is_endcon(const char *sid)
{
	const struct fcn_notice_endcon_conf *conf =
			fcn_control_snapshot(platform.ctl)->notify.kind[FCN_NOTICE_ENDCON].own;
	struct fcn_addr addr;

	assert_int_equal(fcn_addr_parse(sid, &addr), 0);
	return conf->endcon != NULL && fcn_prefix_list_lookup6(conf->endcon, addr.bytes, 0) != 0;
}

/* END.CON SIDs are known for their lifetime, with those of the configuration, and alone. */
TEST(endcon)
{
	struct fcn_config *cfg = platform_edit();
	struct fcn_prefix configured;
	json_t *o, *known, *learned;

	wait(0);
	assert_int_equal(fcn_addr_parse("2001:db8:ff::1", &cfg->loopback), 0);
	cfg->notify.on |= 1u << FCN_NOTICE_ENDCON;
	platform_commit(cfg);
	assert_int_equal(add_sid("2001:db8:e1:1::c", FCN_PROXY_ISIS, 20), 0);
	assert_int_equal(add_sid("2001:db8:e1:1::c", FCN_PROXY_OSPF3, 30), 0);
	assert_int_equal(add_sid("2001:db8:e2:1::c", FCN_PROXY_OSPF3, 10), 0);
	assert_false(is_endcon("2001:db8:e1:1::c"));
	assert_int_equal(wait(0), now + 10 * SECOND);
	assert_true(is_endcon("2001:db8:e1:1::c"));
	assert_true(is_endcon("2001:db8:e2:1::c"));
	assert_false(is_endcon("2001:db8:e1:1::d"));
	assert_false(is_endcon("2001:db8:e1:1::"));
	/* They are no proxies, and proxies are no SIDs. */
	assert_int_equal(state_of().n, 0);
	assert_int_equal(env()->n_learned_proxies, 0);
	assert_int_equal(add("2001:db8:e3:1::c/128", "2001:db8:f::1", FCN_PROXY_ISIS, 1000), 0);
	wait(SECOND);
	assert_false(is_endcon("2001:db8:e3:1::c"));

	cfg = platform_edit();
	assert_int_equal(fcn_prefix_parse("2001:db8:e9::/48", &configured), 0);
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 endcon"), &configured, NULL), 0);
	platform_commit(cfg);
	assert_true(is_endcon("2001:db8:e9:1::c"));
	assert_true(is_endcon("2001:db8:e2:1::c"));
	o = fcn_show_srv6_endcon(platform.ctl);
	known = json_object_get(o, "known");
	assert_int_equal(json_array_size(known), 4);
	assert_string_equal(platform_string(row(known, 0), "origin"), "configured");
	assert_true(json_is_null(json_object_get(row(known, 0), "left_s")));
	assert_string_equal(platform_string(row(known, 1), "prefix"), "2001:db8:e1:1::c/128");
	assert_string_equal(platform_string(row(known, 1), "origin"), "isis");
	assert_int_equal(platform_number(row(known, 1), "age_s"), 1);
	assert_int_equal(platform_number(row(known, 1), "left_s"), 19);
	assert_string_equal(platform_string(row(known, 3), "origin"), "ospf3");
	learned = json_object_get(o, "learned");
	assert_int_equal(json_array_size(learned), 2);
	assert_string_equal(platform_string(row(learned, 0), "protocol"), "isis");
	assert_int_equal(platform_number(row(learned, 1), "sids"), 2);
	json_decref(o);

	/* One of two protocols loses it, then the other one. */
	wait(9 * SECOND);
	assert_false(is_endcon("2001:db8:e2:1::c"));
	wait(10 * SECOND);
	assert_true(is_endcon("2001:db8:e1:1::c"));
	wait(10 * SECOND);
	assert_false(is_endcon("2001:db8:e1:1::c"));
	assert_true(is_endcon("2001:db8:e9:1::c"));
	assert_int_equal(state_of().n, 1);
}

/* What cannot be a SID, and the shares of both protocols. */
TEST(endcon_shares)
{
	static const char *const bad[] = {"::", "ff02::1", "fe80::1", "::1"};
	struct fcn_proxy_prefix p = item("2001:db8::c/128", "::", FCN_PROXY_ISIS);
	struct fcn_learned_state s;
	unsigned int n = 0;

	wait(0);
	p.proxy = (struct fcn_addr){0};
	for (size_t i = 0; i < RTE_DIM(bad); i++)
		assert_int_equal(add_sid(bad[i], FCN_PROXY_ISIS, 10), -EINVAL);
	for (;; n++) {
		int rc;

		p.prefix.addr.bytes[6] = (uint8_t)(n >> 8);
		p.prefix.addr.bytes[7] = (uint8_t)n;
		rc = fcn_learned_add(platform.ctl, FCN_LEARNED_ENDCON, &p, 1000);
		if (rc == 0)
			continue;
		assert_int_equal(rc, -ENOSPC);
		break;
	}
	/* 4096 without the share of OSPFv3. */
	assert_int_equal(n, 3072);
	fcn_learned_state(platform.ctl, FCN_LEARNED_ENDCON, &s);
	assert_int_equal(s.room[FCN_PROXY_ISIS], 0);
	assert_int_equal(s.room[FCN_PROXY_OSPF3], 1024);
	assert_int_equal(s.count[FCN_PROXY_ISIS].refused, 1);
	/* Those of proxies are apart. */
	assert_int_equal(state_of().room[FCN_PROXY_ISIS], MANY);
	assert_int_equal(fcn_learned_clear(platform.ctl, FCN_LEARNED_ENDCON, FCN_PROXY_OSPF3), 0);
	assert_int_equal(fcn_learned_clear(platform.ctl, FCN_LEARNED_ENDCON, FCN_PROXY_ISIS), 3072);
	assert_int_equal(fcn_learned_remove(platform.ctl, FCN_LEARNED_ENDCON, &p.prefix,
					 FCN_PROXY_ISIS),
			-ENOENT);
}

TEST(endcon_events)
{
	json_t *o, *list;

	wait(0);
	fcn_collector_clear(fcn_control_collector(platform.ctl));
	assert_int_equal(add_sid("2001:db8:e1:1::c", FCN_PROXY_OSPF3, 10), 0);
	assert_int_equal(add_sid("2001:db8:e1:1::c", FCN_PROXY_OSPF3, 10), 0);
	wait(10 * SECOND);
	o = fcn_show_events(platform.ctl, 10);
	list = json_object_get(o, "events");
	assert_int_equal(json_array_size(list), 2);
	for (unsigned int i = 0; i < 2; i++) {
		assert_string_equal(platform_string(row(list, i), "event"),
				i == 0 ? "endcon_learned" : "endcon_lost");
		assert_string_equal(platform_string(row(list, i), "sid"), "2001:db8:e1:1::c");
		assert_string_equal(platform_string(row(list, i), "protocol"), "ospf3");
	}
	json_decref(o);
}
