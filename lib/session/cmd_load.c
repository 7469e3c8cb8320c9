/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands that load, save, keep and bring back whole configurations. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_commits.h"
#include "fcn_save_file.h"
#include "load_file.h"
#include "session_private.h"

static const char *
user_of(const struct fcn_session *session)
{
	return session->user != NULL ? session->user : "-";
}

/* Keep the running configuration, if the program has a list. */
__attribute__((format(printf, 2, 3))) static void
keep(struct fcn_session *session, const char *fmt, ...)
{
	char comment[FCN_COMMIT_COMMENT];
	va_list ap;

	if (session->commits == NULL)
		return;
	va_start(ap, fmt);
	vsnprintf(comment, sizeof(comment), fmt, ap);
	va_end(ap);
	fcn_commits_keep(session->commits, user_of(session), comment);
}

static int
need_commits(const struct fcn_session *session, const struct fcn_args *args)
{
	return session->commits != NULL ? 0
					: fcn_command_error(args, -ENOTSUP, NULL,
							  "this program keeps no configurations");
}

/* For `show status`: the running configuration is that of the file. */
static void
note_saved(struct fcn_session *session, const char *file)
{
	struct fcn_exports *exports = fcn_session_exports(session);

	if (exports != NULL)
		fcn_exports_saved(exports, file);
}

/* ---- trials ---- */

/* What is done before a configuration may change. */
struct change {
	char *before; /* the running configuration as text, to be freed; NULL: nobody needs it */
	uint64_t seconds; /* of a trial; 0: there is none */
	bool begun;       /* this command has begun the trial */
};

/*
 * Prepare a command that replaces the running configuration, or begins a trial: the argument
 * "seconds" says so.
 *
 * @return 0 or a negative errno after the error was reported
 */
static int
prepare(struct fcn_session *session, const struct fcn_args *args, struct change *change)
{
	*change = (struct change){.seconds = fcn_args_u64(args, "seconds", 0)};
	if (!fcn_args_has(args, "confirm"))
		return 0;
	if (need_commits(session, args) != 0)
		return -ENOTSUP;
	if (change->seconds == 0 || change->seconds > FCN_COMMIT_SECONDS)
		return fcn_command_error(args, -ERANGE, "seconds",
				"the time must be 1 to %u seconds", FCN_COMMIT_SECONDS);
	if (fcn_session_saved(fcn_control_config(session->ctl), &change->before) != 0)
		return fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	change->begun = fcn_commits_trial(session->commits) == NULL;
	/* A file has it before the change is made. */
	if (change->begun && fcn_commits_try(session->commits, user_of(session), change->seconds,
					     change->before) != 0) {
		free(change->before);
		return fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	}
	return 0;
}

/* Finish it. @param rc what became of the change @return rc */
static int
finish(struct fcn_session *session, struct change *change, int rc)
{
	if (change->seconds != 0 && rc != 0 && change->begun) {
		fcn_commits_confirm(session->commits);
	} else if (change->seconds != 0 && rc == 0) {
		fcn_commits_try(session->commits, user_of(session), change->seconds,
				change->before);
		fprintf(session->out,
				"unless `commit` confirms it within %" PRIu64
				" s, the switch goes back to the configuration %s\n",
				change->seconds,
				change->begun ? "of before" : "of before the first trial");
		if (!fcn_commits_trial_is_in_file(session->commits))
			fprintf(session->out,
					"no file has the configuration to go back to: if fastcn "
					"ends before, it starts with its configuration file\n");
		session->notable = true;
	}
	free(change->before);
	return rc;
}

static int
commit(struct fcn_session *session, const struct fcn_args *args)
{
	const char *comment = fcn_args_str(args, "comment");
	const struct fcn_commit *trial;

	if (need_commits(session, args) != 0)
		return -ENOTSUP;
	trial = fcn_commits_trial(session->commits);
	if (trial != NULL)
		fprintf(session->out, "confirmed: the running configuration stays%s%s\n",
				strcmp(trial->user, user_of(session)) != 0 ? "; begun by " : "",
				strcmp(trial->user, user_of(session)) != 0 ? trial->user : "");
	session->notable = true;
	fcn_commits_confirm(session->commits);
	if (fcn_commits_keep(session->commits, user_of(session),
			    comment != NULL ? comment : "commit"))
		fprintf(session->out, "kept as rollback 0\n");
	else if (trial == NULL)
		fprintf(session->out, "nothing has changed since rollback 0\n");
	return 0;
}

static int
commit_confirm(struct fcn_session *session, const struct fcn_args *args)
{
	struct change change;
	int rc = prepare(session, args, &change);

	if (rc != 0)
		return rc;
	keep(session, "before commit confirm");
	return finish(session, &change, 0);
}

/* ---- save ---- */

