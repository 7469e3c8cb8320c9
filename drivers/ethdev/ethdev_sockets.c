/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Files of sockets that drivers listen on. A process that is killed leaves them behind, and then
 * the drivers refuse the device. */

#include <limits.h>
#include <string.h>

#include <rte_common.h>

#include "ethdev_impl.h"
#include "fcn_stale_socket.h"

static bool
memif_listens(const char *arguments)
{
	char role[16], abstract[8];

	ethdev_argument_text(arguments, "role", "client", role, sizeof(role));
	ethdev_argument_text(arguments, "socket-abstract", "yes", abstract, sizeof(abstract));
	return strcmp(role, "server") == 0 && strcmp(abstract, "no") == 0;
}

static bool
vhost_listens(const char *arguments)
{
	return ethdev_argument(arguments, "client", 0) == 0;
}

static bool
virtio_user_listens(const char *arguments)
{
	return ethdev_argument(arguments, "server", 0) != 0;
}

static const struct {
	const char *driver;    /* prefix of the names of its devices */
	const char *key;       /* the argument with the path */
	const char *otherwise; /* the path without that argument */
	bool (*listens)(const char *arguments);
} sockets[] = {
		{"net_memif", "socket", "/run/memif.sock", memif_listens},
		{"net_vhost", "iface", "", vhost_listens},
		{"eth_vhost", "iface", "", vhost_listens},
		{"net_virtio_user", "path", "", virtio_user_listens},
		{"virtio_user", "path", "", virtio_user_listens},
};

void
fcn_ethdev_remove_stale(const char *device)
{
	const char *arguments = device + strcspn(device, ",");
	char path[PATH_MAX];

	for (size_t i = 0; i < RTE_DIM(sockets); i++) {
		if (strncmp(device, sockets[i].driver, strlen(sockets[i].driver)) != 0 ||
				!sockets[i].listens(arguments))
			continue;
		ethdev_argument_text(arguments, sockets[i].key, sockets[i].otherwise, path,
				sizeof(path));
		/* What cannot be removed, the driver tells. */
		if (path[0] != '\0')
			fcn_stale_socket_remove(path);
	}
}

void
fcn_ethdev_remove_stale_of(int argc, char *const *argv)
{
	static const char option[] = "--vdev";
	const size_t len = sizeof(option) - 1;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], option, len) != 0)
			continue;
		if (argv[i][len] == '=')
			fcn_ethdev_remove_stale(argv[i] + len + 1);
		else if (argv[i][len] == '\0' && i + 1 < argc)
			fcn_ethdev_remove_stale(argv[++i]);
	}
}
