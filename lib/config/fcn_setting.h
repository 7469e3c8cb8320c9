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
 * Settings of the same objects (of every class queue, say) are a scope: one
 * table, in the folder of their concern.
 *
 * Nothing here is for workers; all of it belongs to the control thread.
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

#define FCN_SETTING_VALUES 6
#define FCN_SETTING_SPECIALS 2
#define FCN_SETTING_OBJECTS (FCN_MAX_PORTS * FCN_CLASSES)

/** How a value is written. */
enum fcn_setting_type {
	FCN_SETTING_NONE,   /**< there is no such value */
	FCN_SETTING_NUMBER, /**< decimal or hexadecimal; saved in decimal */
	FCN_SETTING_HEX,    /**< the same; saved in hexadecimal */
	FCN_SETTING_COUNT,  /**< 1000, 250K */
	FCN_SETTING_SIZE,   /**< bytes: 9216, 200K, 64Ki */
	FCN_SETTING_RATE,   /**< bits/s: 10G */
	FCN_SETTING_TIME,   /**< ns: 4us */
	FCN_SETTING_RATIO,  /**< billionths: 0.2, 1/8 */
	FCN_SETTING_CLASS,  /**< one traffic class */
	FCN_SETTING_SWITCH, /**< on or off, 1 or 0 */
	FCN_SETTING_CHOICE, /**< one of some words, least to most */
	FCN_SETTING_NAME,   /**< characters, with a terminator */
};

/** A word that stands for a value which cannot be written otherwise: off, auto, none. */
struct fcn_setting_special {
	const char *word; /**< NULL: there is none */
	const char *help;
	uint64_t value; /**< for a name: the empty one, whatever stands here */
};

/** A value of a setting: how it is written, and where it is kept. */
struct fcn_setting_value {
	const char *word; /**< literal in front of it; NULL: none */
	const char *key;  /**< "<key:type>" in the syntax */
	enum fcn_setting_type type;
	size_t offset;        /**< of the member that keeps it: FCN_SETTING_MEMBER() */
	size_t size;          /**< of that member: 1, 2, 4 or 8 bytes; of a name any */
	uint64_t mask;        /**< of a switch that is some bits of the member: these; else 0 */
	uint64_t least, most; /**< what is outside is refused; most 0: no limit but the member */
	uint64_t step;        /**< what is no multiple of it is refused; 0: any is good */
	const char *what;     /**< "a DSCP", for "a DSCP is 0 to 63"; NULL: the key */
	uint64_t initial;     /**< default, when a configuration is new */
	/** What help says of the default; NULL: the value itself, unless a special word has it */
	const char *initial_text;
	bool optional; /**< the word and the value may be left out */
	bool keeps;    /**< optional: what is left out stays as it is, else it gets its default */
	const char *(*name)(unsigned int value); /**< of a choice: the word of a value */
	const char *show; /**< member in the object that `show` gives; NULL: it is not shown */
	struct fcn_setting_special special[FCN_SETTING_SPECIALS];
};

/** A setting: one command, with what a special word makes of it. */
struct fcn_setting {
	const char *words; /**< behind those of the scope; "": none */
	const char *help;  /**< a sentence without its full stop and without the default */
	struct fcn_setting_value value[FCN_SETTING_VALUES]; /**< the first is not optional */
	/**
	 * A member that gets a value by the command itself, as the detector's type
	 * by `detector red`: saved is only the setting that has its value there. The
	 * default of such a member is 0. size 0: none.
	 */
	struct {
		size_t offset, size;
		uint64_t value;
	} selects;
	/**
	 * For what a range does not say, of one value or of several: called with an
	 * object that has them, may change it.
	 * @return 0, or fcn_command_error(): the whole command is refused
	 */
	int (*finish)(const struct fcn_args *args, void *object);
	bool always; /**< saved even when it has its default */
	bool alias;  /**< one more way to set what another setting saves and shows */
	bool former; /**< such a way that is only understood, and named nowhere */
};

