// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

// Read the feed once a second, and show it.

import {bits, bytes, clock, element, setClass, setText, short, valueText} from "./format.js";
import {History, Line} from "./history.js";
import {QueueMap, heatOf, stateOf} from "./map.js";
import {Table, objects} from "./tables.js";

const PERIOD_MS = 1000, PATIENCE_MS = 8000, EVENTS = 200;
const id = (name) => document.getElementById(name);

const map = new QueueMap(id("map"), id("legend"), id("queue"), id("which"));
const tables = {
	warnings: new Table(id("warnings"), {caption: "Warnings in force", empty: "None.", command: "show warnings"}),
	verdicts: new Table(id("verdicts"), {caption: "Packets that met congestion, by what became of their notice",
		empty: "No packet has met congestion.", key: ["kind", "verdict"], counter: "packets"}),
	missing: new Table(id("missing"), {caption: "Why senders get no notice, by class queue",
		empty: "Nothing is missing.", command: "show notify missing"}),
	flows: new Table(id("flows"), {caption: "Flows that met congestion", empty: "None yet.",
		hidden: ["qp", "proto", "src_port", "dst_port", "first_ns", "last_ns", "first_seen", "max_level", "more_bytes_at_most", "exact"]}),
	drops: new Table(id("drops"), {caption: "Dropped packets by reason", empty: "No packet was dropped.", key: ["reason"],
		counter: "packets"}),
	events: new Table(id("events"), {caption: "The latest events, newest first", empty: "None yet."}),
};
const tiles = {};
for (const [name, text] of Object.entries({rx: "In", tx: "Out", notices: "Notices", marks: "CE marks", drops: "Drops",
	congested: "Congested queues", fullest: "Fullest queue"})) {
	const tile = tiles[name] = {history: new History(), line: new Line(), value: element("dd"), box: element("div")};
	tile.box.append(element("dt", {}, text), tile.value, element("dd", {class: "drawn"}, tile.line.svg));
	id("tiles").append(tile.box);
}

// shownAt: when the feed was shown last, for rates; 0: too long ago
let etag = null, feed = null, fresh = false, shownAt = 0, answeredAt = 0, timer = 0, busy = false, paused = false;
const events = new Map(); // by their text

// ---- what is shown ----

function setTile(name, value, text, hot, mark = null)
{
	const tile = tiles[name];
	tile.history.push(value);
	tile.line.draw(tile.history, mark);
	setText(tile.value, text);
	setClass(tile.box, hot ? "hot" : "");
}

function showTiles(ports, queues)
{
	const sum = (list, member) => list.reduce((n, item) => n + item[member], 0);
	const congested = queues.filter((q) => ["congested", "dropping"].includes(stateOf(q)));
	const fullest = queues.reduce((a, b) => (a === null || heatOf(b) > heatOf(a) ? b : a), null);
	const heat = fullest ? heatOf(fullest) : 0;
	const rx = sum(ports, "rx_bps"), tx = sum(ports, "tx_bps"), notices = sum(ports, "notices_per_s");
	const marks = sum(queues, "ce_marked_per_s"), drops = sum(ports, "drops_per_s");
	setTile("rx", rx, bits(rx), false);
	setTile("tx", tx, bits(tx), false);
	setTile("notices", notices, short(notices) + "/s", false);
	setTile("marks", marks, short(marks) + "/s", false);
	setTile("drops", drops, short(drops) + "/s", drops > 0);
	setTile("congested", congested.length, `${congested.length} of ${queues.length}`, congested.length > 0);
	setTile("fullest", heat, fullest && fullest.occ_last > 0
		? `${fullest.port}/${fullest.class} ${bytes(fullest.occ_last)}` : "empty", heat >= 0.5, 0.5);
	document.title = (congested.length ? `(${congested.length}) ` : "") + location.host + " - fastcn";
}

function showStatus(status, warnings)
{
	const stalled = status.stalled_workers;
	const n = warnings.rows.length + (warnings.left_out || 0);
	const state = stalled.length ? "stalled" : status.forwarding ? "forwarding" : "stopped";
	const text = {stalled: `${stalled.length} of ${status.workers} workers stalled`, forwarding: "Forwarding",
		stopped: "Not forwarding"}[state] + (n ? `, ${n} warning${n > 1 ? "s" : ""}` : "");
	setText(id("state"), text);
	setClass(id("state"), "state " + (n && state === "forwarding" ? "warned" : state));
	setText(id("facts"), `${status.ports.up} of ${status.ports.all} ports up` +
		(status.since ? `, since ${clock(Date.parse(status.since), false)}` : "") +
		(status.configuration && !status.configuration.saved ? ", configuration not saved" : ""));
	id("stalled").hidden = stalled.length === 0;
	setText(id("stalled-text"), `Worker${stalled.length > 1 ? "s" : ""} ${stalled.join(", ")}: the thread does not run, and the ` +
		"ports that it has forward nothing. show worker names them.");
	id("warnings-section").hidden = n === 0;
}

