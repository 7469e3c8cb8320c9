/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Lists: the things of a configuration that are added and removed, such as neighbours and routes.
 * Each kind of thing is declared once. From the declaration come the commands that add and remove
 * one, with their help, the help of each word that may be left out, completion, errors that name
 * the wrong word, the lines when the configuration is saved, the members in `show`, the entries in
 * the console reference, and what happens to a thing when what it refers to is removed.
 *
 * A thing is a structure, and its members are written as values of settings are (fcn_setting.h).
 * The things of a kind are in a FCN_CONFIG_LIST of struct fcn_config, in the order in which they
 * were added unless the declaration says otherwise. Lists of a concern are a group: one table, in
 * the folder of the concern, named in FCN_LIST_GROUPS.
 *
 * Not thread safe: all functions are for the control thread.
 */

#ifndef FCN_LIST_H
#define FCN_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "fcn_command.h"
#include "fcn_config.h"
#include "fcn_setting.h"

#define FCN_LIST_MEMBERS 16 /**< maximum number of members of a thing that commands write */
#define FCN_LIST_THING 1024 /**< maximum size of a thing in bytes */
#define FCN_LIST_SLOTS 4096 /**< maximum number of things that have slots */

/** A member of a thing. */
struct fcn_list_member {
	/** how it is written, stored and shown. What may be left out (`optional`) gets its default
	 */
	struct fcn_setting_value value;
	/** a phrase about it, if it may be left out; NULL: the option help of the session has one
	 */
	const char *help;
	uint32_t forms; /**< bit set of the forms that have it; 0: all */
	bool key; /**< no two things have the same keys, and the command that removes one names them
		   */
	bool any; /**< a key that may be left out when things are removed: any value will do */
	bool joined; /**< it is left out or given together with the member before it */
	/** PREFIX, ADDR: why it has to be IPv6; NULL: it may be IPv4, too */
	const char *only_ipv6;
	/** ADDR: why it has to be a global unicast address; NULL: that of any host will do */
	const char *only_global;
};

/** One of several ways to add a thing of a list, which differ in their members. */
struct fcn_list_form {
	const char *word; /**< word behind the first member that stands for this form; NULL: none */
	const char *help; /**< a sentence without its full stop */
	/** A member that the command itself sets, by which things of this form are recognised. size
	 * 0: the first of the members that only some forms have is set in things of this form. */
	struct {
		size_t offset, size;
		uint64_t value;
	} selects;
};

/** Why a thing cannot be added or removed. */
struct fcn_list_error {
	const char *key; /**< argument that is wrong; NULL: none in particular */
	char text[384];  /**< one line without full stop; "": that of the errno says it */
};

/** Things of one kind. */
struct fcn_list {
	const char *words; /**< in front of `add` and `remove`: "arn neighbour" */
	/** the thing in errors: "prefix". A list whose only key is a name or a number says which:
	 * "there is no namespace 8" */
	const char *one;
	const char *many;     /**< the same in the plural; NULL: there can be any number of them */
	unsigned int most;    /**< how many there can be; 0: any number */
	size_t offset;        /**< of the FCN_CONFIG_LIST in struct fcn_config */
	size_t size;          /**< of a thing in bytes */
	const char *add_help; /**< of the command that adds; NULL: the forms have it */
	const struct fcn_list_form *forms; /**< NULL: there is one, without a word */
	unsigned int n_forms;
	const char *remove_help;
	const struct fcn_list_member *members; /**< in the order of the command that adds one */
	unsigned int n_members;
	bool replaces; /**< adding one that is there sets its other members, else it is an error */
	bool repeats;  /**< one can be there several times; removing it removes all of them */
	/** offset of an uint16_t: a number that no other thing has, below `most`; 0: there is none
	 */
	size_t slot;
	/** offset of an uint64_t: a number that no other thing had before; 0: there is none */
	size_t serial;
	/** the type of references to its things, by their slots; what refers to a thing is removed
	 * with it. FCN_SETTING_NONE: nothing refers to them */
	enum fcn_setting_type referred;
	const struct fcn_setting_scope *scope; /**< settings of a thing; NULL: it has none */
	/** Compare two things by their places in the list: 0 only if their keys are the same. NULL:
	 * they are in the order in which they were added. */
	int (*compare)(const void *a, const void *b);
	/**
	 * Check what the declaration cannot express, as relations between members. May be NULL.
	 *
	 * @return 0; what fcn_list_refuse() returned
	 */
	int (*check)(const struct fcn_config *cfg, const void *thing, struct fcn_list_error *error);
	/** the array of `show` that has the things, as "arn.neighbours" for the member `neighbours`
	 * of `show arn`; NULL: a function of its own shows them, see fcn_list_show() */
	const char *show;
};

