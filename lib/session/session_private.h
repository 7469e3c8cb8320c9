/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files with the switch's commands share: access to the candidate configuration,
 * arguments that several commands have, and output.
 */

#ifndef SESSION_PRIVATE_H
#define SESSION_PRIVATE_H

#include <jansson.h>

#include "fcn_exports.h"
#include "fcn_session.h"

/** The candidate, about to be changed. */
struct fcn_config *fcn_session_edit(struct fcn_session *session);

/** Number of the port an argument names; an error is reported. @return -ENOENT when there is none.
 */
int fcn_session_port(struct fcn_session *session, const struct fcn_args *args, const char *key);

/** The same of what a sub-interface has not of its own: a line, queues, a class's source. */
int fcn_session_line_port(
		struct fcn_session *session, const struct fcn_args *args, const char *key);

/**
 * The ports an argument names, sub-interfaces left out: one, or with `all` every one; an error is
 * reported.
 *
 * @param set bit set of their numbers
 * @return 0, -ENOENT, -EINVAL
 */
int fcn_session_ports(struct fcn_session *session, const struct fcn_args *args, const char *key,
		uint64_t *set);

/** Classes of ports that a command is about. */
struct fcn_selection {
	uint64_t ports;
	unsigned int first_class, last_class;
};

/** By the arguments "port" and "class". @return 0, or as fcn_session_ports() */
int fcn_session_select(struct fcn_session *session, const struct fcn_args *args,
		struct fcn_selection *sel);

/** Each selected class c of each selected port p. */
#define FCN_FOREACH_SELECTED(sel, p, c)                                                           \
	for ((p) = 0; (p) < FCN_MAX_PORTS; (p)++)                                                 \
		for ((c) = (sel)->first_class; (sel)->ports >> (p)&1 && (c) <= (sel)->last_class; \
				(c)++)

/** Whether the choice named "state" is "on". */
bool fcn_session_is_on(const struct fcn_args *args);

/** A shaper's "rate" and "burst", or "off"; an error is reported. @return 0, -ERANGE */
int fcn_session_rate(const struct fcn_args *args, uint64_t *bps, uint32_t *burst);

/** The exports of the program. @return NULL when the program has none */
struct fcn_exports *fcn_session_exports(const struct fcn_session *session);

/**
 * Write a value as JSON when the line says `json`, else as text.
 *
 * @param value   the reference is taken; NULL: there was no memory for it
 * @param columns what the text form of a list contains unless the line says `detail`, ended by
 *                NULL; NULL: the whole value
 * @return 0, -ENOMEM
 */
int fcn_session_put(struct fcn_session *session, const struct fcn_args *args, json_t *value,
		const char *const *columns);

/* Groups of commands, and what each writes when the configuration is saved. */
extern const struct fcn_command_group fcn_port_commands;
extern const struct fcn_command_group fcn_bridge_commands;
extern const struct fcn_command_group fcn_bridge_limit_commands;
extern const struct fcn_command_group fcn_bridge_loop_commands;
extern const struct fcn_command_group fcn_bridge_interface_commands;
extern const struct fcn_command_group fcn_route_commands;
extern const struct fcn_command_group fcn_class_commands;
extern const struct fcn_command_group fcn_host_commands;
extern const struct fcn_command_group fcn_police_commands;
extern const struct fcn_command_group fcn_kernel_commands;
extern const struct fcn_command_group fcn_pfc_commands;
extern const struct fcn_command_group fcn_ioam_commands;
extern const struct fcn_command_group fcn_border_commands;
extern const struct fcn_command_group fcn_sender_commands;
extern const struct fcn_command_group fcn_show_commands;
extern const struct fcn_command_group fcn_trace_commands;
extern const struct fcn_command_group fcn_capture_commands;
extern const struct fcn_command_group fcn_system_commands;
extern const struct fcn_command_group fcn_export_commands;
extern const struct fcn_command_group fcn_exit_commands;

void fcn_save_ports(const struct fcn_config *cfg, FILE *out);
/** The bridge of an argument. @return its index; an error is reported */
int fcn_session_bridge(struct fcn_session *session, const struct fcn_args *args);
/** The port of an argument, which is in the bridge of another. @return its number; an error is
 * reported */
int fcn_session_bridge_port(struct fcn_session *session, const struct fcn_args *args);
/** What a port of a bridge may have of it; the bridge and its ports come before. */
void fcn_save_bridge_limits(const struct fcn_config *cfg, FILE *out);
/** What is done about loops in bridges, which come before. */
void fcn_save_bridge_loops(const struct fcn_config *cfg, FILE *out);
/** Interfaces of bridges, which come before. */
void fcn_save_bridge_interfaces(const struct fcn_config *cfg, FILE *out);
/** Whether a port cannot have this name, being a word of the console. */
bool fcn_session_is_word(const char *name);
/** What kept a port, or an interface, from being added: say it. @return err */
int fcn_session_port_add_error(const struct fcn_args *args, int err);
void fcn_save_bridges(const struct fcn_config *cfg, FILE *out);
void fcn_save_routes(const struct fcn_config *cfg, FILE *out);
void fcn_save_classes(const struct fcn_config *cfg, FILE *out);
void fcn_save_host(const struct fcn_config *cfg, FILE *out);
void fcn_save_police(const struct fcn_config *cfg, FILE *out);
void fcn_save_kernel(const struct fcn_config *cfg, FILE *out);
void fcn_save_pfc(const struct fcn_config *cfg, FILE *out);
void fcn_save_ioam(const struct fcn_config *cfg, FILE *out);
void fcn_save_border(const struct fcn_config *cfg, FILE *out);
void fcn_save_senders(const struct fcn_config *cfg, FILE *out);

#endif /* SESSION_PRIVATE_H */
