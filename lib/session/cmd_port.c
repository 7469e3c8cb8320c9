/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <bsd/string.h>

#include "session_private.h"

#define MAX_QUEUES 16
#define MIN_DESCRIPTORS 32
#define MAX_DESCRIPTORS 32768

/* Words that can follow `show` at a place where the name of a port can be, too. */
int
fcn_session_check_name(const struct fcn_args *args, const char *key)
{
	static const char *const words[] = {"json", "all", "class", "detail", "last"};
	const char *name = fcn_args_str(args, key);

	for (size_t i = 0; i < RTE_DIM(words); i++) {
		if (strcmp(name, words[i]) == 0)
			return fcn_command_error(
					args, -EINVAL, key, "%s is a word of the console", name);
	}
	return 0;
}

int
fcn_session_added(const struct fcn_args *args, const char *key, const char *all, unsigned int most,
		int rc)
{
	if (rc == -EEXIST)
		return fcn_command_error(args, rc, key, "there is a %s %s already", key,
				fcn_args_str(args, key));
	if (rc == -ENOSPC)
		return fcn_command_error(args, rc, NULL, "a switch has at most %u %s", most, all);
	return rc >= 0 ? 0
		       : fcn_command_error(args, rc, key, "a name has at most %u characters",
					 FCN_NAME_LEN - 1);
}

/* Report why a port or an interface was not added. */
int
fcn_session_port_added(const struct fcn_args *args, int rc)
{
	return fcn_session_added(args, "port", "ports, sub-interfaces included", FCN_MAX_PORTS, rc);
}

/* The device is the rest of the line. @return a word in it that was meant for `port add`, or NULL
 */
static const char *
word_behind(const char *device)
{
	static const char *const words[] = {
			"queues", "worker", "mtu", "rx-descriptors", "tx-descriptors"};

	for (size_t i = 0; device != NULL && i < RTE_DIM(words); i++) {
		const size_t len = strlen(words[i]);

		for (const char *at = device; (at = strchr(at, ' ')) != NULL;) {
			at += strspn(at, " ");
			if (strncmp(at, words[i], len) == 0 && (at[len] == ' ' || at[len] == 0))
				return words[i];
		}
	}
	return NULL;
}

/* Read a number of descriptors. @return 0; -ERANGE after the error was reported */
static int
read_descriptors(const struct fcn_args *args, const char *key, uint16_t *n)
{
	uint64_t value = fcn_args_u64(args, key, 0);

	if (fcn_args_given(args, key) && (value < MIN_DESCRIPTORS || value > MAX_DESCRIPTORS))
		return fcn_command_error(args, -ERANGE, key,
				"a queue of a device has %u to %u descriptors", MIN_DESCRIPTORS,
				MAX_DESCRIPTORS);
	*n = (uint16_t)value;
	return 0;
}

static int
port_add(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "port");
	const char *device = fcn_args_str(args, "device");
	uint64_t queues = fcn_args_u64(args, "queues", 1);
	uint64_t worker = fcn_args_u64(args, "worker", FCN_AUTO);
	uint64_t mtu = fcn_args_u64(args, "mtu", FCN_DEFAULT_MTU);
	struct fcn_config *cfg = fcn_session_edit(session);
	uint16_t rx, tx;
	int port;

	if (fcn_session_check_name(args, "port") != 0)
		return -EINVAL;
	if (queues < 1 || queues > MAX_QUEUES)
		return fcn_command_error(args, -ERANGE, "queues",
				"a device has 1 to %u receive queues", MAX_QUEUES);
	if (worker != FCN_AUTO && worker >= FCN_MAX_WORKERS)
		return fcn_command_error(args, -ERANGE, "worker", "a worker must be 0 to %u",
				FCN_MAX_WORKERS - 1);
	if (mtu < FCN_MIN_MTU || mtu > FCN_MAX_MTU)
		return fcn_command_error(args, -ERANGE, "mtu", "an MTU must be %u to %u bytes",
				FCN_MIN_MTU, FCN_MAX_MTU);
	if (fcn_session_device(session, args) != 0)
		return -EPERM;
	if (read_descriptors(args, "rx-n", &rx) != 0 || read_descriptors(args, "tx-n", &tx) != 0)
		return -ERANGE;
	if (word_behind(device) != NULL)
		return fcn_command_error(args, -EINVAL, "device",
				"%s must be before device, which takes the rest of the line",
				word_behind(device));
	port = fcn_config_port_add(cfg, name);
	if (port < 0)
		return fcn_session_port_added(args, port);
	if (device != NULL &&
			strlcpy(cfg->port[port].device, device, FCN_DEVICE_LEN) >= FCN_DEVICE_LEN)
		return fcn_command_error(args, -EINVAL, "device",
				"a device name has at most %u characters", FCN_DEVICE_LEN - 1);
	cfg->port[port].queues = queues;
	cfg->port[port].worker = worker;
	cfg->port[port].mtu = mtu;
	cfg->port[port].rx_descriptors = rx;
	cfg->port[port].tx_descriptors = tx;
	return 0;
}

