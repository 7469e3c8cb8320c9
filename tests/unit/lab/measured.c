/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_notify.h"
#include "measured.h"
#include "metric.h"

#define QUEUE_PORT 2

static void
receiver_addr(unsigned int host, uint8_t addr[16])
{
	memset(addr, 0, 16);
	addr[0] = 0x20;
	addr[15] = (uint8_t)(host + 1);
}

static uint32_t
qp_of(unsigned int flow)
{
	return flow == FLOW_B2 ? 18 : 17;
}

static void
flow(struct measured *t, unsigned int i, const char *name, unsigned int from)
{
	t->flow[i] = (struct lab_flow){.from = from,
			.to = 2,
			.stop_ns = FCN_ENDPOINT_NEVER,
			.bytes = 1024,
			.messages = UINT64_MAX};
	snprintf(t->flow[i].name, sizeof(t->flow[i].name), "%s", name);
}

static void
host(struct measured *t, unsigned int i)
{
	snprintf(t->host[i].name, sizeof(t->host[i].name), "h%u", i + 1);
	t->host[i].conf.line_bps = 10000000000;
	t->host[i].conf.payload = 1024;
	t->link[i] = (struct lab_link){.end = {{LAB_HOST, i}, {LAB_SWITCH, 0}},
			.rate_bps = 10000000000,
			.delay_ns = i < 2 ? 1 * US : 2 * US};
}

void
measured_init(struct measured *t)
{
	static char title[] = "two senders", value[] = "4us";

	memset(t, 0, sizeof(*t));
	snprintf(t->node_switch[0].name, LAB_NAME_LEN, "s1");
	for (unsigned int i = 0; i < 3; i++)
		host(t, i);
	flow(t, FLOW_A, "a", 0);
	flow(t, FLOW_B1, "b", 1);
	flow(t, FLOW_B2, "b", 1);
	t->watch[0] = (struct lab_watch){.node = 0, .port = "h3", .class = 3};
	t->param[0] = (struct lab_param){.name = "interval", .value = value, .declared = true};
	t->sc = (struct lab_scenario){.title = title,
			.seed = 7,
			.duration_ns = FCN_ENDPOINT_NEVER,
			.param = t->param,
			.node_switch = t->node_switch,
			.host = t->host,
			.link = t->link,
			.flow = t->flow,
			.watch = t->watch,
			.n_params = 1,
			.n_switches = 1,
			.n_hosts = 3,
			.n_links = 3,
			.n_flows = FLOWS,
			.n_watches = 1};
}

void
measured_begin(struct measured *t, const char *dir)
{
	char err[256] = "";
	uint8_t addr[16];

	t->m = lab_measure_create(&t->sc, dir, err, sizeof(err));
	assert_string_equal(err, "");
	assert_non_null(t->m);
	receiver_addr(2, addr);
	for (unsigned int i = 0; i < t->sc.n_flows; i++) {
		lab_measure_flow(t->m, i, qp_of(i), 100 + i, addr);
		lab_measure_flow_begins(t->m, i);
	}
}

json_t *
measured_end(struct measured *t, uint64_t now)
{
	struct lab_totals totals = {.now = now,
			.hosts = json_pack("[{s:i, s:[i,i]}, {s:i, s:[i,i]}]", "cnp_sent", 2,
					"paused_ns", 1, 2, "cnp_sent", 3, "paused_ns", 10, 20),
			.switches = json_pack("[{s:i}]", "dropped", 4),
			.links = json_pack("[{s:s,s:{s:i}},{s:s,s:{s:i}}]", "from", "h1", "packets",
					"lost", 1, "from", "s1", "packets", "lost", 5),
			.violations = json_array()};
	json_t *result = lab_measure_result(t->m, &totals);

	assert_non_null(result);
	lab_measure_free(t->m);
	t->m = NULL;
	return result;
}

void
measured_state(struct measured *t, enum fcn_event_type type, uint64_t now)
{
	struct fcn_event ev = {.time_ns = now, .type = type, .class = 3, .port = QUEUE_PORT};

	lab_measure_switch(t->m, 0, "h3", &ev);
}

void
measured_notice(struct measured *t, unsigned int flow_index, bool sent, uint64_t now)
{
	struct fcn_event ev = {.time_ns = now,
			.type = FCN_EVENT_NOTICE,
			.class = 3,
			.port = QUEUE_PORT,
			.level = 2,
			.verdict = sent ? FCN_NOTIFY_SENT : FCN_NOTIFY_INTERVAL,
			.dest_qp = 100 + flow_index};

	receiver_addr(2, ev.receiver);
	lab_measure_switch(t->m, 0, "h3", &ev);
}

void
measured_queue(struct measured *t, uint32_t bytes, uint64_t now)
{
	lab_measure_queue(t->m, 0, "h3", QUEUE_PORT, 3, bytes, now);
}

void
measured_host(struct measured *t, unsigned int flow_index, enum fcn_endpoint_event_type type,
		uint64_t value, uint64_t created, uint64_t now)
{
	struct fcn_endpoint_event ev = {.type = type,
			.time_ns = now,
			.qp = qp_of(flow_index),
			.value = value,
			.created_ns = created};

	lab_measure_host(t->m, t->flow[flow_index].from, &ev);
}

double
metric(const json_t *result, const char *path)
{
	char err[256] = "";
	double value = -1;

	assert_int_equal(lab_metric(result, path, &value, err, sizeof(err)), 0);
	assert_string_equal(err, "");
	return value;
}

void
assert_no_metric(const json_t *result, const char *path)
{
	char err[256] = "";
	double value;

	assert_int_not_equal(lab_metric(result, path, &value, err, sizeof(err)), 0);
	assert_string_not_equal(err, "");
}
