/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A packet goes through dry runs of the switch, each of which knows what the one before has asked
 * for, until one asks for nothing new.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "control_private.h"
#include "fcn_explain.h"

/* Dry runs for one packet: its way, its station, its queue, its notices, and what follows from
 * them. */
#define DRY_RUNS 6

struct explaining {
	struct fcn_control *ctl;
	struct rte_mempool *pool;
	struct fcn_worker *receiver; /* the worker that polls the port's first receive queue */
	struct fcn_dry_run_facts facts;
	struct fcn_dry_run_decider *decider; /* memory of facts.decider */
	bool is_decided;                     /* facts.decider has been read */
};

static void
free_facts(struct fcn_dry_run_facts *f, struct fcn_dry_run_decider *decider)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		free(f->port[p]);
	free(f->limits);
	free(decider);
}

static struct fcn_port_set
open_ports(const struct fcn_control *ctl)
{
	struct fcn_port_set ports = {0};

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (ctl->port[p].ops != NULL)
			fcn_port_set_add(&ports, p);
	}
	return ports;
}

/* Classes of a port whose notices depend on the bytes of each flow. */
static uint8_t
heavy_classes(const struct fcn_control *ctl, unsigned int port)
{
	uint8_t classes = 0;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		if (ctl->published->port[port].egress.queue[c].policy.heavy_flows)
			classes |= 1u << c;
	}
	return classes;
}

/* Read the queues of a port, unless they are known. @return 1: they were read; 0; -ENOMEM */
static int
read_port(struct explaining *e, unsigned int port)
{
	struct fcn_dry_run_port *r;

	if (e->facts.port[port] != NULL)
		return 0;
	r = calloc(1, sizeof(*r));
	if (r == NULL)
		return -ENOMEM;
	r->port = (uint16_t)port;
	r->heavy = heavy_classes(e->ctl, port);
	fcn_worker_read(fcn_control_owner(e->ctl, port), fcn_dry_run_read_port, r, sizeof(*r));
	e->facts.port[port] = r;
	return 1;
}

/* Read the limits of messages to the switch, if it takes any. */
static int
read_limits(struct explaining *e)
{
	const struct fcn_snapshot *s = e->ctl->published;

	if (s->srv6.n_sids == 0 && !s->arn.receive && !s->proxy.receive)
		return 0;
	e->facts.limits = calloc(1, sizeof(*e->facts.limits));
	if (e->facts.limits == NULL)
		return -ENOMEM;
	fcn_worker_read(e->receiver, fcn_dry_run_read_limits, e->facts.limits,
			sizeof(*e->facts.limits));
	return 0;
}

static bool
is_same_receiver(const struct fcn_dry_run_receiver *a, const struct fcn_dry_run_receiver *b)
{
	return a->in_port == b->in_port && a->has_mac == b->has_mac &&
	       memcmp(&a->mac, &b->mac, sizeof(a->mac)) == 0 && a->mark == b->mark;
}

static bool
is_same_decider(const struct fcn_dry_run_decider *a, const struct fcn_dry_run_decider *b)
{
	return a->port == b->port && a->n_keys == b->n_keys &&
	       memcmp(a->key, b->key, a->n_keys * sizeof(a->key[0])) == 0 &&
	       memcmp(a->notify, b->notify, sizeof(a->notify)) == 0;
}

/* Read what the last dry run has asked for and did not know. @return 1: something; 0; -ENOMEM */
static int
read_more(struct explaining *e, const struct fcn_dry_run *s, const struct fcn_explanation *ex)
{
	struct fcn_dry_run_receiver receiver = e->facts.receiver;
	struct fcn_dry_run_decider *d = malloc(sizeof(*d));
	int news = 0, rc = 0;

	if (d == NULL)
		return -ENOMEM;
	*d = *e->decider;
	if (fcn_dry_run_wants(s, &receiver, d)) {
		rc = read_port(e, d->port);
		news |= rc > 0 || !e->is_decided || !is_same_decider(d, e->decider);
		*e->decider = *d;
		e->is_decided = true;
		e->facts.decider = e->decider;
	}
	free(d);
	for (unsigned int i = 0; i < ex->n_outputs && rc >= 0; i++) {
		rc = read_port(e, ex->output[i].port);
		news |= rc > 0;
	}
	if (rc < 0)
		return rc;
	news |= !is_same_receiver(&receiver, &e->facts.receiver);
	if (news == 0)
		return 0;
	e->facts.receiver = receiver;
	fcn_worker_read(e->receiver, fcn_dry_run_read_receiver, &e->facts.receiver,
			sizeof(e->facts.receiver));
	/* All of it is of one time, as near as possible: detectors look at times. */
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (e->facts.port[p] != NULL)
			fcn_worker_read(fcn_control_owner(e->ctl, p), fcn_dry_run_read_port,
					e->facts.port[p], sizeof(*e->facts.port[p]));
	}
	if (e->is_decided)
		fcn_worker_read(fcn_control_owner(e->ctl, e->decider->port),
				fcn_dry_run_read_decider, e->decider, sizeof(*e->decider));
	return 1;
}

