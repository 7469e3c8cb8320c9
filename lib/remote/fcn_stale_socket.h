/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Files of UNIX sockets that a process has left behind, as one that was killed does. The next one
 * could not listen there.
 */

#ifndef FCN_STALE_SOCKET_H
#define FCN_STALE_SOCKET_H

/**
 * Remove the file of a UNIX socket, if no process serves it. This never waits.
 *
 * @return 0: there is no file, or none any more; -EEXIST: the path is of something else;
 *  -EADDRINUSE: a process serves it; another negative errno: it cannot be told, or not be removed
 */
int fcn_stale_socket_remove(const char *path);

#endif /* FCN_STALE_SOCKET_H */
