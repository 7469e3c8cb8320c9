/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "control_kernel.h"
#include "fcn_kernel_list.h"
#include "fcn_route_set.h"

#define MS UINT64_C(1000000)

/* Minimum time between two route tables. Building them takes at most a quarter of the time. */
#define BUILD_EVERY_NS (10 * MS)
#define BUILD_SHARE 3
/* Time after which a failed build is retried, and gateways are resolved again. */
#define AGAIN_NS (500 * MS)

#define GATEWAYS_A_TURN 256 /* of each table */

struct fcn_control_kernel {
	struct fcn_kernel *kernel;
	uint64_t version;         /* version of the store when it was published */
	uint64_t build_due_ns;    /* time before which no route table is built */
	uint64_t gateways_due_ns; /* time at which gateways are resolved again */
	struct fcn_control_kernel_builds builds;
	struct fcn_kernel_list paths; /* the paths that were published */
	struct fcn_kernel_neighbour *neighbours;
	struct fcn_kernel_segments *segments;
	struct fcn_kernel_sid *sids;
	struct fcn_kernel_own *own;
	size_t n_own;
	bool own_changed;             /* the host functions do not know the addresses yet */
	struct fcn_warnings warnings; /* what is missing, as of the last look */
};

/* ---- callbacks of lib/kernel ---- */

static bool
send_frame(void *arg, struct rte_mbuf *m, uint16_t port)
{
	struct fcn_control *ctl = arg;

	ctl->host_busy = true;
	return fcn_control_send_frame(ctl, m, port, ctl->config->host.class);
}

static bool
link_is_up(void *arg, uint16_t port)
{
	const struct fcn_control *ctl = arg;

	return !ctl->published->port[port].down;
}

static void
run_aside(void *arg, void (*work)(void *work_arg), void *work_arg)
{
	fcn_control_aside(arg, work, work_arg);
}

static void
log_line(void *arg, const char *line)
{
	fcn_control_log(arg, line);
}

int
fcn_control_kernel_create(struct fcn_control *ctl)
{
	const struct fcn_kernel_env env = {
			.send = send_frame,
			.link_is_up = link_is_up,
			.aside = run_aside,
			.log = log_line,
			.pool = ctl->pool,
			.arg = ctl,
	};

	ctl->kernel = calloc(1, sizeof(*ctl->kernel));
	if (ctl->kernel == NULL)
		return -1;
	ctl->kernel->gateways_due_ns = FCN_HOST_NEVER;
	ctl->kernel->kernel = fcn_kernel_create(&env);
	return ctl->kernel->kernel == NULL ? -1 : 0;
}

void
fcn_control_kernel_free(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;

	if (k == NULL)
		return;
	fcn_kernel_free(k->kernel);
	fcn_kernel_list_free(&k->paths);
	free(k->neighbours);
	free(k->segments);
	free(k->sids);
	free(k->own);
	free(k);
}

struct fcn_kernel *
fcn_control_kernel(const struct fcn_control *ctl)
{
	return ctl->kernel->kernel;
}

int
fcn_control_kernel_fd(const struct fcn_control *ctl)
{
	return fcn_kernel_fd(ctl->kernel->kernel);
}

void
fcn_control_kernel_deliver(void *arg, const struct rte_mbuf *m, uint16_t port)
{
	fcn_kernel_deliver(((struct fcn_control *)arg)->kernel->kernel, m, port);
}

void
fcn_control_kernel_clear_counters(struct fcn_control *ctl)
{
	ctl->kernel->builds.builds = 0;
	fcn_kernel_clear_counters(ctl->kernel->kernel);
}

void
fcn_control_kernel_builds(const struct fcn_control *ctl, struct fcn_control_kernel_builds *builds)
{
	*builds = ctl->kernel->builds;
}

/* ---- what is missing ---- */

static void
warn_of_interface(struct fcn_control *ctl, unsigned int port, struct fcn_warnings *to)
{
	const struct fcn_config_port *p = &ctl->config->port[port];
	struct fcn_kernel_interface_info info;
	char place[FCN_WARNING_PLACE];

	if (p->name[0] == '\0' || p->kernel[0] == '\0')
		return;
	fcn_kernel_interface(ctl->kernel->kernel, port, &info);
	if (info.is_there)
		return;
	snprintf(place, sizeof(place), "port %s", p->name);
	if (info.why[0] != '\0')
		fcn_warn(to, FCN_WARNING_KERNEL, port, place, "%s", info.why);
	else
		fcn_warn(to, FCN_WARNING_KERNEL, port, place, "kernel interface %s: it is missing",
				p->kernel);
}

