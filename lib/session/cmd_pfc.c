/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_render.h"
#include "session_private.h"

#define MAX_BYTES 1000000000
#define MAX_ALPHA (128 * FCN_RATIO_ONE)
#define MAX_DELAY_NS 1000000000ull
#define MIN_STORM_NS 1000ull
#define MAX_STORM_NS 100000000000ull

static struct fcn_config_pfc *
pfc_of(struct fcn_session *session, unsigned int port)
{
	return &fcn_session_edit(session)->port[port].pfc;
}

static int
set_direction(struct fcn_session *session, const struct fcn_args *args)
{
	bool send = fcn_args_has(args, "send"), on = fcn_session_is_on(args);
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc != 0)
		return rc;
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_pfc_class *class = &pfc_of(session, p)->class[c];

		*(send ? &class->send : &class->receive) = on;
	}
	return 0;
}

static int
get_size(const struct fcn_args *args, const char *key, uint64_t least, uint64_t *value)
{
	*value = fcn_args_u64(args, key, FCN_AUTO);
	if (fcn_args_has(args, key) && *value != FCN_AUTO && (*value < least || *value > MAX_BYTES))
		return fcn_command_error(args, -ERANGE, key,
				least > 0 ? "a threshold is 1 byte to 1G" : "at most 1G");
	return 0;
}

static int
set_xoff(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t xoff, xon;
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc == 0)
		rc = get_size(args, "xoff", 1, &xoff);
	if (rc == 0)
		rc = get_size(args, "xon", 0, &xon);
	if (rc != 0)
		return rc;
	if (xoff != FCN_AUTO && xon != FCN_AUTO && xon > xoff)
		return fcn_command_error(args, -EINVAL, "xon",
				"a sender goes on at or below the threshold where it pauses");
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_pfc_class *class = &pfc_of(session, p)->class[c];

		class->dynamic = false;
		class->xoff = xoff;
		class->xon = xon;
	}
	return 0;
}

static int
set_dynamic(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_port def;
	uint64_t alpha, below;
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc == 0)
		rc = get_size(args, "below", 0, &below);
	if (rc != 0)
		return rc;
	fcn_config_port_default(&def);
	alpha = fcn_args_u64(args, "alpha", def.pfc.class[0].alpha);
	if (alpha == 0 || alpha > MAX_ALPHA)
		return fcn_command_error(args, -ERANGE, "alpha", "alpha is above 0, at most 128");
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_pfc_class *class = &pfc_of(session, p)->class[c];

		class->dynamic = true;
		class->alpha = alpha;
		class->xon_below = below != FCN_AUTO ? below : def.pfc.class[0].xon_below;
	}
	return 0;
}

static int
set_room(struct fcn_session *session, const struct fcn_args *args)
{
	bool reserve = fcn_args_has(args, "reserve");
	uint64_t bytes;
	struct fcn_selection sel;
	unsigned int p, c;
	int rc = fcn_session_select(session, args, &sel);

	if (rc == 0)
		rc = get_size(args, "bytes", 0, &bytes);
	if (rc != 0)
		return rc;
	FCN_FOREACH_SELECTED(&sel, p, c)
	{
		struct fcn_config_pfc_class *class = &pfc_of(session, p)->class[c];

		*(reserve ? &class->reserve : &class->headroom) = bytes;
	}
	return 0;
}