/** Initialise a value's offset and size. */
#define FCN_SETTING_MEMBER(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
/** Initialise a setting's selects. */
#define FCN_SETTING_SELECTS(type, member, of) \
	.selects = {offsetof(type, member), sizeof(((type *)0)->member), of}

/** What a command is about: the objects that its arguments name. */
struct fcn_setting_objects {
	void *object[FCN_SETTING_OBJECTS];
	unsigned int n;
};

/**
 * One object of a scope.
 * @param head the words and arguments that lead to it: "set queue p1 class 3"
 */
typedef void (*fcn_setting_visit)(void *arg, const void *object, const char *head);

struct fcn_setting_scope {
	const char *title;  /**< heading in the documentation */
	const char *syntax; /**< "set queue <port:name> class <class:class>" */
	const struct fcn_setting *settings;
	unsigned int n_settings;
	/**
	 * NULL, as is each: the object is the configuration itself.
	 * @return 0, or fcn_command_error()
	 */
	int (*select)(struct fcn_config *cfg, const struct fcn_args *args,
			struct fcn_setting_objects *objects);
	void (*each)(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
			fcn_setting_visit visit, void *arg);
	const char *head; /**< for each: the words in front of a port's name, "set port" */
};

/** Initialise a scope's settings from an array. */
#define FCN_SETTING_TABLE(array) .settings = (array), .n_settings = RTE_DIM(array)

/** Write the default of each value into an object of the scope. */
void fcn_setting_defaults(const struct fcn_setting_scope *scope, void *object);

/**
 * Make the commands of a scope.
 *
 * @param run  calls fcn_setting_run() with the configuration that is being changed
 * @param into gets them, and the memory they are in
 * @return 0 or -ENOMEM
 */
int fcn_setting_commands(const struct fcn_setting_scope *scope,
		int (*run)(struct fcn_session *session, const struct fcn_args *args),
		struct fcn_command_group *into);

/**
 * Do what such a command says.
 * @return 0, or fcn_command_error(): the configuration must be thrown away
 */
int fcn_setting_run(struct fcn_config *cfg, const struct fcn_args *args);

/** Write the commands that make a new configuration have what differs from the defaults. */
void fcn_setting_save(
		const struct fcn_setting_scope *scope, const struct fcn_config *cfg, FILE *out);

/** Set the members of an object of `show` that settings of the scope have. */
void fcn_setting_show(const struct fcn_setting_scope *scope, const void *object, json_t *shown);

/* ---- what scopes have in common ---- */

/** Number of the port an argument names. @return -ENOENT with fcn_command_error() */
int fcn_setting_port(const struct fcn_config *cfg, const struct fcn_args *args, const char *key);

/** The same of a port that has a link and queues of its own, as a sub-interface has not. @return
 * -EINVAL, too */
int fcn_setting_link_port(
		const struct fcn_config *cfg, const struct fcn_args *args, const char *key);

/**
 * The ports with a link that an argument names: one, or every one with `all`.
 * @param set bit set of their numbers
 * @return 0, or fcn_command_error()
 */
int fcn_setting_ports(const struct fcn_config *cfg, const struct fcn_args *args, const char *key,
		uint64_t *set);

/** Index of the bridge that the argument "bridge" names. @return -ENOENT with fcn_command_error()
 */
int fcn_setting_bridge(const struct fcn_config *cfg, const struct fcn_args *args);

/** Number of the port that the argument "port" names, in the bridge of "bridge". @return -ENOENT
 * with fcn_command_error() */
int fcn_setting_bridge_port(const struct fcn_config *cfg, const struct fcn_args *args);

/** For scopes of struct fcn_config_port: ports with a link, by the argument "port". */
int fcn_setting_select_ports(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects);
void fcn_setting_each_port(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

/** The same of one port or sub-interface. */
int fcn_setting_select_interface(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects);
void fcn_setting_each_interface(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

/** Add an object. */
void fcn_setting_add(struct fcn_setting_objects *objects, void *object);

#endif /* FCN_SETTING_H */
