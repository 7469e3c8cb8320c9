/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>

#include "event_log.h"
#include "fcn_buffer.h"
#include "fcn_control.h"
#include "fcn_detector.h"
#include "fcn_host.h"
#include "fcn_learned.h"
#include "fcn_reported.h"
#include "fcn_metrics.h"
#include "fcn_netlink.h"
#include "fcn_notify.h"
#include "fcn_pause.h"
#include "fcn_port_counters.h"
#include "fcn_queue.h"
#include "fcn_remote_counters.h"
#include "fcn_worker.h"
#include "metrics_server.h"

/* clang-format off */
#define COUNTER(name, member, help) {name, FCN_METRIC_COUNTER, NULL, member, NULL, help}
#define BYTES(name, member, help) {name "_bytes", FCN_METRIC_COUNTER, "bytes", member, NULL, help}
#define SECONDS(name, member, help) {name "_seconds", FCN_METRIC_COUNTER, "seconds", member, NULL, help}
#define GAUGE(name, member, help) {name, FCN_METRIC_GAUGE, NULL, member, NULL, help}
#define DURATION(name, member, help) {name "_seconds", FCN_METRIC_GAUGE, "seconds", member, NULL, help}
#define LEVEL(name, member, help) {name "_bytes", FCN_METRIC_GAUGE, "bytes", member, NULL, help}

/* One counter of a list, of the form that fcn_counter.h describes; the others differ in the name of the metric or of the member. */
#define LISTED(member, json, type, metric, help) type(metric, json, help),
#define SUB_INTERFACE(member, json, type, metric, help, of_bridge) type("sub_interface_" metric, json, help),
#define BRIDGE_INTERFACE(member, json, type, metric, help, of_bridge) type("bridge_interface_" metric, json, of_bridge),
#define TOTAL(member, json, type, metric, help) type(metric, "total." json, help),
#define PFC_FRAMES(member, json, type, metric, help) type(metric, "frames_" json, help),
#define COUNTERS(member, json, type, metric, help) type(metric, "counters." json, help),
#define HOST(sym, name, text) COUNTER("host_" name, "counters." name, text),
#define LINES(member, json, type, metric, help) type(metric, "events." json, help),
#define SCRAPES(member, json, type, metric, help) type(metric, "metrics." json, help),

static const struct fcn_metric version[] = {
	{"build", FCN_METRIC_INFO, NULL, NULL, NULL, "Versions of fastcn and DPDK"},
};

static const struct fcn_metric status[] = {
	GAUGE("forwarding", "forwarding", "1 while the switch forwards packets, 0 while it is stopped"),
	GAUGE("start_time_seconds", "started_unix", "Time at which the program was started, in seconds since 1970 (UTC)"),
	GAUGE("configuration_saved", "configuration.saved",
		"1 while the running configuration is that of the configuration file; no sample without such a file"),
	GAUGE("ports_with_link", "ports.up", "Number of ports with a link"),
	GAUGE("warnings", "warnings", "Number of warnings in force; `show warnings` has them"),
};

/* The packets of a sub-interface also count at its port; with both, a sum over ports would count them twice. */
static const struct fcn_metric port_traffic[] = {
	FCN_PORT_TRAFFIC_COUNTERS(LISTED)
};

static const struct fcn_metric port[] = {
	FCN_PORT_SHARE_COUNTERS(LISTED)
	FCN_PORT_ROCE_COUNTERS(LISTED)
	{"port_notices", FCN_METRIC_COUNTER, NULL, "notices_by_kind", "kind",
		"Notices generated for congestion of the port, by kind"},
	FCN_PORT_LOCAL_COUNTERS(LISTED)
	GAUGE("port_up", "link_up", "1 while the port has a link"),
	GAUGE("port_stalled", "stalled",
		"1 while the port's device accepts no frames, so that frames for it are dropped"),
	GAUGE("port_link_bytes_per_second", "link_bps", "Speed of the link in bytes per second"),
	LEVEL("port_ring", "ring_bytes",
		"Bytes passed to the port's device and not yet sent; no sample if the device "
		"does not report it"),
	FCN_PORT_DEVICE_COUNTERS(LISTED)
};

