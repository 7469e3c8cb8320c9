/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>
#include <rte_malloc.h>

#include "control_kernel.h"
#include "control_private.h"
#include "fcn_stages.h"

/* Number of entries in the ring of frames from the host functions to a worker. */

static int
create_workers(struct fcn_control *ctl, const struct fcn_control_conf *conf)
{
	struct fcn_worker_conf worker = {
			.qsbr = ctl->qsbr,
			.mac_entries = conf->mac_entries,
			.flow_sets = conf->flow_sets,
			.dest_sets = conf->dest_sets,
			.destinations = conf->destinations,
			.events = conf->events,
			.injects = FCN_INJECTS,
			.threaded = conf->threaded,
			.clears = &ctl->clears,
			.hash_secret = conf->hash_secret,
			.read_cycles = conf->read_cycles,
			.patience = conf->platform->patience,
	};
	char name[16];

	ctl->n_workers = RTE_MAX(conf->n_workers, 1u);
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		snprintf(name, sizeof(name), i == 0 ? "%s" : "%s_%u", conf->name, i);
		worker.name = name;
		worker.id = i;
		worker.published = &ctl->given[i];
		worker.socket = conf->n_workers != 0 ? conf->worker[i].socket : conf->socket;
		worker.pool = conf->n_workers != 0 ? conf->worker[i].pool : conf->pool;
		worker.seed = conf->seed + i;
		ctl->worker[i] = fcn_worker_create(&worker);
		if (ctl->worker[i] == NULL)
			return -ENOMEM;
		ctl->worker[i]->epoch_ns = conf->epoch_ns;
		ctl->lcore[i] = conf->worker[i].lcore;
	}
	ctl->env.n_workers = ctl->n_workers;
	return fcn_worker_group_connect(ctl->worker, ctl->n_workers);
}

/* Get how many buffers a thread may keep for itself: a cache is emptied at one and a half times its
 * size. With one thread they are free for all. */
static uint32_t
cache_of(const struct fcn_control_conf *conf)
{
	return conf->threaded && conf->pool != NULL ? conf->pool->cache_size * 3 / 2 : 0;
}

static int
create_parts(struct fcn_control *ctl, const struct fcn_control_conf *conf)
{
	char name[24];

	if (conf->threaded) {
		ctl->qsbr = rte_zmalloc_socket("fcn_qsbr",
				rte_rcu_qsbr_get_memsize(FCN_MAX_WORKERS), RTE_CACHE_LINE_SIZE,
				conf->socket);
		if (ctl->qsbr == NULL || rte_rcu_qsbr_init(ctl->qsbr, FCN_MAX_WORKERS) != 0)
			return -ENOMEM;
	}
	snprintf(name, sizeof(name), "%s_flows", conf->name);
	ctl->config = fcn_config_create();
	ctl->collector = fcn_collector_create(
			name, (uint32_t)(conf->hash_secret ^ conf->hash_secret >> 32));
	ctl->rates = fcn_rates_create();
	if (ctl->config == NULL || ctl->collector == NULL || ctl->rates == NULL ||
			create_workers(ctl, conf) != 0)
		return -ENOMEM;
	ctl->pool = conf->pool;
	if (fcn_control_kernel_create(ctl) != 0 || fcn_control_err_disable_create(ctl) != 0 ||
			fcn_control_learned_create(ctl) != 0 ||
			fcn_control_reported_create(ctl) != 0 ||
			fcn_control_warnings_create(ctl) != 0)
		return -ENOMEM;
	if (fcn_control_host_create(ctl, conf) != 0)
		return -ENOMEM;
	return 0;
}

struct fcn_control *
fcn_control_create(const struct fcn_control_conf *conf, char *err, size_t err_size)
{
	struct fcn_control *ctl = calloc(1, sizeof(*ctl));

	if (ctl == NULL) {
		strlcpy(err, "out of memory", err_size);
		return NULL;
	}
	ctl->platform = conf->platform;
	ctl->hash_secret = conf->hash_secret;
	strlcpy(ctl->name, conf->name, sizeof(ctl->name));
	ctl->env = (struct fcn_build_env){
			.name = ctl->name,
			.socket = conf->socket,
			.slack_ns = conf->platform->slack_ns,
			.kernel = conf->platform->kernel,
			.buffers = conf->buffers,
			.cache = cache_of(conf),
			.hash_secret = conf->hash_secret,
	};
	if (create_parts(ctl, conf) != 0) {
		strlcpy(err, "no memory for the workers", err_size);
		fcn_control_free(ctl);
		return NULL;
	}
	ctl->published = fcn_snapshot_build(ctl->config, &ctl->env, err, err_size);
	if (ctl->published == NULL) {
		fcn_control_free(ctl);
		return NULL;
	}
	for (unsigned int i = 0; i < ctl->n_workers; i++)
		ctl->given[i] = ctl->published;
	return ctl;
}