static void
warn_of_table(struct fcn_control *ctl, unsigned int table, const struct fcn_kernel_info *info,
		struct fcn_warnings *to)
{
	const char *name = ctl->config->table[table].name;
	char place[FCN_WARNING_PLACE];

	snprintf(place, sizeof(place), "table %s", name);
	if (info->table_state[table] == FCN_NETLINK_NO_VRF)
		fcn_warn(to, FCN_WARNING_KERNEL, FCN_MAX_PORTS, place,
				"the kernel has no VRF %s, whose routes it follows",
				fcn_config_table_follow(ctl->config, table).vrf);
	else if (info->table_state[table] == FCN_NETLINK_FAILED)
		fcn_warn(to, FCN_WARNING_KERNEL, FCN_MAX_PORTS, place,
				"routes of the kernel are not followed: %s", info->last_error);
}

/* Warn of what the configuration names and the kernel does not have. */
static void
look_for_missing(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_info info;

	k->warnings.n = 0;
	if (fcn_kernel_is_open(k->kernel)) {
		fcn_kernel_info(k->kernel, &info);
		if (info.netns_gone)
			fcn_warn(&k->warnings, FCN_WARNING_KERNEL, FCN_MAX_PORTS, "kernel",
					"there is no namespace %s; what is left of the one before "
					"is used",
					ctl->config->kernel.netns);
		for (unsigned int p = 0; p < ctl->config->n_ports; p++)
			warn_of_interface(ctl, p, &k->warnings);
		for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
			warn_of_table(ctl, t, &info, &k->warnings);
	}
	fcn_control_warnings_replace(ctl, FCN_WARNING_KERNEL, &k->warnings);
}

/* ---- configuration ---- */

/* Get the configuration of lib/kernel, without addresses. */
static struct fcn_kernel_conf
translate(const struct fcn_config *cfg)
{
	struct fcn_kernel_conf conf = {0};

	strlcpy(conf.netns, cfg->kernel.netns, sizeof(conf.netns));
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		struct fcn_netlink_table *to = &conf.routes.table[t];
		struct fcn_config_follow follow = fcn_config_table_follow(cfg, t);

		if (follow.mode == FCN_KERNEL_TABLE)
			to->number = follow.table;
		else if (follow.mode == FCN_KERNEL_VRF)
			strlcpy(to->vrf, follow.vrf, sizeof(to->vrf));
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].name[0] == '\0')
			continue;
		strlcpy(conf.port[p].interface, cfg->port[p].kernel,
				sizeof(conf.port[p].interface));
		conf.port[p].mtu = cfg->port[p].mtu;
		conf.port[p].table = (uint8_t)RTE_MAX(fcn_config_port_table(cfg, p), 0);
	}
	return conf;
}

/*
 * Collect the addresses of the ports that have a kernel interface.
 *
 * @return NULL when memory is exhausted
 */
static struct fcn_kernel_address *
collect_addresses(const struct fcn_config *cfg)
{
	struct fcn_kernel_address *list = calloc(cfg->addresses.n + 1, sizeof(*list));

	for (size_t i = 0; list != NULL && i < cfg->addresses.n; i++)
		list[i] = (struct fcn_kernel_address){
				cfg->addresses.item[i].port, cfg->addresses.item[i].prefix};
	return list;
}

int
fcn_control_kernel_prepare(
		struct fcn_control *ctl, const struct fcn_config *cfg, char *err, size_t err_size)
{
	const struct fcn_kernel_conf conf = ctl->platform->kernel ? translate(cfg)
								  : (struct fcn_kernel_conf){0};

	return fcn_kernel_prepare(ctl->kernel->kernel, &conf, err, err_size);
}

void
fcn_control_kernel_abandon(struct fcn_control *ctl)
{
	fcn_kernel_abandon(ctl->kernel->kernel);
}