/* Let the packet go through a dry run. @return as read_more() */
static int
pass(struct explaining *e, const uint8_t *frame, uint32_t len, struct fcn_explanation *ex)
{
	char name[24];
	struct fcn_dry_run *s;
	int rc;

	snprintf(name, sizeof(name), "%s_ex", e->ctl->name);
	s = fcn_dry_run_create(
			&(struct fcn_dry_run_conf){
					.name = name,
					.socket = e->receiver->socket,
					.pool = e->pool,
					.snapshot = e->ctl->published,
					.hash_secret = e->ctl->hash_secret,
					.ports = open_ports(e->ctl),
			},
			&e->facts);
	if (s == NULL)
		return -ENOMEM;
	rc = fcn_dry_run_pass(s, frame, len);
	if (rc == 0) {
		memcpy(ex->trace, fcn_dry_run_trace(s), sizeof(*ex->trace));
		ex->n_outputs = fcn_dry_run_outputs(s, ex->output, RTE_DIM(ex->output));
		ex->n_queued = fcn_dry_run_queued(s, ex->queued, sizeof(ex->queued));
		rc = read_more(e, s, ex);
	}
	fcn_dry_run_free(s);
	return rc;
}

static bool
has_several_workers(const struct fcn_placement *place)
{
	for (unsigned int q = 1; q < place->n_rx_queues; q++) {
		if (place->rx_worker[q] != place->rx_worker[0])
			return true;
	}
	return false;
}

/* Get the number of packet buffers for a packet, a copy of it by each port, and its notices. */
static unsigned int
mbufs_for(const struct fcn_control *ctl, uint32_t len)
{
	unsigned int copies = 1;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		copies += ctl->port[p].ops != NULL;
	return copies * (len / FCN_DATA_ROOM + 2) + FCN_DRY_RUN_MBUFS;
}

/* Prepare to explain a packet that a port receives. @return 0 or -ENOMEM */
static int
begin(struct explaining *e, uint16_t in_port, struct fcn_explanation *ex)
{
	struct fcn_dry_run_receiver *r = &e->facts.receiver;
	char name[24];

	r->in_port = r->parent = in_port;
	r->mark = FCN_PROXY_MARKS;
	e->receiver = e->ctl->worker[e->ctl->place[in_port].rx_worker[0]];
	ex->several_queues = has_several_workers(&e->ctl->place[in_port]);
	ex->trace = calloc(1, sizeof(*ex->trace));
	e->decider = calloc(1, sizeof(*e->decider));
	snprintf(name, sizeof(name), "%s_explain", e->ctl->name);
	e->pool = rte_pktmbuf_pool_create(
			name, mbufs_for(e->ctl, ex->len), 0, 0, FCN_DATA_ROOM, e->receiver->socket);
	if (ex->trace == NULL || e->decider == NULL || e->pool == NULL || read_limits(e) != 0)
		return -ENOMEM;
	fcn_worker_read(e->receiver, fcn_dry_run_read_receiver, r, sizeof(*r));
	return 0;
}

int
fcn_control_explain(struct fcn_control *ctl, uint16_t in_port, const uint8_t *frame, uint32_t len,
		struct fcn_explanation *ex, char *err, size_t err_size)
{
	struct explaining e = {.ctl = ctl};
	int rc;

	*ex = (struct fcn_explanation){.in_port = in_port, .len = len};
	rc = begin(&e, in_port, ex);
	if (rc == 0)
		rc = 1;
	for (unsigned int i = 0; i < DRY_RUNS && rc == 1; i++) {
		if (i != 0)
			fcn_control_attend(ctl);
		rc = pass(&e, frame, len, ex);
	}
	if (rc == 1)
		rc = -EAGAIN;
	if (rc >= 0 && e.is_decided) {
		ex->queues = e.facts.port[e.decider->port];
		e.facts.port[e.decider->port] = NULL;
	}
	free_facts(&e.facts, e.decider);
	rte_mempool_free(e.pool);
	if (rc >= 0)
		return 0;
	fcn_explanation_free(ex);
	strlcpy(err,
			rc == -EAGAIN ? "what the packet meets changes all the time: try again"
				      : "there is no memory to try it",
			err_size);
	return rc;
}

void
fcn_explanation_free(struct fcn_explanation *ex)
{
	free(ex->trace);
	free(ex->queues);
	ex->trace = NULL;
	ex->queues = NULL;
}