void
fcn_control_free(struct fcn_control *ctl)
{
	if (ctl == NULL)
		return;
	fcn_control_host_free(ctl);
	fcn_control_kernel_free(ctl);
	fcn_worker_group_free(ctl->worker, ctl->n_workers);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (ctl->port[p].ops != NULL)
			ctl->platform->port_close(ctl->platform->arg, &ctl->port[p]);
	}
	fcn_rates_free(ctl->rates);
	free(ctl->counter_events);
	fcn_control_err_disable_free(ctl);
	fcn_control_learned_free(ctl);
	fcn_control_reported_free(ctl);
	fcn_control_warnings_free(ctl);
	fcn_collector_free(ctl->collector);
	fcn_control_publish_end(ctl);
	fcn_config_free(ctl->config);
	rte_free(ctl->qsbr);
	free(ctl);
}

void
fcn_control_drain(struct fcn_control *ctl)
{
	for (unsigned int i = 0; i < ctl->n_workers; i++)
		fcn_collector_drain(ctl->collector, ctl->worker[i], NULL, NULL);
}

static void
set_epoch(struct fcn_worker *w, void *arg)
{
	w->epoch_ns = *(const uint64_t *)arg;
}

void
fcn_control_set_epoch(struct fcn_control *ctl, uint64_t epoch_ns)
{
	fcn_control_call(ctl, set_epoch, &epoch_ns, sizeof(epoch_ns));
}

static void
read_conservation(struct fcn_worker *w, void *arg)
{
	fcn_worker_conservation(w, arg);
}

static void
is_working(struct fcn_worker *w, void *arg)
{
	*(bool *)arg |= !w->idle;
}

void
fcn_control_conservation(struct fcn_control *ctl, struct fcn_conservation *sum)
{
	bool working = false;

	/*
	 * A worker may send a packet to another worker whose counters were read before. Therefore
	 * it is checked first whether any worker has packets to process.
	 */
	fcn_control_read(ctl, is_working, &working, sizeof(working));
	memset(sum, 0, sizeof(*sum));
	fcn_control_read(ctl, read_conservation, sum, sizeof(*sum));
	sum->working |= working;
}

/* ---- what others read ---- */

const struct fcn_config *
fcn_control_config(const struct fcn_control *ctl)
{
	return ctl->config;
}

bool
fcn_control_is_unavailable(const struct fcn_control *ctl)
{
	return ctl->unavailable;
}

int
fcn_control_lacking(const struct fcn_control *ctl)
{
	return ctl->lacking;
}

uint64_t
fcn_control_commits(const struct fcn_control *ctl)
{
	return ctl->commits;
}

const struct fcn_snapshot *
fcn_control_snapshot(const struct fcn_control *ctl)
{
	return ctl->published;
}

const struct fcn_build_env *
fcn_control_build_env(const struct fcn_control *ctl)
{
	return &ctl->env;
}

const struct fcn_control_port *
fcn_control_port(const struct fcn_control *ctl, unsigned int port)
{
	return ctl->port[port].ops != NULL ? &ctl->port[port] : NULL;
}

unsigned int
fcn_control_n_workers(const struct fcn_control *ctl)
{
	return ctl->n_workers;
}

struct fcn_worker *
fcn_control_worker(const struct fcn_control *ctl, unsigned int number)
{
	return ctl->worker[number];
}

unsigned int
fcn_control_lcore(const struct fcn_control *ctl, unsigned int number)
{
	return ctl->lcore[number];
}

struct fcn_worker *
fcn_control_owner(const struct fcn_control *ctl, unsigned int port)
{
	return ctl->worker[ctl->place[port].owner];
}

struct rte_rcu_qsbr *
fcn_control_qsbr(const struct fcn_control *ctl)
{
	return ctl->qsbr;
}

struct fcn_collector *
fcn_control_collector(const struct fcn_control *ctl)
{
	return ctl->collector;
}

struct fcn_host *
fcn_control_host(const struct fcn_control *ctl)
{
	return ctl->host;
}

bool
fcn_control_host_was_busy(struct fcn_control *ctl)
{
	bool busy = ctl->host_busy;

	ctl->host_busy = false;
	return busy;
}

const struct fcn_rates *
fcn_control_rates(const struct fcn_control *ctl)
{
	return ctl->rates;
}

void
fcn_control_measure_rates(struct fcn_control *ctl, uint64_t now)
{
	fcn_rates_read(ctl->rates, ctl->worker, ctl->n_workers, now);
}

void
fcn_control_note(struct fcn_control *ctl, enum fcn_event_type type,
		const struct fcn_event_text *words)
{
	const struct fcn_event ev = {
			.time_ns = fcn_control_now(ctl),
			.type = type,
			.level = FCN_LEVEL_NONE,
			.port = FCN_MAX_PORTS, /* there is no port */
			.in_port = FCN_MAX_PORTS,
			.len = fcn_collector_keep_words(ctl->collector, words),
	};

	fcn_collector_note(ctl->collector, &ev);
}

bool
fcn_control_has_log(const struct fcn_control *ctl)
{
	return ctl->platform->log != NULL;
}

void
fcn_control_log(const struct fcn_control *ctl, const char *line)
{
	if (ctl->platform->log != NULL)
		ctl->platform->log(ctl->platform->arg, line);
}
