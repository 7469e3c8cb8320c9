/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Settings: values of the configuration, each declared once. From the
 * declaration come the command that sets it, its help with the default, its
 * completion, its range and the error when a value is outside, its line when
 * the configuration is saved, its member in `show`, and its entry in the
 * console reference.
 *
 * Settings of the same kind of object (of class queues, say) are a scope: one
 * table, in the folder of their concern.
 *
 * Not thread safe: all functions are for the control thread. Functions that
 * return a negative errno "after fcn_command_error()" have reported the error
 * to the person who gave the command.
 */

#ifndef FCN_SETTING_H
#define FCN_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "fcn_command.h"
#include "fcn_config.h"

#define FCN_SETTING_VALUES 6   /**< maximum number of values of a setting */
#define FCN_SETTING_SPECIALS 2 /**< maximum number of special words of a value */
#define FCN_SETTING_SHOWN 2    /**< maximum number of members that show a value */
/** Maximum number of parts of a port, such as class queues, that a command sets at once. */
#define FCN_SETTING_PARTS 16
/** Maximum number of objects that a command sets at once. */
#define FCN_SETTING_OBJECTS (FCN_MAX_PORTS * FCN_SETTING_PARTS)

/** How a value is written in commands; the types are those of fcn_command.h. */
enum fcn_setting_type {
	FCN_SETTING_NONE,   /**< there is no such value: it ends the list of values */
	FCN_SETTING_NUMBER, /**< decimal or hexadecimal; saved in decimal */
	FCN_SETTING_HEX,    /**< decimal or hexadecimal; saved in hexadecimal */
	FCN_SETTING_COUNT,  /**< 1000, 250K */
	FCN_SETTING_SIZE,   /**< bytes: 9216, 200K, 64Ki */
	FCN_SETTING_RATE,   /**< bits/s: 10G */
	FCN_SETTING_TIME,   /**< ns: 4us */
	FCN_SETTING_RATIO,  /**< billionths: 0.2, 1/8 */
	FCN_SETTING_CLASS,  /**< one traffic class */
	FCN_SETTING_SWITCH, /**< on or off, 1 or 0 */
	FCN_SETTING_CHOICE, /**< one of the words for the values from least to most */
	/* Only members of lists have these, see fcn_list.h. A reference is stored as the number of
	 * what it names, to which `least` is added. */
	FCN_SETTING_WORD,   /**< 1 if the line has the literal word, 0 if it has not */
	FCN_SETTING_PORT,   /**< reference to a port, sub-interface or bridge interface */
	FCN_SETTING_TABLE,  /**< reference to a route table */
	FCN_SETTING_POLICY, /**< reference to an SRv6 policy */
	/* The value of these and of their special words is stored as bytes that are all zero if
	 * there is none, which is their default. */
	FCN_SETTING_NAME,  /**< a string */
	FCN_SETTING_MAC,   /**< struct rte_ether_addr: the MAC address of one station */
	FCN_SETTING_ADDR6, /**< struct fcn_addr: the IPv6 address of a host */
	FCN_SETTING_ADDR4, /**< struct fcn_addr: the IPv4 address of a host */
	FCN_SETTING_VLANS, /**< bit set of FCN_VLAN_WORDS words: 10,20-30 */
	/** octets in hexadecimal digits, in multiples of 4. They are stored in the order written,
	 * behind an octet with the number of their 4-octet words */
	FCN_SETTING_OCTETS,
	/* Only members of lists have these. */
	FCN_SETTING_ADDR,     /**< struct fcn_addr: the address of a host */
	FCN_SETTING_PREFIX,   /**< struct fcn_prefix: without host bits */
	FCN_SETTING_ADDR_LEN, /**< struct fcn_prefix: the address of a host, with the prefix length
			       */
	FCN_SETTING_SEGMENTS, /**< struct fcn_segment_list: SIDs, separated by commas */
};

/** A word in the place of a value: off, auto, none. */
struct fcn_setting_special {
	const char *word; /**< NULL: there is none */
	const char *help;
	uint64_t value; /**< value that the word sets; not used from FCN_SETTING_NAME on */
};

/** A member of a JSON value that shows a value. */
struct fcn_setting_shown {
	/** the part of `show` that has it, as "pfc.classes" for the objects in the member `classes`
	 * of `show pfc`; NULL: the part that the scope names */
	const char *part;
	const char *name; /**< name of the member; NULL: there is none */
};