static const struct fcn_metric port_sub_interface[] = {
	FCN_SUB_INTERFACE_COUNTERS(SUB_INTERFACE)
};

static const struct fcn_metric port_bridge_interface[] = {
	FCN_SUB_INTERFACE_COUNTERS(BRIDGE_INTERFACE)
};

static const struct fcn_metric bridge_ports[] = {
	GAUGE("bridge_port_mac_addresses", "macs", "MAC addresses learned on the port of a bridge"),
	GAUGE("bridge_port_mac_addresses_limit", "macs_at_most",
		"Maximum number of MAC addresses learned on the port: its mac-limit, or a "
		"quarter of the table"),
	FCN_BRIDGE_PORT_COUNTERS(LISTED)
	GAUGE("bridge_port_err_disabled", "err_disabled",
		"1 while the port is closed because of a loop"),
};

static const struct fcn_metric drops[] = {
	COUNTER("port_dropped_packets", "packets",
		"Packets dropped, by the port that received them and the reason"),
};

static const struct fcn_metric host_police[] = {
	FCN_POLICE_COUNTERS(LISTED)
};

static const struct fcn_metric errors[] = {
	COUNTER("port_defect_packets", "packets",
		"Packets received with a defect, forwarded or not"),
};

static const struct fcn_metric queue[] = {
	FCN_QUEUE_SENT_COUNTERS(LISTED)
	{"queue_dropped_packets", FCN_METRIC_COUNTER, NULL, "drops", "reason",
		"Packets that the queue dropped, on arrival or later, by reason"},
	LEVEL("queue_occupancy", "occ_last", "Bytes in the queue"),
	LEVEL("queue_occupancy_max", "occ_max",
		"Highest number of bytes in the queue since watermarks were last cleared"),
	LEVEL("queue_limit", "limit_bytes", "Maximum number of bytes in the queue"),
	GAUGE("queue_waiting_packets", "queued_packets", "Packets in the queue"),
	LEVEL("queue_buffer_charged", "account.charged_bytes",
		"Bytes of the shared buffer that the queue occupies"),
	LEVEL("queue_buffer_threshold", "account.threshold_bytes",
		"Bytes of the shared buffer that the queue may occupy at present"),
	GAUGE("queue_congested", "congested", "1 while the queue is congested"),
	GAUGE("queue_congestion_level", "level",
		"Congestion level, 0 to 7; no sample while the queue is not congested"),
	FCN_DETECTOR_COUNTERS(LISTED)
	FCN_QUEUE_CONGESTION_COUNTERS(LISTED)
	{"queue_sojourn_seconds", FCN_METRIC_HISTOGRAM, "seconds", "sojourn", NULL,
		"Time that packets spent in the queue"},
};

static const struct fcn_metric notify_verdicts[] = {
	COUNTER("notify_packets", "packets",
		"Packets that met congestion in a queue with notices on, by the verdict about "
		"their notice"),
};

static const struct fcn_metric notify_kinds[] = {
	FCN_NOTICE_COUNTERS(LISTED)
	COUNTER("notify_lost_notices", "lost",
		"Notices that were generated and then lost; `show notify` has the reasons"),
};

static const struct fcn_metric notify[] = {
	FCN_NOTIFY_STATE_COUNTERS(TOTAL)
};

