/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The worker of a switch writes events to a ring, and its collector reads them after each turn.
 * When the scenario stops the collector, the ring becomes full, and further events are lost and
 * counted. That must make no difference to packets.
 */

#include <stdio.h>

#include <rte_errno.h>
#include <rte_ring_elem.h>

#include "network.h"

static void
read_all(struct lab_net_switch *sw)
{
	fcn_collector_drain(fcn_control_collector(sw->ctl), fcn_control_worker(sw->ctl, 0),
			lab_switch_event, sw);
}

/* Read the events in the ring, which are of earlier turns. */
static void
read_late(struct lab_net_switch *sw)
{
	sw->late = true;
	read_all(sw);
	sw->late = false;
}

void
lab_collector_turn(struct lab_net_switch *sw)
{
	if (!sw->unread)
		read_all(sw);
}

/* Give the worker its own ring again. Events that are still in the smaller ring are lost. */
static void
restore(struct lab_net_switch *sw)
{
	struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);

	if (sw->aside == NULL)
		return;
	rte_ring_free(w->events);
	w->events = sw->aside;
	sw->aside = NULL;
}

void
lab_collector_start(struct lab_net_switch *sw)
{
	if (!sw->unread)
		return;
	sw->unread = false;
	read_late(sw);
	restore(sw);
}

void
lab_collector_stop(struct lab_net_switch *sw, uint32_t room)
{
	struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	struct rte_ring *ring;
	char name[RTE_RING_NAMESIZE];

	lab_collector_start(sw);
	read_late(sw); /* this includes events of actions at this instant */
	sw->unread = true;
	if (room == LAB_SWITCH_EVENTS)
		return;
	snprintf(name, sizeof(name), "lab_s%u_events", sw->index);
	ring = rte_ring_create_elem(name, sizeof(struct fcn_event), room, SOCKET_ID_ANY,
			RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
	if (ring == NULL) {
		lab_fail(sw->part, "%s: a ring of %u events: %s",
				sw->net->sc->node_switch[sw->index].name, room,
				rte_strerror(rte_errno));
		return;
	}
	sw->aside = w->events;
	w->events = ring;
}

void
lab_collector_count(const struct lab_net_switch *sw, struct lab_net_events *events)
{
	const struct fcn_worker *w = fcn_control_worker(sw->ctl, 0);
	struct fcn_collector_summary sum;

	fcn_collector_summary(fcn_control_collector(sw->ctl), &sum);
	*events = (struct lab_net_events){
			.made = w->events_made,
			.read = sum.records,
			.lost = w->events_lost,
			.waiting = rte_ring_count(w->events),
	};
}

void
lab_collector_total(const struct lab_net_switch *sw, struct lab_net_events *events)
{
	lab_collector_count(sw, events);
	events->made += sw->past.events.made;
	events->read += sw->past.events.read;
	events->lost += sw->past.events.lost;
}

void
lab_collector_end(struct lab_net_switch *sw)
{
	struct lab_net_events all;

	lab_collector_total(sw, &all);
	all.lost += all.waiting;
	all.waiting = 0;
	sw->past.events = all;
	sw->unread = false;
	restore(sw);
}
