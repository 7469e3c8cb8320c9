/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include "network.h"

static void
forget_pauses(struct lab_net_switch *sw, unsigned int link, unsigned int end)
{
	for (unsigned int i = 0; i < sw->n_ends; i++) {
		if (sw->ends[i].link == link && sw->ends[i].end == end)
			lab_checker_link_down(&sw->ends[i]);
	}
}

/* Have the control of the switches at the ends of a link see that it has changed. */
static void
poll_ends(struct lab_network *net, unsigned int link, uint64_t now)
{
	for (unsigned int e = 0; e < 2; e++) {
		const struct lab_node *node = &net->sc->link[link].end[e];

		if (node->kind != LAB_SWITCH)
			continue;
		fcn_control_link_poll(net->node_switch[node->index].ctl);
		lab_switch_wake(&net->node_switch[node->index], now);
	}
}

/* A link goes up or down. */
static void
set_up(struct lab_network *net, unsigned int link, bool up, uint64_t now)
{
	fcn_link_set_up(net->link[link].link, up);
	poll_ends(net, link, now);
	for (unsigned int e = 0; e < 2; e++) {
		const struct lab_node *node = &net->sc->link[link].end[e];

		if (node->kind == LAB_SWITCH)
			forget_pauses(&net->node_switch[node->index], link, e);
	}
}

/* Both ends of a link change its speed. */
static void
set_rate(struct lab_network *net, unsigned int link, uint64_t bps, uint64_t now)
{
	fcn_link_set_rate(net->link[link].link, bps);
	poll_ends(net, link, now);
	for (unsigned int e = 0; e < 2; e++) {
		const struct lab_node *node = &net->sc->link[link].end[e];

		if (node->kind == LAB_HOST)
			lab_host_line(&net->host[node->index], bps, now);
	}
}

static void
set_faults(struct lab_network *net, const struct lab_action *a)
{
	for (unsigned int e = 0; e < 2; e++) {
		if (a->direction == e || a->direction == 2)
			fcn_link_set_faults(net->link[a->target].link, e, &a->faults);
	}
}

static void
drop_notices(struct lab_network *net, uint32_t ratio)
{
	for (unsigned int i = 0; i < 2 * net->sc->n_links; i++) {
		struct fcn_link_faults faults;

		fcn_link_get_faults(net->link[i / 2].link, i % 2, &faults);
		faults.notice_loss = ratio;
		fcn_link_set_faults(net->link[i / 2].link, i % 2, &faults);
	}
}

static void
act(void *arg, uint64_t now)
{
	struct lab_net_action *action = arg;
	struct lab_network *net = action->net;
	const struct lab_action *a = &net->sc->action[action->index];

	switch (a->kind) {
	case LAB_LINK_DOWN:
	case LAB_LINK_UP:
		set_up(net, a->target, a->kind == LAB_LINK_UP, now);
		break;
	case LAB_LINK_RATE:
		set_rate(net, a->target, a->count, now);
		break;
	case LAB_LINK_FAULTS:
		set_faults(net, a);
		break;
	case LAB_SWITCH_LINE:
		lab_switch_line(&net->node_switch[a->target], a->text, &a->place);
		lab_switch_wake(&net->node_switch[a->target], now);
		break;
	case LAB_SWITCH_RESTART:
		lab_switch_restart(&net->node_switch[a->target], now);
		break;
	case LAB_SWITCH_STARVE:
		lab_switch_starve(&net->node_switch[a->target], a->count);
		lab_switch_wake(&net->node_switch[a->target], now);
		break;
	case LAB_COLLECTOR_STOP:
		lab_collector_stop(&net->node_switch[a->target], (uint32_t)a->count);
		break;
	case LAB_COLLECTOR_START:
		lab_collector_start(&net->node_switch[a->target]);
		break;
	case LAB_NOTICES_DROP:
		drop_notices(net, a->ratio);
		break;
	case LAB_NOTICES_SPOOF:
		lab_spoof(&net->host[a->target], &net->host[a->other], a->count, now);
		break;
	case LAB_HOST_PAUSE:
		lab_ask_to_pause(&net->host[a->target], (uint8_t)a->other, (uint16_t)a->count, now);
		break;
	case LAB_HOST_HALT:
		lab_ask_to_halt(&net->host[a->target], a, now);
		break;
	case LAB_HOST_TELL:
		lab_tell_proxy(&net->host[a->target], a, now);
		break;
	}
}

int
lab_actions_init(struct lab_network *net)
{
	const struct lab_scenario *sc = net->sc;

	net->action = calloc(sc->n_actions + 1, sizeof(net->action[0]));
	if (net->action == NULL)
		return -ENOMEM;
	for (unsigned int i = 0; i < sc->n_actions; i++) {
		struct lab_net_action *action = &net->action[i];

		action->net = net;
		action->index = i;
		if (fcn_sim_event_init(net->sim, &action->event, FCN_SIM_ACTION, act, action) != 0)
			return -ENOMEM;
		fcn_sim_schedule(net->sim, &action->event, sc->action[i].time_ns);
	}
	return 0;
}

void
lab_actions_fini(struct lab_network *net)
{
	free(net->action);
}