/* Settings of whole ports: each is one of these. */
static int
set_port(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t ports, quanta = fcn_args_u64(args, "quanta", 1);
	uint64_t ns = fcn_args_u64(args, "time", FCN_AUTO64);
	int rc = fcn_session_ports(session, args, "port", &ports);

	if (rc != 0)
		return rc;
	if (quanta < 1 || quanta > UINT16_MAX)
		return fcn_command_error(
				args, -ERANGE, "quanta", "a pause is 1 to %u quanta", UINT16_MAX);
	if (fcn_args_has(args, "time") && ns > MAX_DELAY_NS)
		return fcn_command_error(args, -ERANGE, "time", "at most 1s");
	for (; ports != 0; ports &= ports - 1) {
		struct fcn_config_pfc *pfc = pfc_of(session, __builtin_ctzll(ports));

		if (fcn_args_has(args, "quanta"))
			pfc->quanta = quanta;
		else if (fcn_args_has(args, "delay"))
			pfc->delay_ns = ns;
		else if (fcn_args_has(args, "react"))
			pfc->react_ns = ns;
		else if (fcn_args_has(args, "link-pause"))
			pfc->link_pause = fcn_session_is_on(args);
		else
			pfc->hardware = fcn_session_is_on(args);
	}
	return 0;
}

static int
get_storm_time(const struct fcn_args *args, const char *key, uint64_t *ns)
{
	*ns = fcn_args_u64(args, key, *ns);
	if (*ns < MIN_STORM_NS || *ns > MAX_STORM_NS)
		return fcn_command_error(args, -ERANGE, key, "a watchdog's time is 1us to 100s");
	return 0;
}

static int
set_watchdog(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_config_port def;
	uint64_t ports, detect, restore;
	const char *action = fcn_args_str(args, "action");
	enum fcn_storm_action a = FCN_STORM_OFF;
	int rc = fcn_session_ports(session, args, "port", &ports);

	fcn_config_port_default(&def);
	detect = def.pfc.detect_ns;
	restore = def.pfc.restore_ns;
	if (rc == 0)
		rc = get_storm_time(args, "detect", &detect);
	if (rc == 0)
		rc = get_storm_time(args, "restore", &restore);
	if (rc != 0)
		return rc;
	while (action != NULL && strcmp(fcn_storm_action_name(a), action) != 0)
		a++;
	for (; ports != 0; ports &= ports - 1) {
		struct fcn_config_pfc *pfc = pfc_of(session, __builtin_ctzll(ports));

		pfc->action = a;
		pfc->detect_ns = detect;
		pfc->restore_ns = restore;
	}
	return 0;
}

#define PORT "set pfc <port:name> "
#define CLASS "set pfc <port:name> class <class:class> "

static const struct fcn_command commands[] = {
		{CLASS "send <state:on|off>",
				"Ask the sender behind the port to pause before packets of the "
				"class are lost: it is lossless (default off)",
				FCN_COMMAND_CONFIG, set_direction},
		{CLASS "receive <state:on|off>",
				"Pause the class when the other end asks for it (default off)",
				FCN_COMMAND_CONFIG, set_direction},
		{CLASS "xoff <xoff:size> [xon <xon:size>]",
				"Bytes from which on the sender is to pause, and at which it may "
				"go on (default 100 KB at 25G; 3 KB less, at least half)",
				FCN_COMMAND_CONFIG, set_xoff},
		{CLASS "xoff auto", "The default thresholds", FCN_COMMAND_CONFIG, set_xoff},
		{CLASS "xoff dynamic [<alpha:ratio>] [below <below:size>]",
				"Pause above this part of what the shared buffer has free (default "
				"1/8), go on so far below it (default 3 KB)",
				FCN_COMMAND_CONFIG, set_dynamic},
		{CLASS "reserve <bytes:size>",
				"Bytes of the shared buffer that are always the class's (default "
				"0)",
				FCN_COMMAND_CONFIG, set_room},
		{CLASS "headroom <bytes:size>", "Room for what arrives until the sender pauses",
				FCN_COMMAND_CONFIG, set_room},
		{CLASS "headroom auto",
				"As much as loses nothing, by speed, delay, reaction and MTU "
				"(default)",
				FCN_COMMAND_CONFIG, set_room},
		{PORT "quanta <quanta:number>",
				"Pause time to ask for, in 512 bit times (default 65535)",
				FCN_COMMAND_CONFIG, set_port},
		{PORT "delay <time:time>", "Delay of the line, one way (default 500ns)",
				FCN_COMMAND_CONFIG, set_port},
		{PORT "react <time:time>", "Time the other end takes to pause", FCN_COMMAND_CONFIG,
				set_port},
		{PORT "react auto", "60 quanta of the link (default)", FCN_COMMAND_CONFIG,
				set_port},
		{PORT "link-pause <state:on|off>",
				"Pause the port when an 802.3x PAUSE asks for it (default off)",
				FCN_COMMAND_CONFIG, set_port},
		{PORT "watchdog <action:drop|forward> [detect <detect:time>] [restore "
		      "<restore:time>]",
				"Disbelieve pauses of a class that has been stopped for detect "
				"(default 200ms), until none came for restore (default 200ms): "
				"drop its packets, or send them",
				FCN_COMMAND_CONFIG, set_watchdog},
		{PORT "watchdog off", "Believe every pause (default)", FCN_COMMAND_CONFIG,
				set_watchdog},
		{PORT "hardware <state:on|off>",
				"Have the device pause and ask for pauses, too (default off)",
				FCN_COMMAND_CONFIG, set_port},
};

