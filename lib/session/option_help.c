/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What each option of a command is about, for completion: a word that can be left out has a help of
 * its own, as the command's help says what the whole command does. */

#include <rte_common.h>

#include "session_private.h"

#define QUEUE "set queue <port:name> class <class:class> "

static const struct fcn_command_option options[] = {
		{"show ", "json", "Show the value as JSON, like | json"},
		{"show ", "detail", "Show all there is about each, not only a table"},
		{"show ", "all", "Also show those without traffic"},
		{"show ", "limit", "Show at most so many rows"},
		{"show ", "skip", "Leave out so many rows at the beginning"},
		{"show ", "last", "Show only the last so many"},
		{"show ", "class", "Show only this class"},
		{"show ", "table", "Show only this route table"},
		{"show ", "port", "Show only this port"},
		{"show ", "bridge", "Show only this bridge"},
		{"show trace", "bytes", "Also show the bytes of the packets"},
		{"explain ", "json", "Show the value as JSON, like | json"},
		{"explain ", "dscp", "DSCP of the packet (default 0)"},
		{"explain ", "ecn", "ECN field of the packet (default ect0)"},
		{"explain ", "size", "Bytes of the frame, without FCS"},
		{"explain ", "hop-limit", "Hop limit, or TTL, of the packet (default 64)"},
		{"explain ", "source-port",
				"UDP source port, which selects one of equal paths (default "
				"49152)"},
		{"explain ", "vlan", "VLAN ID of the packet's tag"},
		{"explain ", "to", "Destination MAC address; without it, that of the port"},
		{"port add ", "queues", "Number of receive queues of the device"},
		{"port add ", "worker", "Worker that serves the port"},
		{"port add ", "mtu", "MTU of the port, bytes"},
		{"port add ", "rx-descriptors",
				"Size of each receive queue of the device (default 512)"},
		{"port add ", "tx-descriptors",
				"Size of the device's transmit queue (default 128)"},
		{"port add ", "device", "DPDK device: a PCI address, or a virtual device"},
		{"bridge ", "vlan", "VLAN of the bridge that the interface belongs to"},
		{"", "burst", "How much may pass at once"},
		{"", "table", "Route table; without it, the main one"},
		{"set port ", "overhead", "Bytes counted for each frame in addition to the frame"},
		{"set port ", "dscp", "DSCP that the packets get"},
		{"set bridge ", "recover", "Time after which the port is opened again"},
		{QUEUE, "packets", "Limit of the queue in packets"},
		{QUEUE, "level", "Congestion level from which on this holds, 0 to 7"},
		{QUEUE, "size",
				"Bytes of a trimmed packet, from the start of its frame (default "
				"256)"},
		{QUEUE, "leave", "The congestion ends when the measure has been below this"},
		{QUEUE, "hold", "Time for which the measure has to be below leave"},
		{QUEUE "detector step", "threshold",
				"Bytes in the queue from which on it is congested"},
		{QUEUE "detector red", "kmin", "Up to so many bytes, no packet is selected"},
		{QUEUE "detector red", "kmax", "From so many bytes on, every packet is selected"},
		{QUEUE "detector red", "pmax", "Probability just below kmax"},
		{QUEUE, "at", "Select packets when they are queued or when they leave"},
		{QUEUE "detector qcn", "qeq", "Equilibrium: bytes that the queue should hold"},
		{QUEUE "detector qcn", "weight", "Weight of the queue's growth"},
		{QUEUE "detector qcn", "sample", "Bytes between two computations"},
		{QUEUE "detector sojourn", "target",
				"Time in the queue from which on it is congested"},
		{QUEUE "detector sojourn", "interval",
				"Time for which all packets have to wait so long"},
		{QUEUE "detector rate", "threshold", "Fraction of the queue's rate, as 0.95"},
		{QUEUE "detector rate", "window", "Time over which arrivals are averaged"},
		{"set host neighbours", "port", "Most neighbours of one port"},
		{"set pfc ", "xon", "Bytes below which the pause ends"},
		{"set pfc ", "alpha", "Share of the free buffer that the class may hold"},
		{"set pfc ", "below", "The pause ends so many bytes below xoff"},
		{"set pfc ", "detect", "Time paused without interruption until the watchdog acts"},
		{"set pfc ", "restore", "Time without pauses until they are obeyed again"},
		{"set arn ", "detect", "Time held without interruption until the watchdog acts"},
		{"set arn ", "restore", "Time without messages until they are obeyed again"},
		{"", "wide", "The wide identifier"},
		{"set ioam time", "tai-offset", "Seconds by which TAI is ahead of UTC"},
		{"set ioam namespace", "data", "Opaque data behind the schema, hexadecimal"},
		{"set proxy interval", "level-7", "Interval at congestion level 7"},
		{"set proxy reported", "per-host", "Maximum number of queue pairs of one host"},
		{"capture start", "snaplen", "Bytes kept of each packet"},
		{"capture start", "packets", "End after so many packets"},
		{"capture start", "size", "End when the file has so many bytes"},
		{"capture start", "filter", "Capture only packets that match a pcap filter"},
		{"trace add", "reason", "Only packets that are dropped for this reason"},
		{"trace add", "verdict", "Only packets that get this verdict"},
		{"trace add", "filter", "Trace only packets that match a pcap filter"},
		{"capture stop", "file", "Only the capture to this file"},
		{"set metrics listen", "on", "Only at this address"},
		{"save", "file", "The file; without it, the configuration file"},
		{"load ", "replace", "In place of the running configuration"},
		{"commit", "comment", "What `show rollback` says of it"},
		{"help", "words", "First words of commands, a topic, or all"},
};

const struct fcn_command_option *
fcn_session_options(size_t *n)
{
	*n = RTE_DIM(options);
	return options;
}
