/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapes: class queues, the shared buffer, flow control, and notices. */

#include "fcn_config_scopes.h"
#include "fcn_control.h"
#include "fcn_show_shapes.h"

static const struct fcn_shape account[] = {
		SHAPE_INTEGER("charged_bytes",
				"Bytes of the shared buffer that the queue occupies"),
		SHAPE_SETTINGS(fcn_queue_buffer_scope, "queue.account"),
		SHAPE_INTEGER("threshold_bytes",
				"Bytes of it that the queue may occupy at present"),
		SHAPE_END};

static const struct fcn_shape thresholds[] = {
		SHAPE_MAYBE_SETTINGS(fcn_detector_scope, "queue.thresholds"),
		SHAPE_MAYBE_INTEGER("of_bps", "Rate that a rate detector compares with"),
		SHAPE_MAYBE_INTEGER(
				"last_permille", "Rate that it found last, in thousandths of that"),
		SHAPE_MAYBE_INTEGER("level_hold_ns", "Time for which a level does not fall"),
		{.name = "level_from",
				.text = "From where on each level is reached",
				.types = FCN_SHAPE_INTEGER,
				.is_list = true,
				.optional = true},
		SHAPE_END};

static const struct fcn_shape dropped[] = {
		SHAPE_INTEGER(NULL, "Packets dropped for this reason"), SHAPE_END};

static const struct fcn_shape sojourn[] = {SHAPE_INTEGER("from_ns", "Shortest time, nanoseconds"),
		SHAPE_INTEGER("below_ns", "Times are below this, nanoseconds"),
		SHAPE_INTEGER("packets", "Packets that waited so long"), SHAPE_END};

static const struct fcn_shape queue[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_SETTINGS(fcn_detector_scope, "queue"),
		SHAPE_SETTINGS(fcn_queue_scope, "queue"),
		SHAPE_STRING("threshold", "The detector, and from where on it finds congestion"),
		SHAPE_STRING("notice_bucket", "Limit of the notices about the queue in force"),
		SHAPE_INTEGER("packets", "Packets that the queue took"),
		SHAPE_INTEGER("bytes", "Bytes that the queue took"),
		SHAPE_COUNTERS(FCN_QUEUE_SENT_COUNTERS),
		SHAPE_INTEGER("tail_drops", "Packets dropped because the queue was full"),
		SHAPE_INTEGER("dropped", "Packets that the queue dropped"),
		SHAPE_INTEGER("queued_packets", "Packets in the queue"),
		SHAPE_INTEGER("occ_min", "Lowest occupancy in bytes since watermarks were cleared"),
		SHAPE_INTEGER("occ_avg", "Mean occupancy in bytes since then"),
		SHAPE_INTEGER("occ_max", "Highest occupancy in bytes since then"),
		SHAPE_INTEGER("occ_last", "Bytes in the queue"),
		SHAPE_INTEGER_NULL("ring_bytes",
				"Bytes passed to the device and not yet sent; null if it does not "
				"report that"),
		SHAPE_BOOLEAN("congested", "Whether the queue is congested"),
		SHAPE_INTEGER_NULL("level", "Congestion level, 0 to 7; null: none"),
		SHAPE_COUNTERS(FCN_DETECTOR_COUNTERS),
		SHAPE_COUNTERS(FCN_QUEUE_CONGESTION_COUNTERS),
		{.name = "account",
				.text = "Its account in the shared buffer; null: "
					"there is no such buffer",
				.types = FCN_SHAPE_OBJECT | FCN_SHAPE_NULL,
				.of = account},
		SHAPE_OBJECT("thresholds", "The detector that runs, with its defaults", thresholds),
		SHAPE_BY_NAME("drops", "Packets that the queue dropped, by reason", dropped),
		SHAPE_LIST("sojourn", "Packets by the time that they spent in the queue", sojourn),
		SHAPE_END};

const struct fcn_shape fcn_shape_queues = SHAPE_LIST(NULL, "Class queues", queue);

static const struct fcn_shape trim_port[] = {
		SHAPE_PORT, SHAPE_SETTINGS(fcn_trim_port_scope, "trim.ports"), SHAPE_END};

static const struct fcn_shape trim[] = {SHAPE_SETTINGS(fcn_trim_scope, "trim"),
		SHAPE_LIST("ports", "Ports", trim_port), SHAPE_END};

const struct fcn_shape fcn_shape_trim = SHAPE_OBJECT(NULL, "How trimmed packets go on", trim);

