/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The platform of a switch: the program around it, which opens its ports, has a log, and may have
 * a Linux kernel beside it. The live switch, replay and the lab are one each.
 */

#ifndef FCN_PLATFORM_H
#define FCN_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_build.h"
#include "fcn_config.h"
#include "fcn_port.h"

/** A port as a platform opened it. */
struct fcn_control_port {
	const struct fcn_port_ops *ops;
	void *priv;                 /**< first argument of ops */
	int socket;                 /**< NUMA node of the device, negative: unknown */
	struct fcn_build_port info; /**< MAC address and speed, as far as the device knows them */
};

/**
 * What a control needs of its platform. The control thread calls these functions, and those of
 * ports may also run within aside().
 */
struct fcn_platform {
	const char *name;
	/** Workers may take a turn this late, nanoseconds: the burst by which shapers make up for
	 * it unless one is configured. */
	uint64_t slack_ns;
	/**
	 * Open the device of a port.
	 *
	 * @param number the port's, below FCN_MAX_PORTS
	 * @param out all 0 before
	 * @param err one line without full stop, on failure
	 * @return 0 or a negative errno; -ENODEV: not the configuration is at fault, but the device
	 *  is not there, or in use
	 */
	int (*port_open)(void *arg, const struct fcn_config_port *port, uint16_t number,
			struct fcn_control_port *out, char *err, size_t err_size);
	/**
	 * Have an open port follow its configuration (MTU, link speed and others). May be NULL.
	 *
	 * @param err one line without full stop, on failure
	 * @return 0; a negative errno: then it is called again with the configuration of before
	 */
	int (*port_update)(void *arg, const struct fcn_config_port *port,
			struct fcn_control_port *open, char *err, size_t err_size);
	/** Close the device. No worker uses the port any more. */
	void (*port_close)(void *arg, struct fcn_control_port *open);
	/** Whether a port is to be opened when all others are open. NULL: none is. */
	bool (*port_is_last)(void *arg, const struct fcn_config_port *port);
	/**
	 * A configuration is about to be applied: all ports are open but the last ones and the
	 * interfaces of the kernel. May be NULL.
	 */
	void (*applying)(void *arg, const struct fcn_config *cfg);
	bool host;   /**< the host functions are on unless the configuration says otherwise */
	bool kernel; /**< there is a Linux kernel whose interfaces and routes may be used */
	/** The clock by which workers are waited for; NULL: each wait lasts as long as it takes. */
	const struct fcn_patience *patience;
	/** Write a line for people, which has no newline. May be NULL. */
	void (*log)(void *arg, const char *line);
	/**
	 * Run work(work_arg), which may take seconds, and return when it is done. Meanwhile the
	 * platform calls fcn_control_host_poll() and no other function of the control; work calls
	 * none. NULL: the control runs it at once, and no neighbour is answered meanwhile.
	 */
	void (*aside)(void *arg, void (*work)(void *work_arg), void *work_arg);
	/** Call fcn_control_host_poll() if it is due; called within long computations. May be NULL.
	 */
	void (*attend)(void *arg);
	void *arg; /**< first argument of the functions above */
};

#endif /* FCN_PLATFORM_H */
