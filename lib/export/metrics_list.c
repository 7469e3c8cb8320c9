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
#include "fcn_metrics.h"
#include "fcn_netlink.h"
#include "fcn_notify.h"
#include "fcn_pause.h"
#include "fcn_port_counters.h"
#include "fcn_queue.h"
#include "fcn_worker.h"
#include "metrics_server.h"

/* clang-format off */
#define COUNTER(name, member, help) {name, FCN_METRIC_COUNTER, NULL, SHOW, ROWS, LABELS, member, NULL, help, OF}
#define BYTES(name, member, help) {name "_bytes", FCN_METRIC_COUNTER, "bytes", SHOW, ROWS, LABELS, member, NULL, help, OF}
#define SECONDS(name, member, help) \
	{name "_seconds", FCN_METRIC_COUNTER, "seconds", SHOW, ROWS, LABELS, member, NULL, help, OF}
#define GAUGE(name, member, help) {name, FCN_METRIC_GAUGE, NULL, SHOW, ROWS, LABELS, member, NULL, help, OF}
#define DURATION(name, member, help) \
	{name "_seconds", FCN_METRIC_GAUGE, "seconds", SHOW, ROWS, LABELS, member, NULL, help, OF}
#define LEVEL(name, member, help) {name "_bytes", FCN_METRIC_GAUGE, "bytes", SHOW, ROWS, LABELS, member, NULL, help, OF}

/* One counter of a list, of the form that fcn_counter.h describes. */
#define LISTED(member, json, type, metric, help) type(metric, json, help),

