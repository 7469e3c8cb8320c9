// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The fastcn authors

// Lists as tables. A table is changed where it has changed, so that a selection, or the place of a screen reader, stays.

import {element, label, setText, short, valueText, whole} from "./format.js";

// The objects of a list of the feed.
export function objects(list)
{
	return list.rows.map((row) => Object.fromEntries(list.columns.map((name, i) => [name, row[i]])));
}

// What is a sentence goes last. What nothing is known of in any row is left out.
function ordered(list, rows, hidden)
{
	const sentence = (name) => name.endsWith("_text") || name === "why" || name === "help";
	const columns = list.columns.filter((name) => !hidden.includes(name) &&
		rows.some((row) => row[name] !== null && row[name] !== undefined));
	return columns.filter((name) => !sentence(name)).concat(columns.filter(sentence));
}

export class Table {
	// place: element that has the table
	// empty: sentence for a list without rows
	// hidden: columns that are left out; key: columns that tell rows apart, for rates; counter: column of which there is a rate; command: shows all rows
	constructor(place, {caption, empty, key = [], counter = null, hidden = [], command = ""})
	{
		Object.assign(this, {place, empty, key, counter, hidden, command});
		this.names = "";
		this.before = new Map();
		this.head = element("tr", {role: "row"});
		this.body = element("tbody", {role: "rowgroup"});
		this.table = element("table", {role: "table", class: "list"}, element("caption", {class: "unseen"}, caption),
			element("thead", {role: "rowgroup"}, this.head), this.body);
		this.none = element("p", {class: "none"}, empty);
		this.more = element("p", {class: "none"});
		place.append(this.table, this.none, this.more);
	}

	setColumns(columns)
	{
		if (this.names === columns.join())
			return;
		this.names = columns.join();
		this.head.replaceChildren(...columns.map((name) => element("th",
			{role: "columnheader", scope: "col", class: "c-" + name}, label(name))));
		this.body.replaceChildren();
	}

	// The growth of the counter between this table and the one that was made before it, a second. A table can be shown
	// several times.
	rate(row, made, now)
	{
		const key = this.key.map((name) => row[name]).join(" ");
		const before = this.before.get(key), value = row[this.counter];
		let rate = 0;
		if (before !== undefined && made === this.made)
			rate = before.rate;
		else if (before !== undefined && value >= before.value && made > this.made)
			rate = (value - before.value) * 1000 / (made - this.made);
		now.set(key, {value, rate});
		return rate;
	}

	// made: when the switch made the table, milliseconds
	update(list, {epoch = 0, made = 0, rows = objects(list)} = {})
	{
		const columns = ordered(list, rows, this.hidden);
		const now = new Map();
		if (this.counter) {
			for (const row of rows)
				row.per_s = this.rate(row, made, now);
			if (columns.includes(this.counter))
				columns.splice(columns.indexOf(this.counter) + 1, 0, "per_s");
			this.before = now;
			this.made = made;
		}
		this.table.hidden = rows.length === 0;
		this.none.hidden = rows.length !== 0;
		setText(this.more, list.left_out ? `and ${whole(list.left_out)} more: ${this.command}` : "");
		this.more.hidden = !list.left_out;
		if (rows.length === 0)
			return;
		this.setColumns(columns);
		columns.forEach((name, i) => this.head.cells[i].classList.toggle("number",
			typeof rows[0][name] === "number" && !name.endsWith("_ns")));
		while (this.body.rows.length > rows.length)
			this.body.lastElementChild.remove();
		rows.forEach((row, i) => this.updateRow(this.body.rows[i] || this.addRow(columns), columns, row, epoch));
	}

	addRow(columns)
	{
		const cells = columns.map((name) => element("td", {role: "cell", "data-label": label(name), class: "c-" + name}));
		const row = element("tr", {role: "row"}, ...cells);
		this.body.append(row);
		return row;
	}

	updateRow(line, columns, row, epoch)
	{
		line.className = row.line_class || "";
		columns.forEach((name, i) => {
			const cell = line.cells[i];
			const value = row[name];
			const text = name === "per_s" ? (value ? short(value) + "/s" : "-") : valueText(name, value, epoch);
			cell.classList.toggle("number", typeof value === "number" && !name.endsWith("_ns"));
			cell.classList.toggle("nothing", text === "-");
			setText(cell, text);
		});
	}
}