static const struct fcn_metric buffer[] = {
	LEVEL("buffer_size", "size", "Size of the shared buffer; 0 if there is no shared buffer"),
	LEVEL("buffer_shared", "shared", "Bytes of the shared buffer that are not reserved"),
	LEVEL("buffer_shared_used", "shared_used",
		"Unreserved bytes of the shared buffer that are in use"),
	LEVEL("buffer_shared_max", "shared_max",
		"Highest number of these bytes since watermarks were last cleared; with several "
		"workers an upper bound"),
	LEVEL("buffer_headroom", "headroom", "Bytes of headroom for lossless classes"),
	LEVEL("buffer_headroom_used", "headroom_used", "Bytes of headroom in use"),
	LEVEL("buffer_headroom_max", "headroom_max",
		"Highest number of bytes of headroom in use since watermarks were last cleared; with "
		"several workers an upper bound"),
	GAUGE("buffer_packets_size", "packets_size",
		"Packets that queues may hold together, by the packet buffers that there are"),
	GAUGE("buffer_packets_reserved", "packets_reserved",
		"Packets of these that belong to one queue or lossless class alone"),
	GAUGE("buffer_packets_shared", "packets_shared",
		"Packets of these that queues share"),
	GAUGE("buffer_packets_shared_used", "packets_shared_used",
		"Packets of the shared part that are in use"),
	GAUGE("buffer_packets_shared_max", "packets_shared_max",
		"Highest number of these packets since watermarks were last cleared; with several "
		"workers an upper bound"),
	GAUGE("buffer_packets_headroom", "packets_headroom",
		"Packets of headroom for lossless classes"),
	GAUGE("buffer_packets_headroom_used", "packets_headroom_used",
		"Packets of headroom in use"),
	GAUGE("buffer_packets_headroom_max", "packets_headroom_max",
		"Highest number of packets of headroom in use since watermarks were last cleared; "
		"with several workers an upper bound"),
	GAUGE("buffer_buffers", "buffers",
		"Packet buffers of the smallest pool, of which the numbers of packets follow"),
	GAUGE("buffer_buffers_free", "buffers_free",
		"Packet buffers that are free, of the pool that has fewest"),
	GAUGE("buffer_buffers_for_devices", "buffers_for_devices",
		"Packet buffers that the rings of devices may hold"),
	GAUGE("buffer_buffers_for_workers", "buffers_for_workers",
		"Packet buffers for packets on their way in workers, and for caches of threads"),
	GAUGE("buffer_buffers_for_control", "buffers_for_control",
		"Packet buffers that are kept for the host functions and for what waits for them"),
	GAUGE("buffer_buffers_per_packet", "buffers_per_packet",
		"Packet buffers that a packet may need, by the longest frame of the ports"),
};

static const struct fcn_metric pfc_ports[] = {
	FCN_PORT_PFC_COUNTERS(PFC_FRAMES)
};

static const struct fcn_metric pfc_classes[] = {
	GAUGE("pfc_stopped", "stopped", "1 while the class is stopped by a pause"),
	GAUGE("pfc_storm", "storm", "1 while the class is in a pause storm"),
	FCN_PAUSE_RECEIVED_COUNTERS(LISTED)
	GAUGE("pfc_asks", "asks", "1 while the link partner is asked to pause the class"),
	FCN_PAUSE_SENT_COUNTERS(LISTED)
	LEVEL("pfc_used", "used",
		"Bytes of packets of the lossless class, received by the port, that the switch "
		"holds"),
	LEVEL("pfc_headroom_used", "headroom_used",
		"Bytes of the lossless class, received by the port, that occupy headroom"),
	FCN_INGRESS_COUNTERS(LISTED)
};

static const struct fcn_metric ioam_ports[] = {
	FCN_IOAM_PORT_COUNTERS(LISTED)
	COUNTER("ioam_edge_dropped_packets", "dropped",
		"Packets dropped at the edge of the IOAM domain because they have an IOAM "
		"option"),
};

static const struct fcn_metric border_ports[] = {
	COUNTER("border_in_dropped_packets", "in_dropped",
		"Packets dropped on arrival at the domain's border, which they may not cross"),
	COUNTER("border_out_dropped_packets", "out_dropped",
		"Packets dropped before they left by the domain's border, which they may not "
		"cross"),
	FCN_UNTRUSTED_PORT_COUNTERS(LISTED)
};

static const struct fcn_metric border_drops[] = {
	COUNTER("border_kind_in_dropped_packets", "in",
		"Packets dropped on arrival at the domain's border, by reason"),
	COUNTER("border_kind_out_dropped_packets", "out",
		"Packets dropped before they left by the domain's border, by reason"),
};

static const struct fcn_metric proxy_option_ports[] = {
	FCN_PROXY_OPTION_COUNTERS(LISTED)
};

static const struct fcn_metric pnc_protocols[] = {
	COUNTER("pnc_builds", "builds", "Times that changes of learned proxies were applied"),
};