static int
sub_interface_add(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "port"), *of;
	uint64_t vlan = fcn_args_u64(args, "vlan", 0);
	int parent = fcn_setting_port(session->candidate, args, "parent"), port;

	if (parent < 0)
		return parent;
	of = session->candidate->port[parent].name;
	if (fcn_session_check_name(args, "port") != 0)
		return -EINVAL;
	if (vlan < 1 || vlan > 4094)
		return fcn_command_error(args, -ERANGE, "vlan", "a VLAN must be 1 to 4094");
	if (fcn_config_is_bridge_interface(session->candidate, parent))
		return fcn_setting_link_port(session->candidate, args, "parent");
	if (fcn_config_is_sub_interface(session->candidate, parent))
		return fcn_command_error(args, -EINVAL, "parent",
				"%s is a sub-interface itself, and frames have at most one "
				"VLAN tag",
				of);
	port = fcn_config_sub_interface_add(fcn_session_edit(session), name, parent, vlan);
	if (port == -EADDRINUSE)
		return fcn_command_error(args, port, "vlan", "VLAN %" PRIu64 " of %s is %s", vlan,
				of,
				session->candidate
						->port[fcn_config_sub_interface_find(
								session->candidate, parent, vlan)]
						.name);
	return fcn_session_port_added(args, port);
}

static int
port_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_setting_port(session->candidate, args, "port");

	if (port < 0)
		return port;
	if (fcn_config_has_link(session->candidate, port) &&
			fcn_session_needs_full(session, args, "port", "removing a device") != 0)
		return -EACCES;
	return fcn_config_port_remove(fcn_session_edit(session), port);
}

static const struct fcn_command commands[] = {
		{"port add <port:name> [queues <queues:number>] [worker <worker:number>] [mtu "
		 "<mtu:number>] [rx-descriptors <rx-n:number>] [tx-descriptors <tx-n:number>] "
		 "[device <device:text>]",
				"Add a port. device is an Ethernet device of DPDK's EAL, or the "
				"name and arguments of one that the switch creates "
				"(net_tap0,iface=tap0); only the live switch needs it, as replay "
				"binds files to the port's name. queues is the number of receive "
				"queues over which the device spreads flows (default 1). worker is "
				"the worker that owns the port's class queues (default: the worker "
				"with the fewest ports). mtu is the maximum length of an IP packet "
				"in "
				"bytes (default 1500); some devices must be set up for long "
				"packets from the beginning. rx-descriptors is the size of each "
				"receive queue (default 512), and tx-descriptors that of the "
				"transmit queue (default 128: packets in it do not count as "
				"queued, "
				"so a small one keeps congestion visible); the device may round "
				"both",
				FCN_COMMAND_CONFIG, port_add},
		{"port add <port:name> vlan <vlan:number> of <parent:name>",
				"Add a sub-interface to a routed port. It receives and sends the "
				"packets of one VLAN, and has addresses, neighbours, routes and an "
				"MTU of its own (at first that of the port). It shares the MAC "
				"address, link and queues of the port",
				FCN_COMMAND_CONFIG, sub_interface_add, .role = FCN_ROLE_OPERATE},
		{"port remove <port:name>",
				"Remove a port with its sub-interfaces, addresses, neighbours and "
				"routes. That of a device needs the role full",
				FCN_COMMAND_CONFIG, port_remove, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_port_commands = {"Ports", commands, RTE_DIM(commands)};

static void
save_port(const struct fcn_config_port *port, FILE *out)
{
	fprintf(out, "port add %s", port->name);
	if (port->queues != 1)
		fprintf(out, " queues %u", port->queues);
	if (port->worker != FCN_AUTO)
		fprintf(out, " worker %u", port->worker);
	if (port->mtu != FCN_DEFAULT_MTU)
		fprintf(out, " mtu %u", port->mtu);
	if (port->rx_descriptors != 0)
		fprintf(out, " rx-descriptors %u", port->rx_descriptors);
	if (port->tx_descriptors != 0)
		fprintf(out, " tx-descriptors %u", port->tx_descriptors);
	if (port->device[0] != '\0')
		fprintf(out, " device %s", port->device);
	fputc('\n', out);
}

void
fcn_save_ports(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_has_link(cfg, p))
			save_port(&cfg->port[p], out);
	}
	/* Sub-interfaces come after all ports, since one may have a lower number than its port. */
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *sub = &cfg->port[p];

		if (!fcn_config_is_sub_interface(cfg, p))
			continue;
		fprintf(out, "port add %s vlan %u of %s\n", sub->name, sub->vlan,
				cfg->port[sub->parent].name);
	}
}
