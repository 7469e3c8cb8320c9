/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Words for enumerations. */

#include "fcn_config_names.h"

const char *
fcn_host_mode_name(enum fcn_host_mode mode)
{
	static const char *const names[] = {
			[FCN_HOST_AUTO] = "auto",
			[FCN_HOST_ON] = "on",
			[FCN_HOST_OFF] = "off",
	};

	return names[mode];
}

const char *
fcn_trust_name(enum fcn_port_trust trust)
{
	static const char *const names[] = {"dscp", "pcp", "none"};

	return names[trust];
}

const char *
fcn_capability_name(enum fcn_sender_capability c)
{
	static const char *const names[] = {"unknown", "capable", "none"};

	return names[c];
}

const char *
fcn_icrc_mode_name(enum fcn_icrc_mode m)
{
	static const char *const names[] = {"skip", "cover", "norm"};

	return names[m];
}

const char *
fcn_loop_action_name(enum fcn_loop_action a)
{
	static const char *const names[] = {"log", "disable"};

	return names[a];
}

const char *
fcn_storm_action_name(enum fcn_storm_action a)
{
	static const char *const names[] = {"off", "drop", "forward"};

	return names[a];
}

const char *
fcn_ioam_data_name(enum fcn_ioam_data d)
{
	static const char *const names[] = {"none", "value", "link-speed", "tx-bytes"};

	return names[d];
}

const char *
fcn_ioam_edge_name(enum fcn_ioam_edge e)
{
	static const char *const names[] = {"off", "strip", "drop"};

	return names[e];
}

const char *
fcn_ioam_time_name(enum fcn_ioam_time_format f)
{
	static const char *const names[] = {"posix", "posix-ns", "ptp", "ntp"};

	return names[f];
}

const char *
fcn_class_trust_name(enum fcn_class_trust t)
{
	static const char *const names[] = {"auto", "on", "off"};

	return names[t];
}

const char *
fcn_remark_name(enum fcn_remark r)
{
	static const char *const names[] = {"off", "moved", "all"};

	return names[r];
}

const char *
fcn_border_cnp_name(unsigned int cnp)
{
	static const char *const names[] = {"drop", "pass"};

	return names[cnp];
}
