/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapes: ports, what lies below them, workers, and accounts of packets. */

#include "fcn_config_scopes.h"
#include "fcn_control.h"
#include "fcn_show_shapes.h"

static const struct fcn_shape kinds[] = {SHAPE_INTEGER(NULL, "Notices of this kind"), SHAPE_END};

#define PAUSE(member, name, type, metric, text) SHAPE_MAYBE_INTEGER("pause_" name, text),

/* A row of a port, or of an interface, which has neither a link nor queues. */
static const struct fcn_shape port[] = {SHAPE_PORT,
		SHAPE_STRING("kind", "Kind of the device; \"vlan\" or \"bridge\" of an interface"),
		SHAPE_MAYBE_STRING("device", "Name of the device"),
		SHAPE_STRING("mode", "\"routed\", \"bridged\" or, of a bridge interface, \"host\""),
		SHAPE_MAYBE_STRING("parent", "Port or bridge of an interface"),
		SHAPE_MAYBE_STRING("bridge", "Bridge that the port belongs to"),
		SHAPE_MAYBE_INTEGER("vlan", "VLAN of an interface; 0: without a tag"),
		SHAPE_SETTINGS(fcn_mac_scope, "port"), SHAPE_SETTINGS(fcn_mtu_scope, "port"),
		SHAPE_MAYBE_STRING("state", "\"up\", \"down\", \"stalled\" or \"err-disabled\""),
		SHAPE_MAYBE("link_bps",
				"Speed of the link in bits per second; null while it is down",
				FCN_SHAPE_INTEGER | FCN_SHAPE_NULL),
		SHAPE_MAYBE_BOOLEAN("link_up", "Whether the port has a link"),
		SHAPE_MAYBE_BOOLEAN("stalled", "Whether the device takes no packets"),
		SHAPE_MAYBE_INTEGER("rx_queues", "Number of receive queues"),
		SHAPE_MAYBE_SETTINGS(fcn_port_scope, "port"),
		SHAPE_MAYBE_SETTINGS(fcn_source_check_scope, "port"),
		SHAPE_MAYBE_STRING("shaper_hint", "A burst with which the shaper keeps its rate"),
		SHAPE_MAYBE("rx_bps",
				"Bits received in the last second; null if that was not measured",
				FCN_SHAPE_INTEGER | FCN_SHAPE_NULL),
		SHAPE_MAYBE("tx_bps", "Bits sent in the last second; null if that was not measured",
				FCN_SHAPE_INTEGER | FCN_SHAPE_NULL),
		SHAPE_COUNTERS(FCN_PORT_TRAFFIC_COUNTERS),
		SHAPE_MAYBE_COUNTERS(FCN_PORT_SHARE_COUNTERS),
		SHAPE_INTEGER("drops", "Packets received by the port that were dropped"),
		SHAPE_MAYBE_COUNTERS(FCN_PORT_ROCE_COUNTERS),
		SHAPE_MAYBE_INTEGER("notices", "Notices generated for congestion of the port"),
		{.name = "notices_by_kind",
				.text = "The same by kind",
				.types = FCN_SHAPE_OBJECT,
				.is_any = true,
				.optional = true,
				.of = kinds},
		SHAPE_MAYBE_STRING(
				"notice_bucket", "Limit of the notices to one receiver in force"),
		SHAPE_MAYBE_STRING("node_bucket", "Default limit of messages taken of one node"),
		SHAPE_MAYBE_STRING("nodes_bucket", "Default limit of messages taken of all nodes"),
		SHAPE_COUNTERS(FCN_PORT_LOCAL_COUNTERS), SHAPE_GROUP(FCN_PORT_PFC_COUNTERS(PAUSE)),
		SHAPE_MAYBE("ring_bytes",
				"Bytes passed to the device and not yet sent; null if it does not "
				"report that",
				FCN_SHAPE_INTEGER | FCN_SHAPE_NULL),
		SHAPE_MAYBE_COUNTERS(FCN_PORT_DEVICE_COUNTERS),
		SHAPE_MAYBE("limits", "What the device cannot do",
				FCN_SHAPE_STRING | FCN_SHAPE_NULL),
		SHAPE_END};