/* Writing a text to a file, which another thread does. */
struct saving {
	const char *file;
	char *text;
	int rc;
	char err[256];
};

static void
save_text(void *arg)
{
	struct saving *s = arg;

	s->rc = fcn_save_file(s->file, s->text, strlen(s->text), s->err, sizeof(s->err));
}

/* Get the name of the file that `save` means. @param path set, to be freed */
static int
find_file(struct fcn_session *session, const struct fcn_args *args, char **path)
{
	const struct fcn_exports *exports = fcn_session_exports(session);
	const char *name = fcn_args_str(args, "file");

	if (name == NULL && exports != NULL)
		name = fcn_exports_saved_file(exports);
	if (name == NULL)
		return fcn_command_error(args, -EINVAL, NULL,
				"no configuration file was loaded: name a file");
	return fcn_session_path_of(session, args, name, FCN_SESSION_CONFIG, path);
}

static int
save(struct fcn_session *session, const struct fcn_args *args)
{
	struct saving s = {0};
	char *path;
	int rc;

	/* Else a start would load what nobody has confirmed. */
	if (session->commits != NULL && fcn_commits_trial(session->commits) != NULL)
		return fcn_command_error(args, -EBUSY, NULL,
				"the running configuration is on trial: confirm it by `commit` "
				"first, or the switch goes back in %" PRIu64 " s",
				fcn_commits_left(session->commits));
	rc = find_file(session, args, &path);
	if (rc != 0)
		return rc;
	s.file = path;
	if (fcn_session_saved(fcn_control_config(session->ctl), &s.text) != 0) {
		free(path);
		return fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	}
	fcn_control_aside(session->ctl, save_text, &s);
	free(s.text);
	rc = s.rc;
	if (rc == 0) {
		note_saved(session, s.file);
		if (!fcn_args_given(args, "file"))
			fprintf(session->out, "saved to %s\n", s.file);
		keep(session, "save %s", s.file);
	} else {
		fcn_command_error(args, rc, "file", "%s: %s", s.file, s.err);
	}
	free(path);
	return rc;
}

/* ---- load ---- */

int
fcn_session_regular(struct fcn_session *session, const struct fcn_args *args, const char *file)
{
	/* Reading a pipe or a terminal would block the console until somebody writes there. */
	return fcn_load_may_wait(session->ctl, file)
			       ? fcn_command_error(args, -EINVAL, "file",
						 "%s is not a regular file", file)
			       : 0;
}

/* What a file in the permitted directory says is the choice of whoever wrote it there, so its own
 * commands are not restricted. */
static int
load_path(struct fcn_session *session, const struct fcn_args *args, const char *file)
{
	const struct fcn_session_files *files = session->files;
	const bool replace = fcn_args_has(args, "replace");
	struct change change;
	int rc = prepare(session, args, &change);

	if (rc != 0)
		return rc;
	keep(session, "before load %s", file);
	session->files = NULL;
	rc = fcn_session_load(session, file, replace, session->out);
	session->files = files;
	if (rc == 0 && replace)
		note_saved(session, file);
	if (rc == 0)
		keep(session, "load %s%s", file, replace ? " replace" : "");
	finish(session, &change, rc);
	return rc == 0 ? 0 : fcn_command_error(args, rc, "file", "%s was not loaded", file);
}

/* Tell which warnings there would be that are not in force. */
static void
print_new_warnings(const struct fcn_session *session, const struct fcn_warnings *set)
{
	struct fcn_warnings *now = (struct fcn_warnings *)(uintptr_t)fcn_control_warnings(
			session->ctl);

	for (unsigned int i = 0; i < set->n; i++) {
		const struct fcn_warning *w = &set->item[i];

		if (fcn_warning_find(now, w->kind, w->place) == NULL)
			fprintf(session->out, "warning: %s: %s\n", w->place, w->reason);
	}
}

static int
check_path(struct fcn_session *session, const struct fcn_args *args, const char *file)
{
	const struct fcn_session_text text = {.name = file};
	struct fcn_warnings *warnings = calloc(1, sizeof(*warnings));
	char *now = NULL, *then = NULL;
	int rc = warnings != NULL ? 0 : -ENOMEM;

	if (rc == 0)
		rc = fcn_session_try(session, &text, fcn_args_has(args, "replace"), warnings, &then,
				session->out);
	if (rc != 0)
		fcn_command_error(args, rc, "file", "%s would not be loaded", file);
	else if (fcn_session_saved(fcn_control_config(session->ctl), &now) != 0)
		rc = fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	else
		rc = fcn_session_put_diff(session, args, "running", now, file, then);
	if (rc == 0)
		print_new_warnings(session, warnings);
	free(now);
	free(then);
	free(warnings);
	return rc;
}

