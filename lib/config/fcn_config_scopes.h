/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * All scopes of settings. Each is defined, with its table of settings, in the folder of its
 * concern, as fcn_<name>_scope. The lists below say to which object its settings belong.
 */

#ifndef FCN_CONFIG_SCOPES_H
#define FCN_CONFIG_SCOPES_H

#include "fcn_setting.h"

/* Settings of the switch: the object is struct fcn_config. */
#define FCN_SWITCH_SCOPES(X) \
	X(worker)            \
	X(loopback)          \
	X(buffer)            \
	X(copies)            \
	X(host)              \
	X(kernel)            \
	X(ioam)              \
	X(notify)            \
	X(trim) X(sender) X(border) X(srv6) X(arn) X(cnm) X(proxy_option) X(proxy) X(event_log)

/* Settings of ports: the object is struct fcn_config_port. Sub-interfaces have those of mtu,
 * interface, source_check, kernel_port and table_port, too, and interfaces of bridges those of mac
 * and mtu. */
#define FCN_PORT_SCOPES(X) \
	X(port)            \
	X(mac)             \
	X(mtu)             \
	X(interface)       \
	X(kernel_port)     \
	X(bridge_port)     \
	X(trim_port)       \
	X(pfc) X(ioam_port) X(border_port) X(source_check) X(table_port) X(arn_port) X(proxy_port)

/* Settings of class queues: the object is struct fcn_config_queue. */
#define FCN_QUEUE_SCOPES(X) X(queue) X(queue_buffer) X(detector)

/* Settings of bridges, struct fcn_config_bridge; of the kinds of frames that a port of a bridge may
 * have flooded, struct fcn_config_storm; of the classes of a port, struct fcn_config_pfc_class; of
 * the kinds of packets that go to the host functions, struct fcn_config_police; of SRv6 policies,
 * struct fcn_config_srv6_policy; of route tables, struct fcn_config_table; of IOAM namespaces,
 * struct fcn_ioam_namespace. */
#define FCN_OTHER_SCOPES(X) \
	X(bridge)           \
	X(storm)            \
	X(pfc_class) X(police) X(police_port) X(srv6_policy) X(kernel_table) X(ioam_namespace)

#define FCN_CONFIG_SCOPES(X) \
	FCN_SWITCH_SCOPES(X) FCN_PORT_SCOPES(X) FCN_QUEUE_SCOPES(X) FCN_OTHER_SCOPES(X)

#define FCN_SCOPE_DECLARE(name) extern const struct fcn_setting_scope fcn_##name##_scope;
FCN_CONFIG_SCOPES(FCN_SCOPE_DECLARE)
#undef FCN_SCOPE_DECLARE

/** Initialise an array of pointers to scopes: FCN_SWITCH_SCOPES(FCN_SCOPE_ADDRESS). */
#define FCN_SCOPE_ADDRESS(name) &fcn_##name##_scope,

#endif /* FCN_CONFIG_SCOPES_H */