static const struct fcn_shape episode[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_INTEGER("start_ns", "Time at which it began, nanoseconds"),
		SHAPE_INTEGER_NULL("end_ns", "Time at which it ended; null: it lasts"),
		SHAPE_INTEGER("duration_ns", "How long it took so far, nanoseconds"),
		SHAPE_INTEGER("peak_bytes", "Highest occupancy in bytes"),
		SHAPE_NAMED(FCN_EPISODE_COUNTERS),
		SHAPE_INTEGER("flows", "Flows whose packets arrived"),
		SHAPE_BOOLEAN("more_flows", "Whether there were more flows than that"),
		SHAPE_INTEGER("peak_ns", "Time of the highest occupancy, nanoseconds"),
		SHAPE_INTEGER_NULL("max_level", "Highest congestion level"),
		SHAPE_NAMED(FCN_EPISODE_ARRIVAL_COUNTERS), SHAPE_END};

const struct fcn_shape fcn_shape_episodes = SHAPE_LIST(NULL, "Congestion episodes", episode);

#define PACKETS(name, text) SHAPE_INTEGER_NULL(name, text "; null: packets have no budget")

static const struct fcn_shape buffer_queue[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_INTEGER("used", "Bytes of the buffer that the queue occupies"),
		SHAPE_SETTINGS(fcn_queue_buffer_scope, "buffer.queues"),
		SHAPE_INTEGER("threshold", "Bytes that it may occupy at present"),
		SHAPE_INTEGER("packets", "Packets in the queue, without those of lossless classes"),
		PACKETS("packets_reserve", "Packets reserved for it"),
		PACKETS("packets_threshold", "Packets that it may hold at present"), SHAPE_END};

static const struct fcn_shape buffer_ingress[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_INTEGER("used", "Bytes held of what the link partner sent"),
		SHAPE_INTEGER("in_headroom", "Bytes of these in the headroom"),
		SHAPE_SETTINGS(fcn_pfc_class_scope, "buffer.ingress"),
		SHAPE_INTEGER("threshold", "Bytes from which on the link partner is paused"),
		SHAPE_INTEGER("packets", "Packets held of what the link partner sent"),
		SHAPE_INTEGER("packets_in_headroom", "Packets of these in the headroom"),
		PACKETS("packets_reserve", "Packets reserved for the class"),
		PACKETS("packets_threshold", "Packets from which on the link partner is paused"),
		PACKETS("packets_headroom", "Packets of its headroom"), SHAPE_END};

static const struct fcn_shape buffer[] = {SHAPE_SETTINGS(fcn_buffer_scope, "buffer"),
		SHAPE_INTEGER("shared", "Bytes that are not reserved"),
		SHAPE_INTEGER("shared_used", "Bytes of these in use"),
		SHAPE_INTEGER("shared_max", "Highest number of these bytes"),
		SHAPE_INTEGER("headroom", "Bytes of headroom for lossless classes"),
		SHAPE_INTEGER("headroom_used", "Bytes of these in use"),
		SHAPE_INTEGER("headroom_max", "Highest number of these bytes"),
		PACKETS("packets_size", "Packets that may wait"),
		PACKETS("packets_reserved", "Packets of these that are reserved"),
		PACKETS("packets_shared", "Packets of these that are not reserved"),
		SHAPE_INTEGER("packets_shared_used", "Packets that wait beyond reserves"),
		SHAPE_INTEGER("packets_shared_max", "Highest number of these packets"),
		SHAPE_INTEGER("packets_headroom", "Packets of headroom for lossless classes"),
		SHAPE_INTEGER("packets_headroom_used", "Packets in headroom"),
		SHAPE_INTEGER("packets_headroom_max", "Highest number of these packets"),
		SHAPE_INTEGER_NULL("buffers", "Packet buffers"),
		SHAPE_INTEGER("buffers_free", "Packet buffers that are free"),
		SHAPE_INTEGER("buffers_for_devices", "Packet buffers for rings of devices"),
		SHAPE_INTEGER("buffers_for_workers", "Packet buffers for workers"),
		SHAPE_INTEGER("buffers_for_control", "Packet buffers for the control thread"),
		SHAPE_INTEGER("buffers_per_packet", "Packet buffers that the largest packet takes"),
		SHAPE_LIST("queues", "Queues that occupy the buffer", buffer_queue),
		SHAPE_LIST("ingress", "Lossless classes that occupy the buffer", buffer_ingress),
		SHAPE_END};

const struct fcn_shape fcn_shape_buffer = SHAPE_OBJECT(NULL, "The shared buffer", buffer);

#define FRAMES(member, name, type, metric, text) SHAPE_INTEGER("frames_" name, text),