const struct fcn_shape fcn_shape_ports = SHAPE_LIST(
		NULL, "Ports, sub-interfaces and bridge interfaces", port);

static const struct fcn_shape xstat[] = {SHAPE_PORT,
		SHAPE_STRING("counter", "Name that the driver has for the counter"),
		SHAPE_INTEGER("value", "Value of the counter"), SHAPE_END};

const struct fcn_shape fcn_shape_xstats = SHAPE_LIST(
		NULL, "Counters of the drivers of ports' devices", xstat);

static const struct fcn_shape descriptors[] = {SHAPE_PORT,
		SHAPE_STRING("direction", "\"rx\" or \"tx\""),
		SHAPE_INTEGER("queue", "Number of the queue"),
		SHAPE_INTEGER_NULL("descriptors", "Descriptors of the queue"),
		SHAPE_INTEGER_NULL("in_use", "Frames that wait there"), SHAPE_END};

const struct fcn_shape fcn_shape_descriptors = SHAPE_LIST(
		NULL, "Queues of ports' devices", descriptors);

static const struct fcn_shape mempool[] = {SHAPE_STRING("pool", "Name of the pool"),
		SHAPE_INTEGER_NULL("numa", "NUMA node of its memory"),
		SHAPE_INTEGER("buffers", "Packet buffers"),
		SHAPE_INTEGER("in_use", "Buffers in use"),
		SHAPE_INTEGER("available", "Buffers that are free"),
		SHAPE_INTEGER("buffer_bytes", "Size of a buffer in bytes"), SHAPE_END};

const struct fcn_shape fcn_shape_mempools = SHAPE_LIST(NULL, "Pools of packet buffers", mempool);

static const struct fcn_shape port_rates[] = {SHAPE_PORT, SHAPE_NAMED(FCN_PORT_RATES), SHAPE_END};

static const struct fcn_shape queue_rates[] = {
		SHAPE_PORT, SHAPE_CLASS, SHAPE_NAMED(FCN_QUEUE_RATES), SHAPE_END};

static const struct fcn_shape rates[] = {
		SHAPE_INTEGER("over_ns", "Time that was measured; 0: nothing was measured"),
		SHAPE_LIST("ports", "Rates of ports, per second", port_rates),
		SHAPE_LIST("queues", "Rates of class queues in use, per second", queue_rates),
		SHAPE_END};

const struct fcn_shape fcn_shape_rates = SHAPE_OBJECT(NULL, "Rates over the last second", rates);

static const struct fcn_shape drops[] = {SHAPE_STRING("port", "Port that received the packets"),
		SHAPE_STRING("reason", "Drop reason"),
		SHAPE_INTEGER("packets", "Packets dropped for it"),
		{.name = "queues",
				.text = "Class queues that dropped for it, as port/class",
				.types = FCN_SHAPE_STRING,
				.is_list = true,
				.optional = true},
		SHAPE_STRING("reason_text", "The reason in words"), SHAPE_END};

const struct fcn_shape fcn_shape_drops = SHAPE_LIST(NULL, "Dropped packets", drops);

static const struct fcn_shape errors[] = {SHAPE_PORT, SHAPE_STRING("error", "Defect"),
		SHAPE_INTEGER("packets", "Packets with it"),
		SHAPE_STRING("error_text", "The defect in words"), SHAPE_END};

const struct fcn_shape fcn_shape_errors = SHAPE_LIST(
		NULL, "Packets with malformed headers", errors);