// What an event has besides its time, kind, place and sentence.
function detailOf(event)
{
	const named = ["time_ns", "event", "port", "class", "occupancy", "event_text"];
	return Object.entries(event).filter(([name, value]) => !named.includes(name) && value !== null)
		.map(([name, value]) => `${name} ${valueText(name, value, 0)}`).join(", ");
}

function showEvents(list, epoch)
{
	for (const event of objects(list)) {
		const key = JSON.stringify(Object.values(event).filter((value) => value !== null));
		if (!events.has(key))
			events.set(key, {...event, time: valueText("time_ns", event.time_ns, epoch), detail: detailOf(event)});
	}
	while (events.size > EVENTS)
		events.delete(events.keys().next().value);
	drawEvents();
}

function drawEvents()
{
	const select = id("kind");
	const known = new Set([...select.options].map((option) => option.value));
	for (const event of events.values())
		if (!known.has(event.event)) {
			known.add(event.event);
			select.append(element("option", {value: event.event}, event.event));
		}
	const rows = [...events.values()].reverse().filter((event) => !select.value || event.event === select.value);
	const columns = ["time", "event", "port", "class", "occupancy", "detail", "event_text"];
	tables.events.update({columns, rows: []}, {rows});
}

// Seconds in which nothing was asked are gaps in the lines.
function addGaps(seconds)
{
	for (const history of [...Object.values(tiles).map((tile) => tile.history), ...map.history.values()])
		history.gap(seconds);
}

function show()
{
	const epoch = feed.epoch_ms || 0;
	const ports = objects(feed.ports), queues = objects(feed.queues);
	showStatus(feed.status, feed.warnings);
	showTiles(ports, queues);
	map.update(ports, queues);
	for (const name of ["warnings", "verdicts", "missing", "flows", "drops"])
		tables[name].update(feed[name], {epoch, made: name === "verdicts" ? feed.made_ms : feed.lists_made_ms});
	showEvents(feed.events, epoch);
	setText(id("version"), `fastcn ${feed.version}. This page changes nothing; it reads the switch once a second while it is in ` +
		"sight.");
}

function fail(why)
{
	const since = answeredAt ? ` since ${clock(answeredAt, false)}` : "";
	setText(id("state"), `No answer${since}: ${why}`);
	setClass(id("state"), "state lost");
	document.body.classList.add("old");
	document.title = "(no answer) " + location.host + " - fastcn";
}

// ---- the feed ----

async function read()
{
	const stop = new AbortController();
	const patience = setTimeout(() => stop.abort(), PATIENCE_MS);
	try {
		const answer = await fetch("feed", {cache: "no-store", signal: stop.signal,
			headers: etag ? {"If-None-Match": etag} : {}});
		fresh = answer.status === 200;
		if (fresh) {
			feed = await answer.json();
			etag = answer.headers.get("ETag");
		} else if (answer.status !== 304) {
			throw new Error(answer.status === 503 ? "the switch is busy" : `status ${answer.status}`);
		}
	} finally {
		clearTimeout(patience);
	}
}

function accept()
{
	const now = performance.now(), missed = answeredAt ? Math.round((Date.now() - answeredAt) / PERIOD_MS) - 1 : 0;
	answeredAt = Date.now();
	if (missed > 2)
		addGaps(missed);
	// What has not changed is what it would be if it were made now.
	if (!fresh && shownAt) {
		feed.made_ms += now - shownAt;
		feed.lists_made_ms += now - shownAt;
	}
	show();
	shownAt = now;
	document.body.classList.remove("old");
	setText(id("time"), clock(answeredAt, false));
}

async function turn()
{
	const version = feed && feed.version;
	let why = "";
	if (busy)
		return;
	busy = true;
	try {
		await read();
	} catch (error) {
		why = error instanceof TypeError ? "the switch cannot be reached" : error.name === "AbortError" ? "it takes too long"
			: error.message;
	}
	busy = false;
	// Browsers that began together do not ask together.
	schedule((why ? 2 : 1) * PERIOD_MS * (1 + 0.1 * Math.random()));
	if (why) {
		shownAt = 0;
		fail(why);
	} else if (version && version !== feed.version) {
		location.reload(); // another version of the switch, and of this page
	} else {
		accept();
	}
}

function schedule(ms)
{
	clearTimeout(timer);
	if (!paused && !document.hidden)
		timer = setTimeout(turn, ms);
}

id("pause").addEventListener("click", () => {
	paused = !paused;
	id("pause").setAttribute("aria-pressed", String(paused));
	setText(id("pause"), paused ? "Go on" : "Pause");
	document.body.classList.toggle("paused", paused);
	shownAt = 0;
	schedule(0);
});
document.addEventListener("visibilitychange", () => {
	shownAt = 0;
	schedule(0);
});
id("which").addEventListener("change", () => map.arrange());
id("kind").addEventListener("change", drawEvents);
setText(id("name"), location.host);
turn();