static int
with_file(struct fcn_session *session, const struct fcn_args *args,
		int (*fn)(struct fcn_session *session, const struct fcn_args *args,
				const char *file))
{
	char *path;
	int rc = fcn_session_path(session, args, FCN_SESSION_CONFIG, &path);

	if (rc == 0)
		rc = fcn_session_regular(session, args, path);
	if (rc == 0)
		rc = fn(session, args, path);
	free(path);
	return rc;
}

static int
load(struct fcn_session *session, const struct fcn_args *args)
{
	return with_file(session, args, load_path);
}

static int
check(struct fcn_session *session, const struct fcn_args *args)
{
	return with_file(session, args, check_path);
}

/* ---- rollback ---- */

static int
return_to(struct fcn_session *session, const struct fcn_args *args, unsigned int n,
		const char *config)
{
	const struct fcn_commit to = *fcn_commits_get(session->commits, n);
	const struct fcn_session_text text = {"rollback", config};
	struct change change;
	int rc = prepare(session, args, &change);

	if (rc != 0)
		return rc;
	keep(session, "before rollback %u", n);
	rc = fcn_session_return(session, &text, session->out);
	if (rc == 0) {
		keep(session, "rollback %u, %s", n, to.comment);
		fprintf(session->out, "the configuration of rollback %u is in force: %s, by %s\n",
				n, to.comment, to.user);
	}
	finish(session, &change, rc);
	return rc == 0 ? 0 : fcn_command_error(args, rc, "n", "the switch has not gone back");
}

int
fcn_session_rollback_text(struct fcn_session *session, const struct fcn_args *args, char **text)
{
	const uint64_t n = fcn_args_u64(args, "n", 0);
	char err[FCN_COMMIT_PATH + 128];
	int rc = need_commits(session, args);

	*text = NULL;
	if (rc != 0)
		return rc;
	if (fcn_commits_count(session->commits) == 0)
		return fcn_command_error(args, -ENOENT, "n", "no configuration is kept yet");
	if (n >= fcn_commits_count(session->commits))
		return fcn_command_error(args, -ENOENT, "n",
				"there is no rollback %" PRIu64 ", the last is %u", n,
				fcn_commits_count(session->commits) - 1);
	rc = fcn_commits_read(session->commits, (unsigned int)n, text, err, sizeof(err));
	return rc == 0 ? 0 : fcn_command_error(args, rc, "n", "%s", err);
}

static int
rollback(struct fcn_session *session, const struct fcn_args *args)
{
	char *text;
	int rc = fcn_session_rollback_text(session, args, &text);

	if (rc == 0)
		rc = return_to(session, args, (unsigned int)fcn_args_u64(args, "n", 0), text);
	free(text);
	return rc;
}

static const struct fcn_command commands[] = {
		{"save [<file:name>]",
				"Write the running configuration to a file. Without a name, it is "
				"the configuration file: the one of -f, or the first that was "
				"loaded in place of all or saved. Not possible while a "
				"configuration is on trial",
				FCN_COMMAND_ACTION, save},
		{"load <file:name> replace",
				"Replace the running configuration by that of a file. If the "
				"file has an error, nothing is changed",
				FCN_COMMAND_ACTION, load},
		{"load <file:name>",
				"Add the commands of a file to the running configuration. If "
				"the file has an error, nothing is changed",
				FCN_COMMAND_ACTION, load},
		{"load <file:name> [replace] confirm <seconds:number>",
				"Load a file on trial: unless `commit` confirms it within so many "
				"seconds, the switch goes back to the configuration of before",
				FCN_COMMAND_ACTION, load},
		{"load <file:name> [replace] check",
				"Show what loading a file would change, what is wrong with it, and "
				"the warnings that it would raise, and change nothing. Whether "
				"devices are there is not looked at",
				FCN_COMMAND_ACTION, check},
		{"commit [comment <comment:text>]",
				"Confirm what is on trial, and keep the running configuration as "
				"`rollback 0`. Commands take effect without it",
				FCN_COMMAND_ACTION, commit},
		{"commit confirm <seconds:number>",
				"Have all changes from now on be on trial: unless `commit` "
				"confirms them within so many seconds, the switch goes back to the "
				"present configuration, also if it is restarted within the time",
				FCN_COMMAND_ACTION, commit_confirm},
		{"rollback <n:number>",
				"Go back to a configuration of `show rollback`; 0 is the last one "
				"that was kept. What is not there any more is left out with a "
				"warning",
				FCN_COMMAND_ACTION, rollback},
		{"rollback <n:number> confirm <seconds:number>",
				"The same on trial: unless `commit` confirms it within so many "
				"seconds, the switch returns to the present configuration",
				FCN_COMMAND_ACTION, rollback},
};

const struct fcn_command_group fcn_load_commands = {"Configuration", commands, RTE_DIM(commands)};