static const struct fcn_shape conservation[] = {
		SHAPE_MAYBE_INTEGER("carried",
				"Packets queued when the counters were last cleared; missing: 0"),
		SHAPE_MAYBE_INTEGER("returned",
				"Packets counted as consumed that were later forwarded or dropped; "
				"missing: 0"),
		SHAPE_COUNTERS(FCN_CONSERVATION_IN_COUNTERS),
		FCN_CONSERVATION_OUT_COUNTERS(SHAPE_COUNTER)
				SHAPE_BOOLEAN("ok", "Whether the account holds"),
		SHAPE_END};

const struct fcn_shape fcn_shape_conservation = SHAPE_OBJECT(
		NULL, "The packet accounting", conservation);

static const struct fcn_shape summary_port[] = {SHAPE_PORT,
		SHAPE_INTEGER("received", "Packets received"),
		SHAPE_INTEGER("sent", "Packets sent"),
		SHAPE_INTEGER("dropped", "Packets received by the port that were dropped"),
		SHAPE_INTEGER("notices", "Notices generated for its congestion"), SHAPE_END};

static const struct fcn_shape summary[] = {SHAPE_LIST("ports", "Packets by port", summary_port),
		SHAPE_OBJECT("conservation", "The packet accounting", conservation), SHAPE_END};

const struct fcn_shape fcn_shape_summary = SHAPE_OBJECT(NULL, "Packets of the switch", summary);

static const struct fcn_shape worker[] = {SHAPE_INTEGER("worker", "Number of the worker"),
		SHAPE_STRING("state", "\"running\" or \"stalled\""),
		SHAPE_BOOLEAN("stalled", "Whether its thread does not run"),
		SHAPE_INTEGER("stalls", "How often it did not run"),
		SHAPE_INTEGER("lcore", "Number of its lcore"),
		SHAPE_INTEGER("numa", "NUMA node; -1: none"),
		SHAPE_LIST_OF("ports", "Ports whose queues it has", FCN_SHAPE_STRING),
		SHAPE_LIST_OF("rx_queues",
				"Ports from which it receives; NAME*n: by n of their queues",
				FCN_SHAPE_STRING),
		SHAPE_NUMBER_NULL("busy_percent", "Share of time in turns that moved packets"),
		SHAPE_COUNTERS(FCN_WORKER_LOAD_COUNTERS),
		FCN_WORKER_CROSS_CORE_COUNTERS(SHAPE_COUNTER) SHAPE_INTEGER(
				"cross_core_full", "Packets dropped as a cross-core ring was full"),
		SHAPE_COUNTERS(FCN_WORKER_COUNTERS), SHAPE_END};

const struct fcn_shape fcn_shape_workers = SHAPE_LIST(NULL, "Workers", worker);

#define STAGE                                                                                 \
	SHAPE_STRING("stage", "Name of the stage, \"other\", \"all\" or \"idle\""),           \
			SHAPE_NUMBER_NULL("cycles_per_packet", "Cycles for a packet"),        \
			SHAPE_NUMBER_NULL("cycles_per_call", "Cycles for a call"),            \
			SHAPE_NUMBER_NULL("percent", "Share of the cycles of busy turns"),    \
			SHAPE_INTEGER("packets", "Packets"), SHAPE_INTEGER("calls", "Calls"), \
			SHAPE_INTEGER("cycles", "Cycles")

static const struct fcn_shape stage[] = {STAGE, SHAPE_END};
static const struct fcn_shape worker_stage[] = {
		SHAPE_INTEGER("worker", "Number of the worker"), STAGE, SHAPE_END};

static const struct fcn_shape stage_cycles[] = {SHAPE_SETTINGS(fcn_worker_scope, "stage cycles"),
		SHAPE_BOOLEAN("available", "Whether there is a clock to count cycles with"),
		SHAPE_INTEGER("left_out_turns", "Turns that were not counted"),
		SHAPE_LIST("total", "Sums of all workers", stage),
		SHAPE_LIST("workers", "Stages by worker", worker_stage), SHAPE_END};

const struct fcn_shape fcn_shape_stage_cycles = SHAPE_OBJECT(
		NULL, "Cycles of stages", stage_cycles);