/** Initialise the place of a list: the FCN_CONFIG_LIST in struct fcn_config. */
#define FCN_LIST_IN(list)                            \
	.offset = offsetof(struct fcn_config, list), \
	.size = sizeof(*((struct fcn_config *)0)->list.item)
/** Initialise the members, and the forms, from an array. */
#define FCN_LIST_MEMBERS_OF(array) .members = (array), .n_members = RTE_DIM(array)
#define FCN_LIST_FORMS_OF(array) .forms = (array), .n_forms = RTE_DIM(array)

/** The lists of a concern. */
struct fcn_list_group {
	const char *title; /**< heading in the documentation */
	const struct fcn_list *lists;
	unsigned int n_lists;
	enum fcn_role role; /**< that the commands need */
};

/** Define a group of lists from an array, with the role that their commands need, the symbol of one
 * of FCN_ROLES. */
#define FCN_LIST_GROUP(name, heading, array, needs)                           \
	const struct fcn_list_group fcn_##name##_lists = {.title = (heading), \
			.lists = (array),                                     \
			.n_lists = RTE_DIM(array),                            \
			.role = FCN_ROLE_##needs}

/* X(name): all groups of lists. Each is defined in the folder of its concern, as
 * fcn_<name>_lists. */
#define FCN_LIST_GROUPS(X) \
	X(border)          \
	X(sender)          \
	X(route)           \
	X(proxy)           \
	X(proxy_insert)    \
	X(proxy_role)      \
	X(srv6_policy)     \
	X(srv6_segments)   \
	X(srv6_steering)   \
	X(srv6_sid)        \
	X(ioam)            \
	X(arn)

#define FCN_LIST_DECLARE(name) extern const struct fcn_list_group fcn_##name##_lists;
FCN_LIST_GROUPS(FCN_LIST_DECLARE)
#undef FCN_LIST_DECLARE

/** Call a function for each list. */
void fcn_list_each(void (*visit)(const struct fcn_list *list, void *arg), void *arg);

/** Find a list by the words in front of `add`. @return NULL: there is none */
const struct fcn_list *fcn_list_of(const char *words);

