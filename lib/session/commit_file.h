/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A configuration in a file of its own, with the time, the user and a comment. It is one that
 * `load` reads: what is not configuration stands in comments. Its last line says that it is whole.
 *
 * Any thread may call these functions, and they may wait for the disk.
 */

#ifndef COMMIT_FILE_H
#define COMMIT_FILE_H

#include <stdint.h>

#include "fcn_commits.h"

/** Name of the file, in the directory, of the configuration to which the switch goes back unless
 * the present one is confirmed. Others have their number. */
#define COMMIT_FILE_UNCONFIRMED "unconfirmed.conf"

/** Names a file: PATH_MAX at most. @param number UINT64_MAX: COMMIT_FILE_UNCONFIRMED */
void commit_file_name(char *path, size_t size, const char *directory, uint64_t number);

/** Read the number of a name. @return false: it is not the name of such a file */
bool commit_file_number(const char *name, uint64_t *number);

/**
 * Write a file so that a crash leaves a whole one or none, with mode 0600. The directory is made if
 * it is not there.
 *
 * @param text the configuration
 * @param err  what is wrong, with the path
 * @return 0 or a negative errno
 */
int commit_file_write(const char *directory, const struct fcn_commit *commit, const char *text,
		char *err, size_t err_size);

/**
 * Read a file.
 *
 * @param commit result, but its number; NULL: nobody asks
 * @param text   result: the configuration, to be freed; NULL: nobody asks
 * @return 0 or a negative errno; -EBADMSG: the file is not whole, or none of these
 */
int commit_file_read(const char *path, struct fcn_commit *commit, char **text);

/** Remove a file, if it is there, for good. @return 0 or a negative errno */
int commit_file_remove(const char *directory, uint64_t number);

/** Describe a configuration: the number of its lines that are commands, and a digest by which equal
 * ones are found. */
void commit_file_describe(struct fcn_commit *commit, const char *text);

#endif /* COMMIT_FILE_H */