static const struct fcn_shape pfc_port[] = {SHAPE_PORT,
		SHAPE_INTEGER("link_bps", "Speed by which pauses are counted, bits per second"),
		SHAPE_INTEGER("refresh_ns", "Interval in which pauses are sent again, nanoseconds"),
		SHAPE_SETTINGS(fcn_pfc_scope, "pfc.ports"),
		SHAPE_GROUP(FCN_PORT_PFC_COUNTERS(FRAMES)), SHAPE_END};

static const struct fcn_shape pfc_class[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_SETTINGS(fcn_pfc_class_scope, "pfc.classes"),
		SHAPE_BOOLEAN("stopped", "Whether a pause of the link partner stops the class"),
		SHAPE_BOOLEAN("storm", "Whether pauses are ignored, as there were too many"),
		SHAPE_COUNTERS(FCN_PAUSE_RECEIVED_COUNTERS),
		SHAPE_BOOLEAN("asks", "Whether the link partner is asked to pause the class"),
		SHAPE_COUNTERS(FCN_PAUSE_SENT_COUNTERS),
		SHAPE_INTEGER("used", "Bytes held of what the link partner sent"),
		SHAPE_INTEGER("used_max", "Highest number of these bytes"),
		SHAPE_INTEGER("headroom_used", "Bytes of these in the headroom"),
		SHAPE_INTEGER("headroom_max", "Highest number of these bytes"),
		SHAPE_COUNTERS(FCN_INGRESS_COUNTERS), SHAPE_END};

static const struct fcn_shape pfc[] = {SHAPE_LIST("ports", "Ports with flow control", pfc_port),
		SHAPE_LIST("classes", "Their lossless classes", pfc_class), SHAPE_END};

const struct fcn_shape fcn_shape_pfc = SHAPE_OBJECT(NULL, "Priority flow control", pfc);

/* ---- notices ---- */

static const struct fcn_shape policy[] = {SHAPE_SETTINGS(fcn_loopback_scope, "notify.policy"),
		SHAPE_SETTINGS(fcn_notify_scope, "notify.policy"),
		SHAPE_SETTINGS(fcn_sender_scope, "notify.policy"),
		SHAPE_SETTINGS(fcn_cnm_scope, "notify.policy"),
		SHAPE_PREFIX("", "By the name of a kind of notice, whether it is on", 0),
		SHAPE_END};

#define WANTED                                                                                 \
	SHAPE_INTEGER("wanted", "Packets that should have caused a notice"),                   \
			SHAPE_INTEGER("sent", "Notices that were made"),                       \
			SHAPE_INTEGER("suppressed", "Notices that were not made: a limit, or " \
						    "what else forbids them")

static const struct fcn_shape total[] = {WANTED, SHAPE_COUNTERS(FCN_NOTIFY_STATE_COUNTERS),
		SHAPE_PREFIX("suppressed_", "Notices that were not made, by verdict",
				FCN_SHAPE_INTEGER),
		SHAPE_END};

#define MADE                                                                                \
	SHAPE_COUNTERS(FCN_NOTICE_COUNTERS),                                                \
			SHAPE_INTEGER("lost", "Notices that were generated and then lost"), \
			SHAPE_INTEGER("between", "Notices on their way between workers")

static const struct fcn_shape made[] = {MADE,
		SHAPE_PREFIX("lost_", "Notices lost, by drop reason", FCN_SHAPE_INTEGER),
		SHAPE_END};

const struct fcn_shape fcn_shape_notice_kind[] = {SHAPE_STRING("kind", "Kind of notice"),
		SHAPE_BOOLEAN("on", "Whether it is on"), WANTED, MADE, SHAPE_END};

static const struct fcn_shape verdict[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_STRING("kind", "Kind of notice"),
		SHAPE_STRING("outcome", "\"sent\", \"suppressed\" or \"not due\""),
		SHAPE_STRING("verdict", "Verdict"), SHAPE_INTEGER("packets", "Packets with it"),
		SHAPE_STRING("verdict_text", "The verdict in words"), SHAPE_END};

static const struct fcn_shape notify[] = {
		SHAPE_OBJECT("policy", "Settings for notices, and by name whether a kind is on",
				policy),
		SHAPE_OBJECT("total", "Sums over all kinds; suppressed_NAME by verdict", total),
		SHAPE_OBJECT("notices", "What became of notices; lost_NAME by drop reason", made),
		SHAPE_LIST("kinds", "Sums by kind", fcn_shape_notice_kind),
		SHAPE_LIST("verdicts", "Verdicts by queue", verdict), SHAPE_END};

const struct fcn_shape fcn_shape_notify = SHAPE_OBJECT(NULL, "Notices", notify);