static const struct fcn_metric pnc_protocols_protocols[] = {
	GAUGE("pnc_prefixes", "prefixes",
		"Prefixes of senders whose proxies are known from the protocol"),
	GAUGE("pnc_room", "room", "Number of further prefixes that the protocol may have"),
	FCN_LEARNED_COUNTERS(LISTED)
};

static const struct fcn_metric srv6_policy_segment_lists[] = {
	FCN_SEGMENT_LIST_COUNTERS(LISTED)
};

static const struct fcn_metric srv6_steering[] = {
	FCN_STEERING_COUNTERS(LISTED)
};

static const struct fcn_metric srv6_sid_sids[] = {
	FCN_SRV6_SID_COUNTERS(LISTED)
};

static const struct fcn_metric srv6_sid_ecn[] = {
	COUNTER("tunnel_ecn_packets", "packets",
		"Packets that left a tunnel at a local SID with ECN fields that no standard combines"),
};

static const struct fcn_metric srv6_endcon[] = {
	FCN_ENDCON_COUNTERS(LISTED)
};

static const struct fcn_metric srv6_endcon_learned[] = {
	GAUGE("endcon_learned_sids", "sids", "END.CON SIDs that are known from the protocol"),
	GAUGE("endcon_learned_room", "room", "Number of further END.CON SIDs that the protocol may have"),
	FCN_LEARNED_ENDCON_COUNTERS(LISTED)
};

static const struct fcn_metric arn_held[] = {
	GAUGE("arn_held_flows", "flows", "Flows and services that are held, or whose packets are leaving"),
	GAUGE("arn_held_waiting_packets", "packets", "Packets of held flows and services that wait"),
	LEVEL("arn_held_waiting", "bytes", "Bytes of these packets"),
	GAUGE("arn_held_flows_max", "flows_max", "Highest number of flows and services held at once"),
	GAUGE("arn_held_waiting_packets_max", "packets_max",
		"Highest number of packets that have waited at one worker"),
	LEVEL("arn_held_waiting_max", "bytes_max", "Highest number of bytes that have waited at one worker"),
	FCN_ARN_OBEYED_COUNTERS(LISTED)
	FCN_ARN_HELD_COUNTERS(LISTED)
};

static const struct fcn_metric arn_sent[] = {
	FCN_ARN_SENDER_COUNTERS(LISTED)
};

static const struct fcn_metric arn_received[] = {
	FCN_ARN_RECEIVED_COUNTERS(LISTED)
	FCN_ARN_RECEIVED_FORGOTTEN(LISTED)
};

static const struct fcn_metric arn_passed_on[] = {
	FCN_ARN_EDGE_COUNTERS(LISTED)
};

static const struct fcn_metric proxy[] = {
	GAUGE("proxy_flows_known", "flows_known", "Flows that congested nodes have reported, and that the proxy remembers"),
	GAUGE("proxy_flows_marked", "flows_marked",
		"Flows whose packets a worker marks, or has marked a moment ago; highest number of a worker"),
	GAUGE("proxy_paused_classes", "paused_classes", "Classes of ports whose senders the proxy has paused"),
	GAUGE("proxy_waiting_messages", "waiting", "Accepted messages that wait to be processed"),
	FCN_PROXY_MESSAGE_COUNTERS(LISTED)
	FCN_PROXY_SENT_COUNTERS(LISTED)
	FCN_PROXY_SUPPRESSED_COUNTERS(LISTED)
	FCN_PROXY_TABLE_COUNTERS(LISTED)
	FCN_PROXY_FORGOTTEN(LISTED)
};

static const struct fcn_metric proxy_hosts[] = {
	GAUGE("proxy_hosts", "hosts_known", "Hosts that report queue pairs"),
	GAUGE("proxy_qps_reported", "reported", "Queue pairs that hosts have reported"),
	FCN_REPORTED_COUNTERS(LISTED)
};

static const struct fcn_metric conservation[] = {
	FCN_CONSERVATION_IN_COUNTERS(LISTED)
	FCN_CONSERVATION_OUT_COUNTERS(LISTED)
	GAUGE("conservation_balanced", "ok",
		"1 when the packets that entered are equal to those that left or are still in "
		"the switch"),
};