void
fcn_control_kernel_configure(struct fcn_control *ctl)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_conf conf = translate(ctl->config);
	uint64_t now = fcn_control_now(ctl);

	conf.address = collect_addresses(ctl->config);
	conf.n_addresses = conf.address != NULL ? ctl->config->addresses.n : 0;
	if (conf.address == NULL)
		fcn_kernel_note(k->kernel, "kernel interfaces: out of memory; their addresses stay "
					   "as they were");
	for (unsigned int p = 0; p < ctl->config->n_ports; p++) {
		conf.port[p].mac = ctl->published->port[p].mac;
		conf.port[p].mtu = ctl->published->port[p].tx_mtu;
	}
	fcn_kernel_configure(k->kernel, &conf, now);
	if (fcn_kernel_is_open(k->kernel)) {
		k->gateways_due_ns = now;
		ctl->host_busy = true; /* More messages of the kernel are likely to come soon. */
	} else {
		k->gateways_due_ns = FCN_HOST_NEVER;
		k->build_due_ns = 0; /* Routes of the kernel are removed without delay. */
		look_for_missing(ctl);
	}
}

/* ---- routes ---- */

static void
resolve_gateways_of(struct fcn_control *ctl, unsigned int table, uint64_t now)
{
	const struct fcn_snapshot *s = ctl->published;
	struct fcn_kernel_routes kernel = {
			.sid = ctl->env.kernel_sids, .n_sids = ctl->env.n_kernel_sids};
	struct fcn_route_set *set = s->table[table].routes;
	unsigned int asked = 0;

	kernel.path = fcn_kernel_list_table(
			ctl->env.kernel_paths, ctl->env.n_kernel_paths, table, &kernel.n);
	for (uint32_t i = 0; i < set->n_gateways && asked < GATEWAYS_A_TURN; i++) {
		const struct fcn_gateway *g = &set->gateway[i];

		if (g->port == FCN_GATEWAY_SEGMENTS || !s->port[g->port].kernel ||
				s->next_hop[s->table[table].first + fcn_route_set_gateway(set, i)]
								.type !=
						FCN_NEXT_HOP_NO_NEIGHBOUR ||
				!fcn_route_set_is_used(set, ctl->config, &kernel, i))
			continue;
		fcn_host_resolve(ctl->host, g->port, &g->addr, FCN_HOST_SELF, now);
		asked++;
	}
}

/*
 * Resolve the MAC addresses of the kernel's gateways before packets need them, because of several
 * equal paths, those with an unresolved gateway are not used. Each table has its own limit, so that
 * gateways of others that do not answer are not in its way.
 */
static void
resolve_gateways(struct fcn_control *ctl, uint64_t now)
{
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (ctl->published->table[t].routes != NULL)
			resolve_gateways_of(ctl, t, now);
	}
}

/* Store the kernel's own addresses. If they have changed, all routes are built again. */
static void
set_own(struct fcn_control *ctl, struct fcn_kernel_own *own, size_t n)
{
	struct fcn_control_kernel *k = ctl->kernel;

	if (n != k->n_own || (n > 0 && memcmp(own, k->own, n * sizeof(*own)) != 0)) {
		ctl->routes_stale = true;
		k->own_changed = true;
	}
	free(k->own);
	k->own = own;
	k->n_own = n;
	ctl->env.kernel_own = own;
	ctl->env.n_kernel_own = n;
}

/*
 * Get the changes of the store since the last snapshot into ctl->env.
 *
 * @param changes to be freed when the snapshot has been built
 * @return 0; -1 when memory is exhausted
 */
