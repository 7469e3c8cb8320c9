/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Control-plane policing: the rates at which packets of each port go to the host functions. */

#include <errno.h>
#include <string.h>

#include "session_private.h"

#define MAX_RATE 1000000

#define ALL_PORTS "all"
#define ALL_KINDS "all"
#define WORD(sym, name, rate, burst, backlog, text) name "|"
#define KINDS "<kind:" FCN_PUNT_KINDS(WORD) ALL_KINDS ">"

static bool
is_chosen(const struct fcn_args *args, enum fcn_punt_kind kind)
{
	const char *word = fcn_args_str(args, "kind");

	return strcmp(word, ALL_KINDS) == 0 || strcmp(word, fcn_punt_kind_name(kind)) == 0;
}

/* Read the arguments "rate" and "burst". @return 0, or a negative errno after the error was
 * reported */
static int
read_rate(const struct fcn_args *args, struct fcn_punt_rate *rate)
{
	uint64_t per_second = fcn_args_u64(args, "rate", 0), burst = fcn_args_u64(args, "burst", 1);

	if (per_second > MAX_RATE)
		return fcn_command_error(
				args, -ERANGE, "rate", "a rate is at most 1M packets a second");
	if (burst < 1 || burst > MAX_RATE)
		return fcn_command_error(args, -ERANGE, "burst", "a burst is 1 to 1M packets");
	*rate = (struct fcn_punt_rate){.per_second = per_second, .burst = burst};
	return 0;
}

static int
set_all_ports(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_punt_rate rate;
	int rc = read_rate(args, &rate);

	if (rc != 0)
		return rc;
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (is_chosen(args, k))
			fcn_session_edit(session)->host.police[k] = rate;
	}
	return 0;
}

static int
set_all_ports_default(struct fcn_session *session, const struct fcn_args *args)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		if (is_chosen(args, k))
			fcn_session_edit(session)->host.police[k] = fcn_punt_default(k);
	}
	return 0;
}

/* Find the ports that the argument "port" names: one, or with `all` every port and sub-interface.
 * @return 0, or a negative errno after the error was reported */
static int
read_ports(struct fcn_session *session, const struct fcn_args *args, uint64_t *set)
{
	const struct fcn_config *cfg = session->candidate;
	int port;

	*set = 0;
	if (strcmp(fcn_args_str(args, "port"), ALL_PORTS) == 0) {
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			if (fcn_config_has_link(cfg, p) || fcn_config_is_sub_interface(cfg, p))
				*set |= UINT64_C(1) << p;
		}
		return *set != 0 ? 0 : fcn_command_error(args, -ENOENT, "port", "there is no port");
	}
	port = fcn_session_port(session, args, "port");
	if (port < 0)
		return port;
	if (fcn_config_is_bridge_interface(cfg, port))
		return fcn_command_error(args, -EINVAL, "port",
				"what reaches an interface of a bridge is policed at the port it "
				"came in by");
	*set = UINT64_C(1) << port;
	return 0;
}

static int
set_ports(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_police police = {.set = fcn_args_has(args, "rate")};
	uint64_t ports;
	int rc = read_ports(session, args, &ports);

	if (rc == 0 && police.set)
		rc = read_rate(args, &police.rate);
	if (rc != 0)
		return rc;
	for (; ports != 0; ports &= ports - 1) {
		const unsigned int p = (unsigned int)__builtin_ctzll(ports);

		for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
			if (is_chosen(args, k))
				fcn_session_edit(session)->port[p].police[k] = police;
		}
	}
	return 0;
}

static const struct fcn_command commands[] = {
		{"set host police " KINDS " <rate:count> burst <burst:count>",
				"Maximum number of packets of a kind per second, and maximum "
				"number at once, that each port may pass to the host "
				"functions. The rate 0 allows none. A port may have a rate of "
				"its own",
				FCN_COMMAND_CONFIG, set_all_ports},
		{"set host police " KINDS " default",
				"Reset the rate and burst of this kind to the default",
				FCN_COMMAND_CONFIG, set_all_ports_default},
		{"set port <port:name> police " KINDS " <rate:count> burst <burst:count>",
				"Maximum number of packets of a kind per second, and maximum "
				"number at once, that this port (all: each port and "
				"sub-interface) may pass to the host functions. This replaces "
				"the rate of set host police for the port",
				FCN_COMMAND_CONFIG, set_ports},
		{"set port <port:name> police " KINDS " default",
				"This port (all: each port and sub-interface) has no rate of "
				"its own (default)",
				FCN_COMMAND_CONFIG, set_ports},
};

const struct fcn_command_group fcn_police_commands = {
		"Control-plane policing", commands, RTE_DIM(commands)};

static void
save_rate(const char *prefix, const char *name, enum fcn_punt_kind kind,
		const struct fcn_punt_rate *rate, FILE *out)
{
	fprintf(out, "set %s%s police %s %u burst %u\n", prefix, name, fcn_punt_kind_name(kind),
			rate->per_second, rate->burst);
}

void
fcn_save_police(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int k = 0; k < FCN_PUNT_KIND_COUNT; k++) {
		const struct fcn_punt_rate *rate = &cfg->host.police[k], def = fcn_punt_default(k);

		if (rate->per_second != def.per_second || rate->burst != def.burst)
			save_rate("host", "", k, rate, out);
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		for (unsigned int k = 0; cfg->port[p].name[0] != '\0' && k < FCN_PUNT_KIND_COUNT;
				k++) {
			if (cfg->port[p].police[k].set)
				save_rate("port ", cfg->port[p].name, k,
						&cfg->port[p].police[k].rate, out);
		}
	}
}