const struct fcn_metric fcn_metrics[] = {
	{"build", FCN_METRIC_INFO, NULL, "version", NULL, "fastcn dpdk", NULL, NULL, "Versions of fastcn and DPDK", FCN_METRIC_OF_ALL},

#define SHOW "status"
#define ROWS NULL
#define LABELS ""
#define OF FCN_METRIC_OF_ALL
	GAUGE("forwarding", "forwarding", "1 while the switch forwards packets, 0 while it is stopped"),
	GAUGE("start_time_seconds", "started_unix", "Time at which the program was started, in seconds since 1970 (UTC)"),
	GAUGE("configuration_saved", "configuration.saved",
		"1 while the running configuration is that of the configuration file; no sample without such a file"),
	GAUGE("ports_with_link", "ports.up", "Number of ports with a link"),
	GAUGE("warnings", "warnings", "Number of warnings in force; `show warnings` has them"),
#undef OF
#undef SHOW
#undef LABELS

#define SHOW "port"
#define LABELS "port"
/* The packets of a sub-interface also count at its port; with both, a sum over ports would count them twice. */
#define OF FCN_METRIC_OF_LINE
	FCN_PORT_TRAFFIC_COUNTERS(LISTED)
#undef OF
#define OF FCN_METRIC_OF_ALL
	FCN_PORT_ROCE_COUNTERS(LISTED)
	{"port_notices", FCN_METRIC_COUNTER, NULL, SHOW, ROWS, LABELS, "notices_by_kind", "kind",
		"Notices generated for congestion of the port, by kind", OF},
	FCN_PORT_LOCAL_COUNTERS(LISTED)
	GAUGE("port_up", "link_up", "1 while the port has a link"),
	GAUGE("port_stalled", "stalled",
		"1 while the port's device accepts no frames, so that frames for it are dropped"),
	GAUGE("port_link_bytes_per_second", "link_bps", "Speed of the link in bytes per second"),
	LEVEL("port_ring", "ring_bytes",
		"Bytes passed to the port's device and not yet sent; no sample if the device "
		"does not report it"),
	FCN_PORT_DEVICE_COUNTERS(LISTED)
#undef LABELS
#define LABELS "port parent vlan"
#undef OF
#define OF FCN_METRIC_OF_SUB_INTERFACE
#define SUB_INTERFACE(member, json, type, metric, help, of_bridge) type("sub_interface_" metric, json, help),
	FCN_SUB_INTERFACE_COUNTERS(SUB_INTERFACE)
#undef LABELS
#define LABELS "port bridge vlan"
#undef OF
#define OF FCN_METRIC_OF_BRIDGE_INTERFACE
#define BRIDGE_INTERFACE(member, json, type, metric, help, of_bridge) type("bridge_interface_" metric, json, of_bridge),
	FCN_SUB_INTERFACE_COUNTERS(BRIDGE_INTERFACE)
#undef SHOW
#undef LABELS
#undef OF
#define OF FCN_METRIC_OF_ALL

#define SHOW "bridge"
#undef ROWS
#define ROWS "ports"
#define LABELS "port"
	GAUGE("bridge_port_mac_addresses", "macs", "MAC addresses learned on the port of a bridge"),
	GAUGE("bridge_port_mac_addresses_limit", "macs_at_most",
		"Maximum number of MAC addresses learned on the port: its mac-limit, or a "
		"quarter of the table"),
	FCN_BRIDGE_PORT_COUNTERS(LISTED)
	GAUGE("bridge_port_err_disabled", "err_disabled",
		"1 while the port is closed because of a loop"),
#undef SHOW
#undef ROWS
#undef LABELS
#define ROWS NULL

#define SHOW "mempool"
#undef LABELS
#define LABELS "pool"
	GAUGE("mempool_buffers", "buffers", "Packet buffers of the pool"),
	GAUGE("mempool_buffers_in_use", "in_use",
		"Packet buffers of the pool in use by devices, queues and the host functions"),
#undef SHOW
#undef LABELS

#define SHOW "drops"
#define LABELS "port reason"
	COUNTER("port_dropped_packets", "packets",
		"Packets dropped, by the port that received them and the reason"),
#undef SHOW
#undef LABELS
#define SHOW "host police"
#define LABELS "port kind"
	FCN_POLICE_COUNTERS(LISTED)
#undef SHOW
#undef LABELS
#define SHOW "errors"
#define LABELS "port error"
	COUNTER("port_defect_packets", "packets",
		"Packets received with a defect, forwarded or not"),
#undef SHOW
#undef LABELS

#define SHOW "queue"
#define LABELS "port class"
	FCN_QUEUE_SENT_COUNTERS(LISTED)
	{"queue_dropped_packets", FCN_METRIC_COUNTER, NULL, SHOW, ROWS, LABELS, "drops", "reason",
		"Packets that the queue dropped, on arrival or later, by reason", OF},
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
	{"queue_sojourn_seconds", FCN_METRIC_HISTOGRAM, "seconds", SHOW, ROWS, LABELS, "sojourn", NULL,
		"Time that packets spent in the queue", OF},
#undef SHOW
#undef LABELS

#define SHOW "notify"
#undef ROWS
#define ROWS "verdicts"
#define LABELS "port class kind outcome verdict"
	COUNTER("notify_packets", "packets",
		"Packets that met congestion in a queue with notices on, by the verdict about "
		"their notice"),
#undef ROWS
#undef LABELS
#define ROWS "kinds"
#define LABELS "kind"
	FCN_NOTICE_COUNTERS(LISTED)
	COUNTER("notify_lost_notices", "lost",
		"Notices that were generated and then lost; `show notify` has the reasons"),
#undef ROWS
#undef LABELS
#define ROWS NULL
#define LABELS ""
#define TOTAL(member, json, type, metric, help) type(metric, "total." json, help),
	FCN_NOTIFY_STATE_COUNTERS(TOTAL)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "buffer"
#define ROWS NULL
#define LABELS ""
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
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "pfc"
#define ROWS "ports"
#define LABELS "port"
#define PFC_FRAMES(member, json, type, metric, help) type(metric, "frames_" json, help),
	FCN_PORT_PFC_COUNTERS(PFC_FRAMES)
#undef ROWS
#undef LABELS
#define ROWS "classes"
#define LABELS "port class"
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
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "ioam"
#define ROWS "ports"
#define LABELS "port"
	FCN_IOAM_PORT_COUNTERS(LISTED)
	COUNTER("ioam_edge_dropped_packets", "dropped",
		"Packets dropped at the edge of the IOAM domain because they have an IOAM "
		"option"),
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "border"
#define ROWS "ports"
#define LABELS "port"
	COUNTER("border_in_dropped_packets", "in_dropped",
		"Packets dropped on arrival at the domain's border, which they may not cross"),
	COUNTER("border_out_dropped_packets", "out_dropped",
		"Packets dropped before they left by the domain's border, which they may not "
		"cross"),
	FCN_UNTRUSTED_PORT_COUNTERS(LISTED)
#undef ROWS
#undef LABELS
#define ROWS "drops"
#define LABELS "port reason"
	COUNTER("border_kind_in_dropped_packets", "in",
		"Packets dropped on arrival at the domain's border, by reason"),
	COUNTER("border_kind_out_dropped_packets", "out",
		"Packets dropped before they left by the domain's border, by reason"),
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "proxy option"
#define ROWS "ports"
#define LABELS "port"
	FCN_PROXY_OPTION_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "pnc protocols"
#define ROWS NULL
#define LABELS ""
	COUNTER("pnc_builds", "builds", "Times that changes of learned proxies were applied"),
#undef ROWS
#undef LABELS
#define ROWS "protocols"
#define LABELS "protocol"
	GAUGE("pnc_prefixes", "prefixes",
		"Prefixes of senders whose proxies are known from the protocol"),
	GAUGE("pnc_room", "room", "Number of further prefixes that the protocol may have"),
	FCN_LEARNED_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "srv6 policy"
#define ROWS "segment_lists"
#define LABELS "policy origin list"
	FCN_SEGMENT_LIST_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "srv6 steering"
#define ROWS NULL
#define LABELS "prefix table rule policy"
	FCN_STEERING_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "srv6 sid"
#define ROWS "sids"
#define LABELS "sid origin behavior"
	FCN_SRV6_SID_COUNTERS(LISTED)
#undef ROWS
#undef LABELS
#define ROWS "ecn"
#define LABELS "combination"
	COUNTER("tunnel_ecn_packets", "packets",
		"Packets that left a tunnel at a local SID with ECN fields that no standard combines"),
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "srv6 endcon"
#define ROWS NULL
#define LABELS ""
	FCN_ENDCON_COUNTERS(LISTED)
#undef ROWS
#undef LABELS
#define ROWS "learned"
#define LABELS "protocol"
	GAUGE("endcon_learned_sids", "sids", "END.CON SIDs that are known from the protocol"),
	GAUGE("endcon_learned_room", "room", "Number of further END.CON SIDs that the protocol may have"),
	FCN_LEARNED_ENDCON_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "arn held"
#define ROWS NULL
#define LABELS ""
	GAUGE("arn_held_flows", "flows", "Flows and services that are held, or whose packets are leaving"),
	GAUGE("arn_held_waiting_packets", "packets", "Packets of held flows and services that wait"),
	LEVEL("arn_held_waiting", "bytes", "Bytes of these packets"),
	GAUGE("arn_held_flows_max", "flows_max", "Highest number of flows and services held at once"),
	GAUGE("arn_held_waiting_packets_max", "packets_max",
		"Highest number of packets that have waited at one worker"),
	LEVEL("arn_held_waiting_max", "bytes_max", "Highest number of bytes that have waited at one worker"),
	FCN_ARN_OBEYED_COUNTERS(LISTED)
	FCN_ARN_HELD_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "arn sent"
#define ROWS NULL
#define LABELS ""
	FCN_ARN_SENDER_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "arn received"
#define ROWS NULL
#define LABELS ""
	FCN_ARN_RECEIVED_COUNTERS(LISTED)
	FCN_ARN_RECEIVED_FORGOTTEN(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "arn passed-on"
#define ROWS NULL
#define LABELS ""
	FCN_ARN_EDGE_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "proxy"
#define ROWS NULL
#define LABELS ""
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
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "conservation"
#define ROWS NULL
#define LABELS ""
	FCN_CONSERVATION_IN_COUNTERS(LISTED)
	FCN_CONSERVATION_OUT_COUNTERS(LISTED)
	GAUGE("conservation_balanced", "ok",
		"1 when the packets that entered are equal to those that left or are still in "
		"the switch"),
#undef SHOW

#define SHOW "worker"
#undef LABELS
#define LABELS "worker"
	GAUGE("worker_stalled", "stalled", "1 while the worker's thread does not run, so that its ports forward nothing"),
	COUNTER("worker_stalls", "stalls", "Times that the worker's thread did not run for a second or more"),
	FCN_WORKER_LOAD_COUNTERS(LISTED)
	FCN_WORKER_CROSS_CORE_COUNTERS(LISTED)
	FCN_WORKER_COUNTERS(LISTED)
#undef LABELS
#define LABELS ""
#undef SHOW

#define SHOW "mempool"
#undef LABELS
#define LABELS "pool"
	GAUGE("packet_buffers", "buffers", "Packet buffers of a pool"),
	GAUGE("packet_buffers_in_use", "in_use", "Packet buffers in use: in queues, and in the rings of devices"),
	GAUGE("packet_buffers_available", "available", "Packet buffers that are free"),
#undef LABELS
#define LABELS ""
#undef SHOW

#define SHOW "route count"
	GAUGE("routes", "total", "Routes of all kinds, including those of the Linux kernel"),
	GAUGE("routes_connected", "connected", "Prefixes of the ports' addresses"),
	GAUGE("routes_static", "static", "Configured routes with a next hop"),
	GAUGE("routes_blackhole", "blackhole", "Configured routes that drop packets"),
#undef SHOW

#define SHOW "kernel"
	GAUGE("kernel_routes", "routes",
		"Routes in the table of the Linux kernel, through any interface"),
	GAUGE("kernel_paths", "paths",
		"Paths of the Linux kernel's routes that lead through ports of the switch"),
#define COUNTERS(member, json, type, metric, help) type(metric, "counters." json, help),
	FCN_NETLINK_COUNTERS(COUNTERS)
	FCN_KERNEL_STORE_COUNTERS(COUNTERS)
	FCN_RTNL_UNUSABLE(COUNTERS)
	FCN_CONTROL_KERNEL_COUNTERS(COUNTERS)
#undef ROWS
#undef LABELS
#define ROWS "interfaces"
#define LABELS "port interface"
	FCN_KERNEL_TAP_COUNTERS(LISTED)
	FCN_KERNEL_INTERFACE_COUNTERS(LISTED)
#undef SHOW
#undef ROWS
#undef LABELS

#define SHOW "host"
#define ROWS NULL
#define LABELS ""
	GAUGE("host_neighbours", "neighbours",
		"Neighbours that the host functions know or are resolving"),
	GAUGE("host_waiting_packets", "waiting_packets",
		"Packets that wait for address resolution of their next hop"),
#define HOST(sym, name, text) COUNTER("host_" name, "counters." name, text),
	FCN_HOST_COUNTERS(HOST)
#undef SHOW

#define SHOW "events"
	COUNTER("event_records_lost", "records_lost",
		"Event records lost because the ring from worker to collector was full"),
#undef SHOW

#define SHOW "export"
#define LINES(member, json, type, metric, help) type(metric, "events." json, help),
	FCN_EVENT_LOG_COUNTERS(LINES)
#define SCRAPES(member, json, type, metric, help) type(metric, "metrics." json, help),
	FCN_METRICS_SERVER_COUNTERS(SCRAPES)
};
/* clang-format on */

const size_t fcn_metrics_n = RTE_DIM(fcn_metrics);
