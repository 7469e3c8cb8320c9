/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_capture_control.h"
#include "session_private.h"

#define MIN_SNAPLEN 14
#define MIN_SIZE 65536 /* enough for what every file begins and ends with */

#define RX (1u << FCN_CAPTURE_RX)
#define TX (1u << FCN_CAPTURE_TX)
#define DROP (1u << FCN_CAPTURE_DROP)

static unsigned int
points_of(const char *what)
{
	static const struct {
		const char *word;
		unsigned int points;
	} words[] = {{"rx", RX}, {"tx", TX}, {"both", RX | TX}, {"drop", DROP}};

	for (size_t i = 0; i < RTE_DIM(words); i++) {
		if (strcmp(what, words[i].word) == 0)
			return words[i].points;
	}
	return 0;
}

static int
check_limits(const struct fcn_args *args)
{
	uint64_t snaplen = fcn_args_u64(args, "snaplen", FCN_CAPTURE_SNAPLEN);

	if (snaplen < MIN_SNAPLEN || snaplen > FCN_CAPTURE_SNAPLEN)
		return fcn_command_error(args, -ERANGE, "snaplen", "snaplen must be %u to %u bytes",
				MIN_SNAPLEN, FCN_CAPTURE_SNAPLEN);
	if (fcn_args_u64(args, "packets", 1) == 0)
		return fcn_command_error(args, -ERANGE, "packets", "at least 1 packet");
	if (fcn_args_u64(args, "size", MIN_SIZE) < MIN_SIZE)
		return fcn_command_error(args, -ERANGE, "size",
				"the size of a file must be at least %u bytes", MIN_SIZE);
	return 0;
}

/* Only ports with a link receive and send frames; drops are counted for sub-interfaces, too. */
static bool
is_of_drops(const struct fcn_args *args)
{
	return points_of(fcn_args_str(args, "what")) == DROP;
}

static int
choose_ports(struct fcn_session *session, const struct fcn_args *args, struct fcn_port_set *ports)
{
	int port;

	*ports = fcn_port_set_all(); /* also ports that are added later */
	if (strcmp(fcn_args_str(args, "port"), "all") == 0)
		return 0;
	port = fcn_setting_port(session->candidate, args, "port");
	if (port < 0)
		return port;
	if (fcn_config_is_bridge_interface(session->candidate, port) && !is_of_drops(args))
		return fcn_command_error(args, -EINVAL, "port",
				"a bridge interface has no frames of its own: capture the "
				"ports of the bridge");
	if (fcn_config_is_sub_interface(session->candidate, port) && !is_of_drops(args))
		return fcn_command_error(args, -EINVAL, "port",
				"frames of a sub-interface are captured on its port: capture "
				"start port %s ... filter vlan %u",
				session->candidate->port[session->candidate->port[port].parent]
						.name,
				session->candidate->port[port].vlan);
	*ports = fcn_port_set_of(port);
	return 0;
}

static int
capture_start(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_capture_request req = {
			.port = fcn_args_str(args, "port"),
			.what = fcn_args_str(args, "what"),
			.points = points_of(fcn_args_str(args, "what")),
			.filter = fcn_args_str(args, "filter"),
			.snaplen = fcn_args_u64(args, "snaplen", FCN_CAPTURE_SNAPLEN),
			.packets = fcn_args_u64(args, "packets", 0),
			.bytes = fcn_args_u64(args, "size", 0),
	};
	char err[600], *path;
	int rc;

	if (session->captures == NULL)
		return fcn_command_error(args, -ENOTSUP, NULL, "nothing can be captured here");
	rc = check_limits(args);
	if (rc == 0)
		rc = choose_ports(session, args, &req.ports);
	if (rc == 0)
		rc = fcn_session_path(session, args, FCN_SESSION_OUTPUT, &path);
	if (rc != 0)
		return rc;
	req.file = path;
	rc = fcn_captures_start(session->captures, &req, err, sizeof(err));
	free(path);
	if (rc == -EINVAL)
		return fcn_command_error(args, rc, "filter", "%s", err);
	if (rc == -EAGAIN)
		return fcn_command_error(args, rc, NULL, "%s", err);
	return rc == 0 ? 0 : fcn_command_error(args, rc, "file", "%s", err);
}

static int
capture_stop(struct fcn_session *session, const struct fcn_args *args)
{
	const char *file = fcn_args_str(args, "file");
	char *path = NULL;
	int rc;

	if (file != NULL && file[0] != '/') {
		rc = fcn_session_path(session, args, FCN_SESSION_OUTPUT, &path);
		if (rc != 0)
			return rc;
	}
	rc = session->captures != NULL
			     ? fcn_captures_stop(session->captures, path != NULL ? path : file)
			     : -ENOENT;
	free(path);
	if (rc == -EAGAIN)
		return fcn_command_error(args, rc, NULL,
				"a worker is stalled, and has not ended the capture: see show "
				"worker");
	if (rc == 0)
		return 0;
	return fcn_command_error(args, -ENOENT, "file", "there is no capture into %s",
			file != NULL ? file : "a file");
}

static const struct fcn_command commands[] = {
		{"capture start port <port:name> <what:rx|tx|both|drop> file <file:name> "
		 "[snaplen <snaplen:number>] [packets <packets:count>] [size <size:size>] "
		 "[filter <filter:text>]",
				"Write packets of a port (all: every port) to a pcapng file: "
				"packets it received (rx), packets it was given to send (tx), "
				"both, or packets that were dropped, with the reason (drop). "
				"snaplen is the maximum number of bytes kept of each packet, "
				"packets the maximum number of packets, and size the maximum "
				"length of the file. filter is a BPF filter that packets have "
				"to match",
				FCN_COMMAND_ACTION, capture_start},
		{"capture stop [<file:name>]",
				"End the capture to this file, or all captures. The files are "
				"complete afterwards",
				FCN_COMMAND_ACTION, capture_stop},
};

const struct fcn_command_group fcn_capture_commands = {
		"Packet capture", commands, RTE_DIM(commands)};
