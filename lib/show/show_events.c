/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "fcn_event_line.h"
#include "fcn_json_text.h"
#include "show_private.h"

static bool
has_address(enum fcn_event_type type)
{
	return (type >= FCN_EVENT_NEIGHBOUR && type <= FCN_EVENT_SENDER_FORGOTTEN) ||
	       (type >= FCN_EVENT_ARN_SENT && type <= FCN_EVENT_ARN_RESUMED) ||
	       type == FCN_EVENT_PROXY_NOTIFIED;
}

static bool
is_of_arn_received(enum fcn_event_type type)
{
	return type == FCN_EVENT_ARN_RECEIVED || type == FCN_EVENT_ARN_RESUMED;
}

static bool
is_of_sender(enum fcn_event_type type)
{
	return type >= FCN_EVENT_SENDER && type <= FCN_EVENT_SENDER_FORGOTTEN;
}

static bool
is_of_proxy(enum fcn_event_type type)
{
	return type == FCN_EVENT_PROXY_LEARNED || type == FCN_EVENT_PROXY_LOST;
}

static bool
is_of_worker(enum fcn_event_type type)
{
	return type == FCN_EVENT_WORKER_STALLED || type == FCN_EVENT_WORKER_RECOVERED;
}

static void
show_proxy(const struct fcn_event *ev, json_t *o)
{
	const struct fcn_prefix prefix = {
			.addr = fcn_addr_unmap(ev->sender), .len = (uint8_t)ev->len};

	json_object_set_new(o, "prefix", fcn_show_prefix(&prefix));
	json_object_set_new(o, "proxy", fcn_show_addr6(ev->receiver));
	fcn_show_set_str(o, "protocol", fcn_proxy_origin_name(ev->kind));
}

static bool
is_of_endcon(enum fcn_event_type type)
{
	return type == FCN_EVENT_ENDCON_LEARNED || type == FCN_EVENT_ENDCON_LOST;
}

static void
show_sid(const struct fcn_event *ev, json_t *o)
{
	json_object_set_new(o, "sid", fcn_show_addr6(ev->sender));
	fcn_show_set_str(o, "protocol", fcn_proxy_origin_name(ev->kind));
}

static bool
has_moved(enum fcn_event_type type)
{
	return FCN_EVENTS_MOVED >> type & 1;
}

/* What people did. */
static void
show_words(const struct fcn_control *ctl, const struct fcn_event *ev, json_t *o)
{
	const struct fcn_event_text *words = fcn_collector_words(
			fcn_control_collector(ctl), ev->len);

	json_object_set_new(o, "user",
			words != NULL && words->user != NULL ? fcn_json_text(words->user)
							     : json_null());
	fcn_show_set_str(o, "role", words != NULL ? words->role : NULL);
	json_object_set_new(o, "text",
			words != NULL && words->text != NULL ? fcn_json_text(words->text)
							     : json_null());
}

static const char *
port_name(const struct fcn_control *ctl, unsigned int port)
{
	return port < FCN_MAX_PORTS ? fcn_show_port_name(ctl, port) : NULL;
}

/* These events have a MAC address in the first bytes of the member `sender`. */
static json_t *
show_mac(const uint8_t *bytes)
{
	struct rte_ether_addr mac;

	memcpy(&mac, bytes, sizeof(mac));
	return fcn_show_mac(&mac);
}

static void
show_event(const struct fcn_control *ctl, const struct fcn_event *ev, json_t *list)
{
	json_t *o = fcn_show_row(list);

	fcn_show_set(o, "time_ns", ev->time_ns);
	fcn_show_set_str(o, "event", fcn_event_name(ev->type));
	fcn_show_set_str(o, "port", port_name(ctl, ev->port));
	fcn_show_set_known(o, "class", fcn_event_has_class(ev->type), ev->class);
	fcn_show_set_known(o, "occupancy", fcn_event_has_occupancy(ev->type), ev->occupancy);
	if (ev->type == FCN_EVENT_BORDER)
		fcn_show_set_str(o, "reason", fcn_drop_name(ev->verdict));
	if (ev->type == FCN_EVENT_TUNNEL_ECN)
		fcn_show_set_str(o, "combination", fcn_tunnel_ecn_name(ev->verdict));
	if (ev->type == FCN_EVENT_WARNING || ev->type == FCN_EVENT_WARNING_OVER)
		fcn_show_set_str(o, "warning", fcn_warning_name(ev->verdict));
	if (is_of_arn_received(ev->type))
		fcn_show_set_str(o, "mode", fcn_arn_mode_name(ev->verdict));
	if (ev->type == FCN_EVENT_PROXY_NOTIFIED)
		fcn_show_set_str(o, "translation", fcn_proxy_translation_name(ev->verdict));
	if (is_of_sender(ev->type))
		fcn_show_set_str(o, "notice", fcn_notice_kind_of(ev->kind)->name);
	if (is_of_proxy(ev->type))
		show_proxy(ev, o);
	if (is_of_endcon(ev->type))
		show_sid(ev, o);
	if (FCN_EVENTS_LINK >> ev->type & 1)
		fcn_show_set_known(o, "mbps", ev->len != 0, ev->len);
	if (FCN_EVENTS_WORDED >> ev->type & 1)
		show_words(ctl, ev, o);
	if (is_of_worker(ev->type))
		fcn_show_set(o, "worker", ev->len);
	fcn_show_set_str(o, "from", has_moved(ev->type) ? port_name(ctl, ev->in_port) : NULL);
	json_object_set_new(o, "mac", has_moved(ev->type) ? show_mac(ev->sender) : json_null());
	json_object_set_new(o, "address",
			has_address(ev->type) ? fcn_show_addr6(ev->sender) : json_null());
	fcn_show_set_str(o, "event_text", fcn_event_text(ev->type));
}

json_t *
fcn_show_event_list(struct fcn_control *ctl, unsigned int last)
{
	struct fcn_event event[FCN_COLLECTOR_EVENTS];
	json_t *list = json_array();
	unsigned int n;

	fcn_control_drain(ctl);
	n = fcn_collector_events(fcn_control_collector(ctl), event, RTE_MIN(last, RTE_DIM(event)));
	for (unsigned int i = 0; i < n; i++)
		show_event(ctl, &event[i], list);
	return list;
}

json_t *
fcn_show_events(struct fcn_control *ctl, unsigned int last)
{
	json_t *o = json_object(), *list = fcn_show_event_list(ctl, last);
	uint64_t *lost = FCN_SHOW_SUM(ctl, events_lost);

	/* The collector returns events of all kinds, notices among them. */
	fcn_show_set_known(o, "records_lost", lost != NULL, lost != NULL ? *lost : 0);
	free(lost);
	json_object_set_new(o, "events", list);
	return o;
}
