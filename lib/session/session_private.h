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
#include "fcn_setting.h"

/** Get the candidate for a command that changes it. It is committed if the command succeeds. */
struct fcn_config *fcn_session_edit(struct fcn_session *session);

/** Make a candidate: a copy of the running configuration, or an empty one. Calls nest: the command
 * `load` runs within a line. @return 0; -ENOMEM */
int fcn_session_begin(struct fcn_session *session, bool afresh);

/** Commit the candidate if it was changed and nothing has failed, and free it otherwise. @param rc
 * what came before @return as fcn_session_load() */
int fcn_session_end(struct fcn_session *session, int rc, char *err, size_t err_size);

/**
 * Tell a person about the warnings that a command has raised.
 *
 * @param before fcn_control_warnings_total() before the command
 */
void fcn_session_print_warnings(const struct fcn_session *session, uint64_t before, FILE *out);

/** Report as an event that the user of the session has done something. */
void fcn_session_note(
		const struct fcn_session *session, enum fcn_event_type type, const char *text);

/** Save a configuration to memory. @param text set, to be freed @return 0; -ENOMEM */
int fcn_session_saved(const struct fcn_config *cfg, char **text);

/**
 * Find out what a file would make of the running configuration, and change nothing.
 *
 * @param replace  start from an empty configuration
 * @param warnings NULL: only read the text; else also check that it would be accepted, and get the
 *                 warnings that it would raise
 * @param saved    result: the configuration as `save` would write it, to be freed
 * @return 0 or a negative errno, and then *saved is NULL and err_out has what is wrong
 */
int fcn_session_try(struct fcn_session *session, const struct fcn_session_text *text, bool replace,
		struct fcn_warnings *warnings, char **saved, FILE *err_out);

/** Check that reading a file does not wait for somebody to write there. @return 0; -EINVAL after
 * the error was reported */
int fcn_session_regular(struct fcn_session *session, const struct fcn_args *args, const char *file);

/** Read the configuration with the number that the argument "n" has. @param text set, to be freed
 * @return 0 or a negative errno after the error was reported */
int fcn_session_rollback_text(
		struct fcn_session *session, const struct fcn_args *args, char **text);

/** Write in which lines two texts differ, as text or JSON. @return 0; -ENOMEM */
int fcn_session_put_diff(struct fcn_session *session, const struct fcn_args *args,
		const char *from_name, const char *from, const char *to_name, const char *to);

/**
 * Run a line, whose words may be abbreviated, and the filters behind it.
 *
 * @return 0 or a negative errno; diag->message may be empty if memory was exhausted
 */
int fcn_session_run(struct fcn_session *session, const char *line, struct fcn_diag *diag);

/** Decide whether the role of a session includes a command, and note what the session does. @return
 * 0; -EACCES */
int fcn_session_gate(struct fcn_session *session, const struct fcn_command *command,
		struct fcn_diag *diag);

/**
 * Check that the role of a session is `full`, for a command of another role that needs it in some
 * cases.
 *
 * @param what the beginning of the error, such as "removing a device"
 * @return 0; -EACCES after the error was reported
 */
int fcn_session_needs_full(struct fcn_session *session, const struct fcn_args *args,
		const char *key, const char *what);

/** Show the names of objects, one in a line. */
int fcn_session_show_names(struct fcn_session *session, const struct fcn_args *args);

/** Get what each option of the commands is about. @param n result: their number */
const struct fcn_command_option *fcn_session_options(size_t *n);

/** Tell whether the argument "state" is "on". */
bool fcn_session_is_on(const struct fcn_args *args);

/** Get the exports of the program. @return NULL when the program has none */
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

/**
 * Get the path of the argument "file". For a session that is restricted to directories, it is the
 * resolved name of a file in the directory.
 *
 * @param path is set to a string that the caller frees
 * @return 0; -EPERM: the file is not in the directory; -ENOMEM. Errors were reported
 */
int fcn_session_path(struct fcn_session *session, const struct fcn_args *args,
		enum fcn_session_directory which, char **path);

/** The same for another name than that of the argument. */
int fcn_session_path_of(struct fcn_session *session, const struct fcn_args *args, const char *name,
		enum fcn_session_directory which, char **path);

/** Check the argument "device", if there is one. @return 0; -EPERM, after the error was reported,
 * if the session is restricted and the device has arguments */
int fcn_session_device(struct fcn_session *session, const struct fcn_args *args);

/* Groups of commands. */
extern const struct fcn_command_group fcn_port_commands;
extern const struct fcn_command_group fcn_bridge_commands;
extern const struct fcn_command_group fcn_bridge_loop_commands;
extern const struct fcn_command_group fcn_bridge_interface_commands;
extern const struct fcn_command_group fcn_table_commands;
extern const struct fcn_command_group fcn_class_commands;
extern const struct fcn_command_group fcn_host_commands;
extern const struct fcn_command_group fcn_ioam_commands;
extern const struct fcn_command_group fcn_border_commands;
extern const struct fcn_command_group fcn_proxy_learned_commands;
extern const struct fcn_command_group fcn_endcon_learned_commands;
extern const struct fcn_command_group fcn_reported_commands;
extern const struct fcn_command_group fcn_show_commands;
extern const struct fcn_command_group fcn_config_commands;
extern const struct fcn_command_group fcn_explain_commands;
extern const struct fcn_command_group fcn_trace_commands;
extern const struct fcn_command_group fcn_capture_commands;
extern const struct fcn_command_group fcn_system_commands;
extern const struct fcn_command_group fcn_load_commands;
extern const struct fcn_command_group fcn_diff_commands;
extern const struct fcn_command_group fcn_event_commands;
extern const struct fcn_command_group fcn_export_commands;
extern const struct fcn_command_group fcn_exit_commands;

/** Write a configuration as commands. @param all also settings with their default that are always
 * saved */
void fcn_session_save_lines(const struct fcn_config *cfg, bool all, FILE *out);

/* fcn_save_<what>() write the commands that add these objects again to a configuration. */
void fcn_save_ports(const struct fcn_config *cfg, FILE *out);
/** Write the interfaces of bridges, after the bridges. */
void fcn_save_bridge_interfaces(const struct fcn_config *cfg, FILE *out);
/** Check the name of something that is to be added: it must be no word of the console. @return 0;
 * -EINVAL after the error was reported */
int fcn_session_check_name(const struct fcn_args *args, const char *key);
/**
 * Report why something with a name was not added.
 *
 * @param key  the argument with the name, which says what it is
 * @param all  the name of all of them
 * @param most how many there can be
 * @param rc   a number that it got, or a negative errno
 * @return 0, or the errno
 */
int fcn_session_added(const struct fcn_args *args, const char *key, const char *all,
		unsigned int most, int rc);
/** The same for a port or an interface. */
int fcn_session_port_added(const struct fcn_args *args, int rc);
void fcn_save_bridges(const struct fcn_config *cfg, FILE *out);
void fcn_save_tables(const struct fcn_config *cfg, FILE *out);
/** Find the table that the argument "table" names; the main one if it is not given. @return its
 * number, or a negative errno after the error was reported */
int fcn_session_table(struct fcn_session *session, const struct fcn_args *args);
void fcn_save_classes(const struct fcn_config *cfg, FILE *out);
void fcn_save_border(const struct fcn_config *cfg, FILE *out);
void fcn_save_exports(const struct fcn_config *cfg, FILE *out);

#endif /* SESSION_PRIVATE_H */
