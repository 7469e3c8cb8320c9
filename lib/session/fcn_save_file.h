/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Write a text to a file so that a crash leaves either the old file or the new one, whole.
 */

#ifndef FCN_SAVE_FILE_H
#define FCN_SAVE_FILE_H

#include <stddef.h>

/**
 * Put a text in the place of a regular file, or make a new one with mode 0644.
 *
 * The text is written to a temporary file in the same directory, which then takes the name. Mode,
 * owner and group of the file that was there are kept; when its owner cannot be kept, it is not
 * replaced. Access control lists and extended attributes are not kept, and another hard link of
 * the file keeps the old text. A symbolic link is followed: the file it leads to is replaced, and
 * the link stays. What is no regular file, such as a device, a pipe or a directory, is refused.
 *
 * It may take seconds, until the text is on the disk.
 *
 * @param err what is wrong, without the path; on failure
 * @return 0 or a negative errno
 */
int fcn_save_file(const char *path, const char *text, size_t len, char *err, size_t err_size);

/** The same with mode 0600 of a new file. */
int fcn_save_file_private(
		const char *path, const char *text, size_t len, char *err, size_t err_size);

#endif /* FCN_SAVE_FILE_H */