/** Report in `check` why a thing cannot be added. @param key argument that is wrong @return rc */
int fcn_list_refuse(struct fcn_list_error *error, int rc, const char *key, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

/**
 * Add a thing. Host bits of prefixes are cleared; slot and serial are assigned.
 *
 * @param thing of the size of the list. Padding is 0: configurations are compared as bytes
 * @param error result: why not; may be NULL
 * @return 0; -EEXIST; -ENOSPC: there are as many as there can be; -ENOMEM; -EINVAL or what `check`
 *  returned. After an error the list is as it was
 */
int fcn_list_add(struct fcn_config *cfg, const struct fcn_list *list, const void *thing,
		struct fcn_list_error *error);

/**
 * Remove the thing with the keys of another, or all of them in a list that has things repeatedly.
 *
 * @param any keys that may be left out (fcn_list_member.any) are not compared
 * @return 0; -ENOENT; -ENOMEM: the list is as it was
 */
int fcn_list_remove(struct fcn_config *cfg, const struct fcn_list *list, const void *thing,
		bool any, struct fcn_list_error *error);

/** Add a thing, remove the one with its keys, or all with those of them that may not be left out,
 * in code that knows its structure: FCN_LIST_ADD(cfg, "sender", fcn_config_sender, .prefix = p). */
#define FCN_LIST_ADD(cfg, words, type, ...) \
	fcn_list_add(cfg, fcn_list_of(words), &(const struct type){__VA_ARGS__}, NULL)
#define FCN_LIST_REMOVE(cfg, words, type, ...) \
	fcn_list_remove(cfg, fcn_list_of(words), &(const struct type){__VA_ARGS__}, false, NULL)
#define FCN_LIST_REMOVE_ANY(cfg, words, type, ...) \
	fcn_list_remove(cfg, fcn_list_of(words), &(const struct type){__VA_ARGS__}, true, NULL)

/**
 * Remove all things that refer to something, because it is removed.
 *
 * @param type   type of the reference, as FCN_SETTING_PORT
 * @param number number of what is removed
 * @return 0; -ENOMEM: nothing was removed
 */
int fcn_list_forget(struct fcn_config *cfg, enum fcn_setting_type type, unsigned int number);

/** Find a thing that refers to something. @param by written: what it is, as "route 10.0.0.0/8"
 * @return whether there is one */
bool fcn_list_refers(const struct fcn_config *cfg, enum fcn_setting_type type, unsigned int number,
		char *by, size_t size);

/** Take references to the elements of all lists for a copy of a configuration, or give them back.
 */
void fcn_list_share_all(struct fcn_config *cfg);
void fcn_list_release_all(struct fcn_config *cfg);

/**
 * Find the thing that the arguments of a command name by its keys, for settings of things.
 *
 * @param objects result: the thing, in a list that no other configuration shares
 * @return 0; -ENOENT after fcn_command_error(); -ENOMEM
 */
int fcn_list_select(const struct fcn_list *list, struct fcn_config *cfg,
		const struct fcn_args *args, struct fcn_setting_objects *objects);

/** Call visit for all things of a list, with "set srv6 policy p" as the words that name one. */
void fcn_list_visit(const struct fcn_list *list, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

/**
 * Create the commands of a group.
 *
 * @param add, remove functions that run them: they call fcn_list_run_add() and
 *                    fcn_list_run_remove() with the configuration that is being changed
 * @param into result: the commands, and their memory, which is to be freed with free()
 * @return 0; -ENOMEM; -E2BIG when a syntax is too long
 */
int fcn_list_commands(const struct fcn_list_group *group,
		int (*add)(struct fcn_session *session, const struct fcn_args *args),
		int (*remove)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into);

/** Run a command that fcn_list_commands() created. @return 0; a negative errno after
 * fcn_command_error(), or -ENOMEM */
int fcn_list_run_add(struct fcn_config *cfg, const struct fcn_args *args);
/** The same for a command that adds a thing to a list of one form, and does more. */
int fcn_list_run_add_to(
		const struct fcn_list *list, struct fcn_config *cfg, const struct fcn_args *args);
int fcn_list_run_remove(struct fcn_config *cfg, const struct fcn_args *args);

/** Write the commands that add all things of a group. */
void fcn_list_save(const struct fcn_list_group *group, const struct fcn_config *cfg, FILE *out);

/** Set members of a JSON object to the members of a thing that have a name in `show`. */
void fcn_list_show(const struct fcn_list *list, const struct fcn_config *cfg, const void *thing,
		json_t *shown);

/** Add the arrays of a `show` to its JSON value. @param part as "arn", see fcn_list.show */
void fcn_list_show_all(const struct fcn_config *cfg, const char *part, json_t *shown);

/** Write SIDs as a JSON array, in the order in which they are visited. */
json_t *fcn_list_segments_json(const struct fcn_segment_list *segments);

#endif /* FCN_LIST_H */