const struct fcn_command_group fcn_pfc_commands = {"Flow control", commands, RTE_DIM(commands)};

static void
save_class(const struct fcn_config_pfc_class *c, const struct fcn_config_pfc_class *def,
		const char *port, unsigned int class, FILE *out)
{
	char head[64], text[32];

	snprintf(head, sizeof(head), "set pfc %s class %u", port, class);
	if (c->dynamic) {
		fprintf(out, "%s xoff dynamic %s below %u\n", head,
				fcn_format_ratio(c->alpha, text, sizeof(text)), c->xon_below);
	} else if (c->xoff != FCN_AUTO) {
		fprintf(out, "%s xoff %u", head, c->xoff);
		if (c->xon != FCN_AUTO)
			fprintf(out, " xon %u", c->xon);
		fputc('\n', out);
	}
	if (c->reserve != def->reserve)
		fprintf(out, "%s reserve %u\n", head, c->reserve);
	if (c->headroom != FCN_AUTO)
		fprintf(out, "%s headroom %u\n", head, c->headroom);
	if (c->send)
		fprintf(out, "%s send on\n", head);
	if (c->receive)
		fprintf(out, "%s receive on\n", head);
}

static void
save_port(const struct fcn_config_pfc *pfc, const struct fcn_config_pfc *def, const char *port,
		FILE *out)
{
	char text[32];

	if (pfc->quanta != def->quanta)
		fprintf(out, "set pfc %s quanta %u\n", port, pfc->quanta);
	if (pfc->delay_ns != def->delay_ns)
		fprintf(out, "set pfc %s delay %s\n", port,
				fcn_format_time(pfc->delay_ns, text, sizeof(text)));
	if (pfc->react_ns != FCN_AUTO64)
		fprintf(out, "set pfc %s react %s\n", port,
				fcn_format_time(pfc->react_ns, text, sizeof(text)));
	if (pfc->link_pause)
		fprintf(out, "set pfc %s link-pause on\n", port);
	if (pfc->action != FCN_STORM_OFF) {
		fprintf(out, "set pfc %s watchdog %s", port, fcn_storm_action_name(pfc->action));
		fprintf(out, " detect %s", fcn_format_time(pfc->detect_ns, text, sizeof(text)));
		fprintf(out, " restore %s\n", fcn_format_time(pfc->restore_ns, text, sizeof(text)));
	}
	if (pfc->hardware)
		fprintf(out, "set pfc %s hardware on\n", port);
}

void
fcn_save_pfc(const struct fcn_config *cfg, FILE *out)
{
	struct fcn_config_port def;

	fcn_config_port_default(&def);
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (!fcn_config_is_line(cfg, p))
			continue;
		save_port(&port->pfc, &def.pfc, port->name, out);
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			save_class(&port->pfc.class[c], &def.pfc.class[c], port -> name, c, out);
	}
}