/** A value of a setting: how it is written, where it is stored, and how it is shown. */
struct fcn_setting_value {
	const char *word; /**< literal word in front of it; NULL: none */
	const char *key;  /**< name of the argument, as in "<key:type>" */
	enum fcn_setting_type type;
	size_t offset; /**< offset of the member that stores it, see FCN_SETTING_MEMBER() */
	size_t size;   /**< size of the member: 1, 2, 4 or 8 bytes; any from FCN_SETTING_NAME on */
	uint64_t mask; /**< SWITCH: bits of the member that are set or cleared; 0: all of it */
	uint64_t least, most; /**< range of the value; most 0: no range is checked */
	uint64_t step;        /**< the value has to be a multiple of it; 0: any value is valid */
	/** subject of the error message, as "a DSCP" in "a DSCP must be 0 to 63"; NULL: the key */
	const char *what;
	uint64_t initial; /**< default */
	/** the default in help; NULL: the value itself, unless a special word stands for it; "": it
	 * is not named */
	const char *initial_text;
	bool optional; /**< the word and the value may be left out */
	bool keeps; /**< optional: a value left out is not changed, else it is set to its default */
	/** CHOICE: get the word for a value. Of other types, if it is not NULL, `show` has the word
	 * that it returns */
	const char *(*name)(unsigned int value);
	struct fcn_setting_shown show[FCN_SETTING_SHOWN]; /**< where it is shown */
	const char *not_shown; /**< why no `show` has it; NULL: one has */
	/**
	 * The member of the structure that fcn_setting_show() gets beside the object, which has the
	 * effective value. `show` has it instead of the configured value, for which "auto" may
	 * stand. size 0: the configured value applies.
	 */
	struct {
		size_t offset, size;
	} in_force;
	bool in_steps;        /**< RATIO: in_force has it divided by `step`, and so has `show` */
	bool has_none;        /**< `show` has null if the value is `none` */
	uint64_t none;        /**< the value that means there is none */
	bool show_unselected; /**< shown also if another setting is selected, see `selects` */
	/** Make the JSON value of it, and of the values that follow it. NULL: its type says how. */
	json_t *(*form)(const struct fcn_setting_value *v, const void *object);
	unsigned int form_types; /**< types of what `form` makes, see fcn_shape.h */
	/** NAME: characters that it cannot have, nor be "." or ".."; NULL: all are valid */
	const char *without;
	struct fcn_setting_special special[FCN_SETTING_SPECIALS];
};

/** A setting: one command, and one more for each special word. */
struct fcn_setting {
	const char *words; /**< words of the command after those of the scope; "": none */
	const char *help;  /**< a sentence without its full stop and without the default */
	struct fcn_setting_value value[FCN_SETTING_VALUES];
	/**
	 * A member that the command itself sets to a value, as `detector red` sets the detector's
	 * type. Of all settings that select by the same member, only the one whose value it has is
	 * saved and shown, and the values of the others are reset. The default of the member is 0.
	 * size 0: there is none.
	 */
	struct {
		size_t offset, size;
		uint64_t value;
	} selects;
	/**
	 * Check what a range cannot express, as relations between values. Called when the values
	 * were stored in the object, which it may change. May be NULL.
	 *
	 * @return 0; a negative errno after fcn_command_error(): the whole command is refused
	 */
	int (*finish)(const struct fcn_args *args, void *object);
	bool always; /**< saved even if it has its default */
	bool alias;  /**< another way to set what another setting saves and shows */
	bool former; /**< former way to set it: understood, but in no help and completion */
};

/** Initialise a value's offset and size. */
#define FCN_SETTING_MEMBER(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
/** Initialise the member in_force of a value. */
#define FCN_SETTING_IN_FORCE(type, member) \
	.in_force = {offsetof(type, member), sizeof(((type *)0)->member)}
/** Initialise the member `selects` of a setting. */
#define FCN_SETTING_SELECTS(type, member, of) \
	.selects = {offsetof(type, member), sizeof(((type *)0)->member), of}

/** The objects that the arguments of a command name. */
struct fcn_setting_objects {
	void *object[FCN_SETTING_OBJECTS];
	unsigned int n;
};

/**
 * Function that is called for an object of a scope.
 *
 * @param head the words and arguments by which commands name it: "set queue p1 class 3"
 */
typedef void (*fcn_setting_visit)(void *arg, const void *object, const char *head);

/** The settings of one kind of object. */
struct fcn_setting_scope {
	const char *title; /**< heading in the documentation */
	/** beginning of all commands: "set queue <port:name> class <class:class>" */
	const char *syntax;
	const struct fcn_setting *settings;
	unsigned int n_settings;
	enum fcn_role role; /**< that the commands need */
	const char *show;   /**< part of `show` that has the values, see struct fcn_setting_shown */
	/** how the member that settings select by is shown, see fcn_setting.selects; NULL: they do
	 * not select */
	const struct fcn_setting_value *selected;
	/** the list whose things are the objects, by its words (fcn_list_of()); NULL: there is none
	 */
	const char *list;
	/**
	 * Find the objects that the arguments name. NULL, as `each` is then: the object is the
	 * configuration itself, unless there is a list.
	 *
	 * @return 0; a negative errno after fcn_command_error()
	 */
	int (*select)(struct fcn_config *cfg, const struct fcn_args *args,
			struct fcn_setting_objects *objects);
	/** Call visit for all objects of a configuration. */
	void (*each)(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
			fcn_setting_visit visit, void *arg);
	/** for fcn_setting_each_port() and fcn_setting_each_interface(): the words in front of a
	 * port's name, as "set port" */
	const char *head;
};

