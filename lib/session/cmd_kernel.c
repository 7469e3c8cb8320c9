/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <bsd/string.h>

#include "session_private.h"

#define LOCAL_TABLE 255 /* the kernel's own addresses */

/* As the kernel has it: no name of a directory, nothing that a shell or a path would trip over. */
static bool
is_interface_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len < FCN_KERNEL_NAME_LEN && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && strchr(name, '/') == NULL && strchr(name, ':') == NULL;
}

/* Another source of routes; the namespace stays. */
static struct fcn_config_kernel *
edit_mode(struct fcn_session *session, enum fcn_kernel_mode mode)
{
	struct fcn_config_kernel *k = &fcn_session_edit(session)->kernel;

	k->mode = mode;
	k->table = 0;
	memset(k->vrf, 0, sizeof(k->vrf));
	return k;
}

static int
bad_name(const struct fcn_args *args, const char *key)
{
	return fcn_command_error(args, -EINVAL, key,
			"a name of an interface has 1 to %u characters, none of them / or :",
			FCN_KERNEL_NAME_LEN - 1);
}

static int
set_table(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t table = fcn_args_u64(args, "table", FCN_KERNEL_TABLE_MAIN);

	if (table == 0 || table > UINT32_MAX || table == LOCAL_TABLE)
		return fcn_command_error(args, -ERANGE, "table",
				"a table is 1 to 4294967295, and not 255 (local)");
	edit_mode(session, FCN_KERNEL_TABLE)->table = table;
	return 0;
}

static int
set_vrf(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "vrf");
	struct fcn_config_kernel *k;

	if (!is_interface_name(name))
		return bad_name(args, "vrf");
	k = edit_mode(session, FCN_KERNEL_VRF);
	strlcpy(k->vrf, name, sizeof(k->vrf));
	return 0;
}

static int
set_off(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	edit_mode(session, FCN_KERNEL_OFF);
	return 0;
}

static int
set_namespace(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "namespace");
	struct fcn_config_kernel *k;

	if (name != NULL && (strlen(name) >= sizeof(k->netns) || strchr(name, '/') != NULL ||
					    strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
		return fcn_command_error(args, -EINVAL, "namespace",
				"a name of a namespace has 1 to %u characters, none of them /",
				FCN_NAME_LEN - 1);
	k = &fcn_session_edit(session)->kernel;
	strlcpy(k->netns, name != NULL ? name : "", sizeof(k->netns));
	return 0;
}

static int
set_port(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "interface");
	int port = fcn_session_port(session, args, "port");
	struct fcn_config_port *p;

	if (port < 0)
		return port;
	if (name != NULL && !is_interface_name(name))
		return bad_name(args, "interface");
	p = &fcn_session_edit(session)->port[port];
	strlcpy(p->kernel, name != NULL ? name : "", sizeof(p->kernel));
	return 0;
}

static const struct fcn_command commands[] = {
		{"set kernel table <table:number>",
				"Take routes of this table of the Linux kernel, through interfaces "
				"that stand for ports; a route configured to the same prefix wins",
				FCN_COMMAND_CONFIG, set_table},
		{"set kernel table main", "Take those of its main table (254)", FCN_COMMAND_CONFIG,
				set_table},
		{"set kernel vrf <vrf:name>",
				"Take those of a VRF, which the interfaces of ports are put into",
				FCN_COMMAND_CONFIG, set_vrf},
		{"set kernel off", "Take none (default)", FCN_COMMAND_CONFIG, set_off},
		{"set kernel namespace <namespace:name>",
				"The interfaces and routes are of this network namespace "
				"(ip-netns), and not of that which the program is in",
				FCN_COMMAND_CONFIG, set_namespace},
		{"set kernel namespace none", "They are of the program's own (default)",
				FCN_COMMAND_CONFIG, set_namespace},
		{"set port <port:name> kernel <interface:name>",
				"Have an interface of the kernel stand for a routed port, with its "
				"addresses: what the host functions do not answer goes there, and "
				"what the kernel sends there leaves by the port",
				FCN_COMMAND_CONFIG, set_port},
		{"set port <port:name> kernel off", "Have none (default)", FCN_COMMAND_CONFIG,
				set_port},
};

const struct fcn_command_group fcn_kernel_commands = {
		"The Linux kernel", commands, RTE_DIM(commands)};

void
fcn_save_kernel(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_kernel *k = &cfg->kernel;

	if (k->netns[0] != '\0')
		fprintf(out, "set kernel namespace %s\n", k->netns);
	if (k->mode == FCN_KERNEL_TABLE && k->table == FCN_KERNEL_TABLE_MAIN)
		fputs("set kernel table main\n", out);
	else if (k->mode == FCN_KERNEL_TABLE)
		fprintf(out, "set kernel table %u\n", k->table);
	else if (k->mode == FCN_KERNEL_VRF)
		fprintf(out, "set kernel vrf %s\n", k->vrf);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (cfg->port[p].name[0] != '\0' && cfg->port[p].kernel[0] != '\0')
			fprintf(out, "set port %s kernel %s\n", cfg->port[p].name,
					cfg->port[p].kernel);
	}
}