static int
collect(struct fcn_control *ctl, struct fcn_kernel_changes *changes)
{
	struct fcn_control_kernel *k = ctl->kernel;
	struct fcn_kernel_store *store = fcn_kernel_store(k->kernel);
	struct fcn_kernel_neighbour *neighbours = NULL;
	struct fcn_kernel_segments *segments = NULL;
	struct fcn_kernel_sid *sids = NULL;
	struct fcn_kernel_own *own = NULL;
	size_t n_neighbours, n_segments, n_sids, n_own;

	if (fcn_kernel_store_neighbours(store, &neighbours, &n_neighbours) != 0 ||
			fcn_kernel_store_segments(store, &segments, &n_segments) != 0 ||
			fcn_kernel_store_sids(store, &sids, &n_sids) != 0 ||
			fcn_kernel_store_own(store, &own, &n_own) != 0 ||
			fcn_kernel_store_changes(store, changes) != 0) {
		free(neighbours);
		free(segments);
		free(sids);
		free(own);
		return -1;
	}
	k->builds.left_out = changes->left_out;
	if (fcn_kernel_list_change(&k->paths, changes) != 0) {
		fcn_kernel_changes_free(changes);
		free(neighbours);
		free(segments);
		free(sids);
		free(own);
		fcn_kernel_store_set_all_changed(store);
		return -1;
	}
	free(k->neighbours);
	free(k->segments);
	k->neighbours = neighbours;
	k->segments = segments;
	free(k->sids);
	k->sids = sids;
	set_own(ctl, own, n_own);
	ctl->env.kernel_sids = sids;
	ctl->env.n_kernel_sids = n_sids;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++)
		ctl->env.kernel_table[t] = fcn_kernel_table(k->kernel, t);
	ctl->env.kernel_segments = segments;
	ctl->env.n_kernel_segments = n_segments;
	ctl->env.kernel_paths = k->paths.path;
	ctl->env.n_kernel_paths = k->paths.n;
	ctl->env.kernel_neighbours = neighbours;
	ctl->env.n_kernel_neighbours = n_neighbours;
	return 0;
}

/*
 * Publish a snapshot with the changes. If only neighbours have changed, it shares the routes of the
 * previous snapshot.
 *
 * @return 0; -1 when it could not be built
 */
static int
publish_changes(struct fcn_control *ctl, const struct fcn_kernel_changes *changes)
{
	bool stale = ctl->routes_stale; /* an earlier change could not be published */
	int rc;

	ctl->routes_stale |= changes->all || changes->n_prefixes > 0;
	if (!stale && !changes->all) {
		fcn_control_routes_before(ctl, ctl->config);
		ctl->env.kernel_changed = changes->prefix;
		ctl->env.n_kernel_changed = changes->n_prefixes;
	}
	rc = fcn_control_refresh(ctl);
	fcn_control_routes_done(ctl);
	ctl->env.kernel_changed = NULL;
	ctl->env.n_kernel_changed = 0;
	return rc;
}

static bool
is_changed(const struct fcn_control_kernel *k)
{
	return fcn_kernel_store_version(fcn_kernel_store(k->kernel)) != k->version;
}

/*
 * Whether a snapshot is to be built now. Changes that arrive together are combined in one snapshot,
 * and so is a table that is read for the first time.
 */
static bool
is_build_due(const struct fcn_control_kernel *k, uint64_t now)
{
	return is_changed(k) && now >= k->build_due_ns && fcn_kernel_is_read(k->kernel);
}

static void
build(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	uint64_t version = fcn_kernel_store_version(fcn_kernel_store(k->kernel)), spent;
	struct fcn_kernel_changes changes;
	int rc;

	/* If the build fails, it is retried at this time. */
	k->build_due_ns = now + AGAIN_NS;
	if (collect(ctl, &changes) != 0) {
		fcn_kernel_note(k->kernel, "kernel routes: out of memory");
		return;
	}
	k->builds.builds++;
	rc = publish_changes(ctl, &changes);
	fcn_kernel_changes_free(&changes);
	if (rc != 0)
		return;
	k->version = version;
	if (k->own_changed) {
		k->own_changed = false;
		fcn_control_host_configure(ctl);
	}
	resolve_gateways(ctl, now);
	spent = fcn_control_now(ctl) - now;
	k->build_due_ns = now + RTE_MAX(BUILD_EVERY_NS, (1 + BUILD_SHARE) * spent);
}

uint64_t
fcn_control_kernel_poll(struct fcn_control *ctl, uint64_t now)
{
	struct fcn_control_kernel *k = ctl->kernel;
	uint64_t next;

	now = ctl->host_now = RTE_MAX(now, ctl->host_now);
	next = fcn_kernel_poll(k->kernel, now);
	if (k->gateways_due_ns <= now) {
		resolve_gateways(ctl, now);
		look_for_missing(ctl);
		k->gateways_due_ns = now + AGAIN_NS;
	}
	if (is_build_due(k, now))
		build(ctl, now);
	next = RTE_MIN(next, k->gateways_due_ns);
	return is_changed(k) ? RTE_MIN(next, k->build_due_ns) : next;
}