/** Initialise the settings of a scope from an array, and the role that their commands need, the
 * symbol of one of FCN_ROLES. */
#define FCN_SETTING_TABLE(array, needs) \
	.settings = (array), .n_settings = RTE_DIM(array), .role = FCN_ROLE_##needs

/** Set the values of all settings of an object to their defaults. */
void fcn_setting_defaults(const struct fcn_setting_scope *scope, void *object);

/**
 * Create the commands of a scope.
 *
 * @param run  function that runs them: it calls fcn_setting_run() with the configuration that is
 *             being changed
 * @param no   function that runs the same with `no` in front, without values: it calls
 *             fcn_setting_reset(); NULL: there are no such commands
 * @param into result: the commands, and their memory, which is to be freed with free()
 * @return 0; -ENOMEM; -E2BIG when the syntax or the help of a setting is too long
 */
int fcn_setting_commands(const struct fcn_setting_scope *scope,
		int (*run)(struct fcn_session *session, const struct fcn_args *args),
		int (*no)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into);

/**
 * Run a command that fcn_setting_commands() created.
 *
 * @return 0; a negative errno after fcn_command_error(): some objects may have been changed, so the
 *  configuration is to be thrown away
 */
int fcn_setting_run(struct fcn_config *cfg, const struct fcn_args *args);

/**
 * Run a command that takes a setting back: its values get their defaults. A setting that selects is
 * no longer selected; if another one is, nothing changes.
 *
 * @return as fcn_setting_run()
 */
int fcn_setting_reset(struct fcn_config *cfg, const struct fcn_args *args);

/** Write the commands that set all values of a configuration that differ from the defaults. @param
 * all also those that are always saved, see fcn_setting.always */
void fcn_setting_save(const struct fcn_setting_scope *scope, const struct fcn_config *cfg, bool all,
		FILE *out);

/**
 * Set members of a JSON object to the values of an object that a part of `show` has.
 *
 * @param part     as in struct fcn_setting_shown
 * @param in_force structure with the effective values; NULL: the configured values are
 */
void fcn_setting_show(const struct fcn_setting_scope *scope, const char *part, const void *object,
		const void *in_force, json_t *shown);

/** Write a token bucket as `show` has it: "1000000/s, burst 64". @return a new reference; NULL on
 * lack of memory */
json_t *fcn_setting_bucket_json(const struct fcn_config_bucket *bucket);

/* ---- what scopes have in common ---- */

/** Find the port, sub-interface or bridge interface that an argument names. @return its number;
 * -ENOENT after fcn_command_error() */
int fcn_setting_port(const struct fcn_config *cfg, const struct fcn_args *args, const char *key);

/** Find the port that an argument names. @return its number; -ENOENT, or -EINVAL for a
 * sub-interface or bridge interface, after fcn_command_error() */
int fcn_setting_link_port(
		const struct fcn_config *cfg, const struct fcn_args *args, const char *key);

/**
 * Find the ports that an argument names: one, or with `all` every port, but no sub-interfaces and
 * bridge interfaces.
 *
 * @param set result
 * @return 0; a negative errno after fcn_command_error()
 */
int fcn_setting_ports(const struct fcn_config *cfg, const struct fcn_args *args, const char *key,
		struct fcn_port_set *set);

/** Find the bridge that the argument "bridge" names. @return its index; -ENOENT after
 * fcn_command_error() */
int fcn_setting_bridge(const struct fcn_config *cfg, const struct fcn_args *args);

/** Find the port that the argument "port" names, which has to be in the bridge that "bridge" names.
 * @return its number; -ENOENT after fcn_command_error() */
int fcn_setting_bridge_port(const struct fcn_config *cfg, const struct fcn_args *args);

/** `select` and `each` for scopes of struct fcn_config_port: the ports that the argument "port"
 * names, see fcn_setting_ports(). */
int fcn_setting_select_ports(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects);
void fcn_setting_each_port(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

/**
 * `select` and `each` for scopes that sub-interfaces have, too: the one port, sub-interface or
 * bridge interface that the argument "port" names. They are visited in the order in which a saved
 * configuration adds them. When that is loaded, they get their numbers in this order, so saving
 * again gives the same text.
 */
int fcn_setting_select_interface(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects);
void fcn_setting_each_interface(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

/** `each` for settings that `port add` saves for a port: sub-interfaces and bridge interfaces. */
void fcn_setting_each_virtual_interface(const struct fcn_setting_scope *scope,
		const struct fcn_config *cfg, fcn_setting_visit visit, void *arg);

/** Add an object to those that a command is about, for `select`. */
void fcn_setting_add(struct fcn_setting_objects *objects, void *object);

#endif /* FCN_SETTING_H */
