/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The options of the command line for the sockets of remote consoles: where they are, who may open
 * them, and which role a session has.
 */

#ifndef REMOTE_OPTIONS_H
#define REMOTE_OPTIONS_H

#include "fcn_remote.h"
#include "fcn_remote_frame.h"

#define REMOTE_GROUP_ROLES 16 /**< maximum number of --group-role */

/** Options as they were given; NULL: not given. */
struct fcn_remote_options {
	const char *name;                       /**< name of the switch */
	const char *socket[FCN_REMOTE_SOCKETS]; /**< PATH[,role=ROLE][,group=GROUP][,mode=MODE] */
	const char *group_role[REMOTE_GROUP_ROLES]; /**< GROUP=ROLE */
	unsigned int n_sockets, n_group_roles;
	const char *mode;  /**< permissions of sockets without `mode` */
	const char *group; /**< group of sockets without `group` */
	const char *idle;  /**< seconds after which a session that asks nothing ends */
	const char *config_dir, *output_dir;
	const char *config; /**< the configuration file */
	bool off;
};

/** A socket that is to be opened. */
struct fcn_remote_place {
	char path[FCN_REMOTE_PATH_SIZE];
	mode_t mode;
	gid_t group; /**< (gid_t)-1: none */
	enum fcn_role role;
};

/** The role of the members of a group. */
struct fcn_remote_group_role {
	gid_t group;
	enum fcn_role role;
};

/** What the options mean. */
struct fcn_remote_places {
	struct fcn_remote_place place[FCN_REMOTE_SOCKETS];
	struct fcn_remote_group_role group[REMOTE_GROUP_ROLES];
	unsigned int n_places, n_groups;
	uint64_t idle_ms; /**< 0: never */
};

/** Add an option that can be given several times. @return 0, or -1 after a message on stderr */
int fcn_remote_options_socket(struct fcn_remote_options *options, const char *arg);
int fcn_remote_options_group_role(struct fcn_remote_options *options, const char *arg);

/**
 * Read the options. A socket of the role `full` takes the place of the default one, whose directory
 * is created; others are beside it.
 *
 * @return 0, or -1 after a message on stderr
 */
int fcn_remote_options_read(
		const struct fcn_remote_options *options, struct fcn_remote_places *places);

#endif /* REMOTE_OPTIONS_H */