static const struct fcn_shape missing[] = {SHAPE_PORT, SHAPE_CLASS,
		SHAPE_STRING_NULL("kind", "Kind of notice; null: any"),
		SHAPE_STRING("missing", "The condition that is not met, or the verdict"),
		SHAPE_INTEGER_NULL("packets", "Packets with this verdict; null: it is a condition"),
		SHAPE_STRING("why", "The same in words"), SHAPE_STRING("help", "What helps"),
		SHAPE_END};

const struct fcn_shape fcn_shape_notify_missing = SHAPE_LIST(
		NULL, "Why senders get no notices", missing);

static const struct fcn_shape flow[] = {
		SHAPE_STRING_NULL("port", "Name of the port; null: it is no top flow of a queue"),
		SHAPE_INTEGER_NULL("class", "Class, 0 to 7"),
		SHAPE_STRING("sender", "Address of the sender"),
		SHAPE_STRING("receiver", "Address of the receiver"),
		SHAPE_STRING_NULL(
				"qp", "Destination queue pair, hexadecimal; null: it is no RoCEv2"),
		SHAPE_STRING("flow", "What tells it from others between the same ends"),
		SHAPE_INTEGER_NULL("proto", "IP protocol, of a flow that ports tell"),
		SHAPE_INTEGER_NULL("src_port", "UDP or TCP source port"),
		SHAPE_INTEGER_NULL("dst_port", "UDP or TCP destination port"),
		SHAPE_INTEGER_NULL("bytes", "Bytes that came while the queue was congested"),
		SHAPE_NUMBER_NULL("percent", "Share of the bytes of all flows of the queue"),
		SHAPE_INTEGER_NULL("packets", "Packets of these bytes"),
		SHAPE_INTEGER_NULL("dropped", "Packets that the queue had no room for"),
		SHAPE_INTEGER_NULL("marked", "Packets that were marked with CE"),
		SHAPE_INTEGER_NULL("notices", "Notices sent for the flow; null: not known"),
		SHAPE_INTEGER_NULL("first_ns", "Time of the first notice, nanoseconds"),
		SHAPE_INTEGER_NULL("last_ns", "Time of the last notice, nanoseconds"),
		SHAPE_INTEGER_NULL("max_level", "Highest congestion level of a notice"),
		SHAPE_STRING_NULL("first_seen", "When the first of the packets came, UTC"),
		SHAPE_STRING_NULL("last_seen", "When the last of them came, UTC"),
		SHAPE_INTEGER_NULL("more_bytes_at_most", "Bytes that it may have brought in "
							 "addition, before it was counted"),
		SHAPE_BOOLEAN("exact", "Whether all packets of the queue were counted"), SHAPE_END};

const struct fcn_shape fcn_shape_flows = SHAPE_LIST(
		NULL, "Flows by the bytes that came while their queue was congested", flow);

static const struct fcn_shape notified_flow[] = {SHAPE_STRING("sender", "Address of the sender"),
		SHAPE_STRING("receiver", "Address of the receiver"),
		SHAPE_STRING("qp", "Destination queue pair, hexadecimal"),
		SHAPE_INTEGER("notices", "Notices sent for the flow"),
		SHAPE_INTEGER("first_ns", "Time of the first, nanoseconds"),
		SHAPE_INTEGER("last_ns", "Time of the last, nanoseconds"),
		SHAPE_INTEGER("max_level", "Highest congestion level"), SHAPE_END};

const struct fcn_shape fcn_shape_notified_flows = SHAPE_LIST(
		NULL, "Flows by the notices sent for them", notified_flow);

static const struct fcn_shape sender[] = {SHAPE_STRING("prefix", "Addresses of senders"),
		SHAPE_STRING("capability", "What they support"),
		SHAPE_MAYBE_STRING("origin", "\"answer\": learned from an answer"),
		SHAPE_MAYBE_STRING("notice", "Kind of notice that was refused"),
		SHAPE_MAYBE_INTEGER("left_ns", "How long this is remembered, nanoseconds"),
		SHAPE_MAYBE_INTEGER("parameter_problems", "Answers of that sender"), SHAPE_END};

const struct fcn_shape fcn_shape_senders = SHAPE_LIST(NULL, "Senders", sender);

static const struct fcn_shape class_map[] = {SHAPE_CLASS,
		SHAPE_LIST_OF("dscp", "DSCPs of the class", FCN_SHAPE_INTEGER),
		SHAPE_LIST_OF("pcp", "VLAN priorities of the class", FCN_SHAPE_INTEGER), SHAPE_END};

const struct fcn_shape fcn_shape_class_map = SHAPE_LIST(NULL, "Classes", class_map);