static const struct fcn_metric worker[] = {
	GAUGE("worker_stalled", "stalled", "1 while the worker's thread does not run, so that its ports forward nothing"),
	COUNTER("worker_stalls", "stalls", "Times that the worker's thread did not run for a second or more"),
	FCN_WORKER_LOAD_COUNTERS(LISTED)
	FCN_WORKER_CROSS_CORE_COUNTERS(LISTED)
	FCN_WORKER_COUNTERS(LISTED)
};

static const struct fcn_metric packet_buffers[] = {
	GAUGE("packet_buffers", "buffers", "Packet buffers of a pool"),
	GAUGE("packet_buffers_in_use", "in_use",
		"Packet buffers in use: in queues, in the rings of devices, and in the host functions"),
	GAUGE("packet_buffers_available", "available", "Packet buffers that are free"),
};

static const struct fcn_metric route_count[] = {
	GAUGE("routes", "total", "Routes of all kinds, including those of the Linux kernel"),
	GAUGE("routes_connected", "connected", "Prefixes of the ports' addresses"),
	GAUGE("routes_static", "static", "Configured routes with a next hop"),
	GAUGE("routes_blackhole", "blackhole", "Configured routes that drop packets"),
};

static const struct fcn_metric kernel[] = {
	GAUGE("kernel_routes", "routes",
		"Routes in the table of the Linux kernel, through any interface"),
	GAUGE("kernel_paths", "paths",
		"Paths of the Linux kernel's routes that lead through ports of the switch"),
	FCN_NETLINK_COUNTERS(COUNTERS)
	FCN_KERNEL_STORE_COUNTERS(COUNTERS)
	FCN_RTNL_UNUSABLE(COUNTERS)
	FCN_CONTROL_KERNEL_COUNTERS(COUNTERS)
};

static const struct fcn_metric kernel_interfaces[] = {
	FCN_KERNEL_TAP_COUNTERS(LISTED)
	FCN_KERNEL_INTERFACE_COUNTERS(LISTED)
};

static const struct fcn_metric host[] = {
	GAUGE("host_neighbours", "neighbours",
		"Neighbours that the host functions know or are resolving"),
	GAUGE("host_waiting_packets", "waiting_packets",
		"Packets that wait for address resolution of their next hop"),
	FCN_HOST_COUNTERS(HOST)
};

static const struct fcn_metric events[] = {
	COUNTER("event_records_lost", "records_lost",
		"Event records lost because the ring from worker to collector was full"),
};

static const struct fcn_metric export[] = {
	FCN_EVENT_LOG_COUNTERS(LINES)
	FCN_METRICS_SERVER_COUNTERS(SCRAPES)
};

static const struct fcn_metric sessions[] = {
	FCN_REMOTE_COUNTERS(COUNTERS)
};

