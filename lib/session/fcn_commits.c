/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bsd/string.h>
#include <rte_common.h>

#include "commit_file.h"
#include "fcn_json_text.h"
#include "fcn_show.h"
#include "session_private.h"

#define RETRY_MS 1000
#define PLACE "commit confirm" /* of the warning */

struct fcn_commits {
	struct fcn_commits_conf conf;
	struct fcn_commit kept[FCN_COMMITS_KEPT]; /* the last one first */
	unsigned int n;
	uint64_t next; /* number of the next one */
	bool on_trial;
	struct fcn_commit trial;
	uint64_t due_ms;     /* end of the trial */
	char complaint[512]; /* why going back has failed; "": it has not */
	bool cannot_write;   /* the last file could not be written, which was told */
	bool trial_in_file;  /* the file of the present trial could be written */
};

__attribute__((format(printf, 2, 3))) static void
tell(const struct fcn_commits *c, const char *fmt, ...)
{
	char line[FCN_COMMIT_PATH + 256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fcn_control_log(c->conf.ctl, line);
}

struct fcn_commits *
fcn_commits_create(const struct fcn_commits_conf *conf)
{
	struct fcn_commits *c = calloc(1, sizeof(*c));

	if (c == NULL)
		return NULL;
	c->conf = *conf;
	c->next = 1;
	return c;
}

void
fcn_commits_free(struct fcn_commits *c)
{
	if (c == NULL)
		return;
	for (unsigned int i = 0; i < c->n; i++)
		free(c->kept[i].text);
	free(c->trial.text);
	free(c);
}

/* ---- the directory ---- */

struct opening {
	struct fcn_commits *commits;
	uint64_t broken[FCN_COMMITS_KEPT]; /* numbers of files that are not whole */
	unsigned int n_broken;
	bool broken_trial;
	struct fcn_commit trial;
	int rc;
};

/* Insert a file among those that are kept, by its number. @return the number of the one that is now
 * too many; 0: there is none */
static uint64_t
insert(struct fcn_commits *c, const struct fcn_commit *commit)
{
	unsigned int at = 0;
	uint64_t out = 0;

	while (at < c->n && c->kept[at].number > commit->number)
		at++;
	if (at == FCN_COMMITS_KEPT)
		return commit->number;
	if (c->n == FCN_COMMITS_KEPT) {
		out = c->kept[--c->n].number;
		free(c->kept[c->n].text);
	}
	memmove(&c->kept[at + 1], &c->kept[at], (c->n - at) * sizeof(c->kept[0]));
	c->kept[at] = *commit;
	c->n++;
	return out;
}

static void
read_one(struct opening *o, const char *name)
{
	struct fcn_commits *c = o->commits;
	struct fcn_commit commit = {0};
	char path[FCN_COMMIT_PATH];
	uint64_t surplus = 0;
	int rc;

	if (!commit_file_number(name, &commit.number))
		return;
	c->next = RTE_MAX(c->next, commit.number + 1);
	commit_file_name(path, sizeof(path), c->conf.directory, commit.number);
	rc = commit_file_read(path, &commit, NULL);
	if (rc == 0) /* a program that was killed may not have removed the oldest one */
		surplus = insert(c, &commit);
	if (surplus != 0)
		commit_file_remove(c->conf.directory, surplus);
	if (rc != 0 && o->n_broken < RTE_DIM(o->broken))
		o->broken[o->n_broken++] = commit.number;
}

static void
read_trial(struct opening *o)
{
	char path[FCN_COMMIT_PATH];
	int rc;

	commit_file_name(path, sizeof(path), o->commits->conf.directory, UINT64_MAX);
	rc = commit_file_read(path, &o->trial, &o->trial.text);
	o->broken_trial = rc != 0 && rc != -ENOENT;
	o->trial.number = UINT64_MAX;
}

/* Runs on the helper thread. */
static void
read_directory(void *arg)
{
	struct opening *o = arg;
	DIR *dir = opendir(o->commits->conf.directory);
	struct dirent *e;

	if (dir == NULL) {
		o->rc = errno == ENOENT ? 0 : -errno;
		return;
	}
	while ((e = readdir(dir)) != NULL)
		read_one(o, e->d_name);
	closedir(dir);
	read_trial(o);
}

struct writing {
	const char *directory;
	const struct fcn_commit *commit;
	const char *text;
	uint64_t remove; /* number of a file that goes when the other one is there; 0: none */
	int rc;
	char err[FCN_COMMIT_PATH + 256];
};

/* Runs on the helper thread. */
static void
write_one(void *arg)
{
	struct writing *w = arg;

	w->rc = w->text != NULL ? commit_file_write(w->directory, w->commit, w->text, w->err,
						  sizeof(w->err))
				: 0;
	if (w->rc != 0 || w->remove == 0)
		return;
	w->rc = commit_file_remove(w->directory, w->remove);
	if (w->rc != 0)
		snprintf(w->err, sizeof(w->err), "%s: a file cannot be removed: %s", w->directory,
				strerror(-w->rc));
}

/* Write a file. @return whether it is there */
static bool
put(struct fcn_commits *c, const struct fcn_commit *commit, const char *text, uint64_t remove)
{
	struct writing w = {.directory = c->conf.directory,
			.commit = commit,
			.text = text,
			.remove = remove};

	if (w.directory == NULL)
		return false;
	fcn_control_aside(c->conf.ctl, write_one, &w);
	if (w.rc != 0 && text == NULL)
		tell(c, "rollback: %s; a restart would go back to the configuration of before",
				w.err);
	else if (w.rc != 0 && !c->cannot_write)
		tell(c, "rollback: %s; configurations are kept in memory only", w.err);
	if (text != NULL)
		c->cannot_write = w.rc != 0;
	return w.rc == 0;
}

/* ---- configurations that are kept ---- */

bool
fcn_commits_keep(struct fcn_commits *c, const char *user, const char *comment)
{
	struct fcn_commit commit = {.number = c->next};
	uint64_t out;

	if (fcn_session_saved(fcn_control_config(c->conf.ctl), &commit.text) != 0)
		return false;
	commit_file_describe(&commit, commit.text);
	if (c->n > 0 && c->kept[0].digest == commit.digest && c->kept[0].lines == commit.lines) {
		free(commit.text);
		return false;
	}
	commit.time_s = c->conf.unix_s(c->conf.arg);
	strlcpy(commit.user, user, sizeof(commit.user));
	strlcpy(commit.comment, comment, sizeof(commit.comment));
	c->next++;
	out = insert(c, &commit);
	if (put(c, &commit, commit.text, out)) {
		free(commit.text);
		c->kept[0].text = NULL;
	}
	return true;
}

unsigned int
fcn_commits_count(const struct fcn_commits *c)
{
	return c->n;
}

const struct fcn_commit *
fcn_commits_get(const struct fcn_commits *c, unsigned int n)
{
	return &c->kept[n];
}

struct reading {
	char path[FCN_COMMIT_PATH];
	char *text;
	int rc;
};

/* Runs on the helper thread. */
static void
read_text(void *arg)
{
	struct reading *r = arg;

	r->rc = commit_file_read(r->path, NULL, &r->text);
}

int
fcn_commits_read(const struct fcn_commits *c, unsigned int n, char **text, char *err,
		size_t err_size)
{
	struct reading r = {.text = NULL};

	if (c->kept[n].text != NULL) {
		*text = strdup(c->kept[n].text);
		r.rc = *text != NULL ? 0 : -ENOMEM;
		if (r.rc != 0)
			snprintf(err, err_size, "out of memory");
		return r.rc;
	}
	commit_file_name(r.path, sizeof(r.path), c->conf.directory, c->kept[n].number);
	fcn_control_aside(c->conf.ctl, read_text, &r);
	*text = r.text;
	if (r.rc != 0)
		snprintf(err, err_size, "%s: %s", r.path,
				r.rc == -EBADMSG ? "the file is not whole" : strerror(-r.rc));
	return r.rc;
}

/* ---- trials ---- */

static void
format_time(uint64_t unix_s, char *text, size_t size)
{
	const time_t t = (time_t)unix_s;
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void
warn(struct fcn_commits *c)
{
	char text[32];

	format_time(c->trial.time_s + c->trial.seconds, text, sizeof(text));
	fcn_control_warn(c->conf.ctl, FCN_WARNING_UNCONFIRMED, FCN_MAX_PORTS, PLACE,
			"at %s, the switch goes back to the configuration of before, unless "
			"`commit` "
			"confirms the present one; begun by %s",
			text, c->trial.user);
}

int
fcn_commits_try(struct fcn_commits *c, const char *user, uint64_t seconds, const char *before)
{
	if (!c->on_trial) {
		char *text = strdup(before);

		if (text == NULL)
			return -ENOMEM;
		free(c->trial.text);
		c->trial = (struct fcn_commit){.number = UINT64_MAX, .text = text};
		commit_file_describe(&c->trial, text);
	}
	strlcpy(c->trial.user, user, sizeof(c->trial.user));
	strlcpy(c->trial.comment, "the one before commit confirm", sizeof(c->trial.comment));
	c->trial.time_s = c->conf.unix_s(c->conf.arg);
	c->trial.seconds = seconds;
	c->due_ms = c->conf.now_ms(c->conf.arg) + seconds * 1000;
	c->on_trial = true;
	c->complaint[0] = '\0';
	c->trial_in_file = put(c, &c->trial, c->trial.text, 0);
	warn(c);
	return 0;
}

bool
fcn_commits_trial_is_in_file(const struct fcn_commits *c)
{
	return c->on_trial && c->trial_in_file;
}

const struct fcn_commit *
fcn_commits_trial(const struct fcn_commits *c)
{
	return c->on_trial ? &c->trial : NULL;
}

uint64_t
fcn_commits_left(const struct fcn_commits *c)
{
	const uint64_t now = c->conf.now_ms(c->conf.arg);

	return c->on_trial && c->due_ms > now ? (c->due_ms - now + 999) / 1000 : 0;
}

void
fcn_commits_confirm(struct fcn_commits *c)
{
	if (!c->on_trial)
		return;
	c->on_trial = false;
	free(c->trial.text);
	c->trial.text = NULL;
	put(c, &c->trial, NULL, UINT64_MAX);
	fcn_control_warning_over(c->conf.ctl, FCN_WARNING_UNCONFIRMED, PLACE);
}

/* Going back has failed. The log has the reason once. */
static void
complain(struct fcn_commits *c, const char *why)
{
	c->due_ms = c->conf.now_ms(c->conf.arg) + RETRY_MS;
	if (strncmp(why, c->complaint, sizeof(c->complaint) - 1) == 0)
		return;
	strlcpy(c->complaint, why, sizeof(c->complaint));
	tell(c, "commit confirm: the switch cannot go back yet, and tries again each second: %.*s",
			(int)strcspn(why, "\n"), why);
}

void
fcn_commits_poll(struct fcn_commits *c, const struct fcn_session *session)
{
	const struct fcn_session_text text = {"commit confirm", c->trial.text};
	struct fcn_session own = *session;
	char *said = NULL, line[64], user[FCN_COMMIT_USER];
	size_t size;

	if (!c->on_trial || c->conf.now_ms(c->conf.arg) < c->due_ms)
		return;
	own.out = open_memstream(&said, &size);
	if (own.out == NULL)
		return;
	strlcpy(user, c->trial.user, sizeof(user));
	fcn_commits_keep(c, user, "not confirmed");
	if (fcn_session_return(&own, &text, own.out) == 0) {
		snprintf(line, sizeof(line), "commit confirm %" PRIu64, c->trial.seconds);
		own.user = session->user != NULL ? user : NULL;
		fcn_session_note(&own, FCN_EVENT_REVERTED, line);
		tell(c,
				"commit confirm: nothing was confirmed for %" PRIu64
				" s; the configuration is that of before %s's changes",
				c->trial.seconds, user);
		fcn_commits_confirm(c);
		fcn_commits_keep(c, user, "gone back to, as nothing was confirmed");
		fclose(own.out);
	} else {
		fflush(own.out);
		complain(c, said);
		fclose(own.out);
	}
	free(said);
}

/* Go on with the trial of a program before. */
static void
resume(struct fcn_commits *c, struct fcn_commit *trial)
{
	const uint64_t now = c->conf.unix_s(c->conf.arg), end = trial->time_s + trial->seconds;
	uint64_t left = now < end ? end - now : 0;

	/* The clock may have been set since. */
	left = RTE_MIN(left, trial->seconds);
	left = RTE_MIN(left, (uint64_t)FCN_COMMIT_SECONDS);
	if (left == 0) {
		/* What was loaded instead may be newer than what was in force before the trial. */
		tell(c, "commit confirm: a trial ended while no switch ran; the configuration that "
			"was loaded stays");
		put(c, trial, NULL, UINT64_MAX);
		free(trial->text);
		return;
	}
	c->trial = *trial;
	c->on_trial = c->trial_in_file = true;
	c->due_ms = c->conf.now_ms(c->conf.arg) + left * 1000;
	warn(c);
	tell(c,
			"commit confirm: the program before has ended within the time of a trial, "
			"of "
			"which %" PRIu64 " s are left",
			left);
}

void
fcn_commits_open(struct fcn_commits *c)
{
	struct opening o = {.commits = c};
	char path[FCN_COMMIT_PATH];

	if (c->conf.directory == NULL)
		return;
	fcn_control_aside(c->conf.ctl, read_directory, &o);
	if (o.rc != 0)
		tell(c, "rollback: %s: %s", c->conf.directory, strerror(-o.rc));
	for (unsigned int i = 0; i < o.n_broken; i++) {
		commit_file_name(path, sizeof(path), c->conf.directory, o.broken[i]);
		tell(c, "rollback: %s is not whole, and is ignored", path);
	}
	if (o.broken_trial)
		tell(c, "rollback: %s/" COMMIT_FILE_UNCONFIRMED " is not whole, and is ignored",
				c->conf.directory);
	if (o.trial.text != NULL)
		resume(c, &o.trial);
}

/* ---- show ---- */

static json_t *
show_commit(const struct fcn_commit *commit, unsigned int number)
{
	json_t *o = json_object();
	char text[32];

	fcn_show_set(o, "rollback", number);
	format_time(commit->time_s, text, sizeof(text));
	json_object_set_new(o, "time", json_string(text));
	json_object_set_new(o, "user", fcn_json_text(commit->user));
	json_object_set_new(o, "comment", fcn_json_text(commit->comment));
	fcn_show_set(o, "commands", commit->lines);
	return o;
}

json_t *
fcn_commits_show(void *arg)
{
	const struct fcn_commits *c = arg;
	json_t *o = json_object(), *list = json_array(), *trial = json_null();

	if (c->on_trial) {
		trial = json_object();
		json_object_set_new(trial, "user", fcn_json_text(c->trial.user));
		fcn_show_set(trial, "seconds", c->trial.seconds);
		fcn_show_set(trial, "left_s", fcn_commits_left(c));
	}
	json_object_set_new(o, "directory",
			c->conf.directory != NULL ? fcn_json_text(c->conf.directory) : json_null());
	json_object_set_new(o, "on_trial", trial);
	for (unsigned int i = 0; i < c->n; i++)
		json_array_append_new(list, show_commit(&c->kept[i], i));
	json_object_set_new(o, "configurations", list);
	return o;
}