/* The rows of `show` commands, with the metrics of each. */
#define METRICS(metrics) metrics, RTE_DIM(metrics)
const struct fcn_metric_rows fcn_metric_rows[] = {
	{"version", NULL, "fastcn dpdk", FCN_METRIC_OF_ALL, METRICS(version)},
	{"status", NULL, "", FCN_METRIC_OF_ALL, METRICS(status)},
	{"port", NULL, "port", FCN_METRIC_OF_LINE, METRICS(port_traffic)},
	{"port", NULL, "port", FCN_METRIC_OF_ALL, METRICS(port)},
	{"port", NULL, "port parent vlan", FCN_METRIC_OF_SUB_INTERFACE, METRICS(port_sub_interface)},
	{"port", NULL, "port bridge vlan", FCN_METRIC_OF_BRIDGE_INTERFACE, METRICS(port_bridge_interface)},
	{"bridge", "ports", "port", FCN_METRIC_OF_ALL, METRICS(bridge_ports)},
	{"drops", NULL, "port reason", FCN_METRIC_OF_ALL, METRICS(drops)},
	{"host police", NULL, "port kind", FCN_METRIC_OF_ALL, METRICS(host_police)},
	{"errors", NULL, "port error", FCN_METRIC_OF_ALL, METRICS(errors)},
	{"queue", NULL, "port class", FCN_METRIC_OF_ALL, METRICS(queue)},
	{"notify", "verdicts", "port class kind outcome verdict", FCN_METRIC_OF_ALL, METRICS(notify_verdicts)},
	{"notify", "kinds", "kind", FCN_METRIC_OF_ALL, METRICS(notify_kinds)},
	{"notify", NULL, "", FCN_METRIC_OF_ALL, METRICS(notify)},
	{"buffer", NULL, "", FCN_METRIC_OF_ALL, METRICS(buffer)},
	{"pfc", "ports", "port", FCN_METRIC_OF_ALL, METRICS(pfc_ports)},
	{"pfc", "classes", "port class", FCN_METRIC_OF_ALL, METRICS(pfc_classes)},
	{"ioam", "ports", "port", FCN_METRIC_OF_ALL, METRICS(ioam_ports)},
	{"border", "ports", "port", FCN_METRIC_OF_ALL, METRICS(border_ports)},
	{"border", "drops", "port reason", FCN_METRIC_OF_ALL, METRICS(border_drops)},
	{"proxy option", "ports", "port", FCN_METRIC_OF_ALL, METRICS(proxy_option_ports)},
	{"pnc protocols", NULL, "", FCN_METRIC_OF_ALL, METRICS(pnc_protocols)},
	{"pnc protocols", "protocols", "protocol", FCN_METRIC_OF_ALL, METRICS(pnc_protocols_protocols)},
	{"srv6 policy", "segment_lists", "policy origin list", FCN_METRIC_OF_ALL, METRICS(srv6_policy_segment_lists)},
	{"srv6 steering", NULL, "prefix table rule policy", FCN_METRIC_OF_ALL, METRICS(srv6_steering)},
	{"srv6 sid", "sids", "sid origin behavior", FCN_METRIC_OF_ALL, METRICS(srv6_sid_sids)},
	{"srv6 sid", "ecn", "combination", FCN_METRIC_OF_ALL, METRICS(srv6_sid_ecn)},
	{"srv6 endcon", NULL, "", FCN_METRIC_OF_ALL, METRICS(srv6_endcon)},
	{"srv6 endcon", "learned", "protocol", FCN_METRIC_OF_ALL, METRICS(srv6_endcon_learned)},
	{"arn held", NULL, "", FCN_METRIC_OF_ALL, METRICS(arn_held)},
	{"arn sent", NULL, "", FCN_METRIC_OF_ALL, METRICS(arn_sent)},
	{"arn received", NULL, "", FCN_METRIC_OF_ALL, METRICS(arn_received)},
	{"arn passed-on", NULL, "", FCN_METRIC_OF_ALL, METRICS(arn_passed_on)},
	{"proxy", NULL, "", FCN_METRIC_OF_ALL, METRICS(proxy)},
	{"proxy hosts", NULL, "", FCN_METRIC_OF_ALL, METRICS(proxy_hosts)},
	{"conservation", NULL, "", FCN_METRIC_OF_ALL, METRICS(conservation)},
	{"worker", NULL, "worker", FCN_METRIC_OF_ALL, METRICS(worker)},
	{"mempool", NULL, "pool", FCN_METRIC_OF_ALL, METRICS(packet_buffers)},
	{"route count", NULL, "", FCN_METRIC_OF_ALL, METRICS(route_count)},
	{"kernel", NULL, "", FCN_METRIC_OF_ALL, METRICS(kernel)},
	{"kernel", "interfaces", "port interface", FCN_METRIC_OF_ALL, METRICS(kernel_interfaces)},
	{"host", NULL, "", FCN_METRIC_OF_ALL, METRICS(host)},
	{"events", NULL, "", FCN_METRIC_OF_ALL, METRICS(events)},
	{"export", NULL, "", FCN_METRIC_OF_ALL, METRICS(export)},
	{"sessions", NULL, "", FCN_METRIC_OF_ALL, METRICS(sessions)},
};
/* clang-format on */

const size_t fcn_metric_rows_n = RTE_DIM(fcn_metric_rows);
