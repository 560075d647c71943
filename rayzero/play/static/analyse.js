// Analyse: the engine looks and says what it sees; it never moves.
import { $, el, percent, toast } from "./dom.js";
import { api } from "./api.js";
import { Sweep } from "./sweep.js";

const BUDGET = 1600;

export class Analyse {
  constructor(app) {
    this.app = app;
    this.on = true;
    this.heat = true;
    this.exact = true;
    this.report = null;
    this.scores = null;
    this.preview = null;
    this.budget = BUDGET;
    this.model = el("select", { "aria-label": "Analysing model", onchange: () => { app.remember(); this.look(); } });
    const toggle = (label, name, after) => el("label", { class: "toggle" },
      el("input", { type: "checkbox", checked: this[name], "data-toggle": name, onchange: (event) => { this[name] = event.target.checked; after(); } }), label);
    this.exactToggle = toggle("Exact scores", "exact", () => this.#askExact());
    this.opinion = el("div", { class: "card" });
    this.sweep = new Sweep(app, this);
    this.settings = el("div", { class: "card" }, el("div", { class: "field" }, el("span", {}, "Analysing model"), this.model),
      el("div", { class: "row" }, toggle("Engine", "on", () => this.look()), toggle("Heat map", "heat", () => app.render()), this.exactToggle));
    $("analyse-panel").append(this.opinion, this.sweep.element, this.settings);
  }

  setGame(game, models, preferred) {
    this.exactToggle.hidden = !game.exact;
    this.model.replaceChildren(...models.map((model) => el("option", { value: model.id }, model.title)));
    if (models.some((model) => model.id === preferred)) this.model.value = preferred;
    this.sweep.clear();
  }

  get table() { return this.app.table; }

  toggle(name) {
    const box = $("analyse-panel").querySelector(`[data-toggle="${name}"]`);
    if (box && !box.closest("[hidden]")) box.click();
  }

  // Look anew at the position at the cursor.
  look(budget = BUDGET) {
    this.budget = budget;
    this.report = null;
    this.preview = null;
    this.scores = null;
    if (this.app.mode !== "analyse") return;
    this.#askExact();
    const over = this.table.over && this.table.atEnd && this.table.session.outcome.reason !== "resigned";
    if (!this.on || over || this.sweep.busy || this.sweep.retry) {
      if (!this.sweep.busy) this.app.thinking.stop();
      return this.app.render();
    }
    const { cursor, actions, game } = this.table;
    this.app.thinking.ask({ kind: "position", game: game.name, moves: actions.slice(0, cursor), model: this.model.value, simulations: budget }, (message) => {
      if (message.kind === "error") return toast(message.message);
      this.report = message.report;
      this.render();
      this.app.renderBoard();
    });
    this.app.render();
  }

  async #askExact() {
    const { table } = this;
    if (!table.game.exact || !this.exact || this.sweep.retry) { this.scores = null; return this.app.render(); }
    const { cursor } = table;
    const session = table.session;
    try {
      const answer = await api.truth(session.id, cursor);
      if (table.session === session && table.cursor === cursor && this.exact) { this.scores = answer.scores; this.app.render(); }
    } catch { /* The opinion stands without the truth beside it. */ }
  }

  async played(action) {
    if (this.sweep.retry) return this.sweep.tried(action);
    await this.app.attempt(() => this.table.play(action));
  }

  // What the board shows of it: action -> share of the visits.
  heatMap() {
    if (!this.report || !this.heat || this.sweep.retry || !this.report.moves.length) return null;
    const cells = this.table.cells();
    const most = Math.max(...this.report.moves.map((move) => move.visits));
    const shown = this.report.moves.filter((move) => move.share >= 0.01 || move.visits === most);
    return new Map(shown.map((move) => [move.action,
      { cell: this.table.landing(move.action, cells), share: move.share, label: move.visits ? percent(move.share) : "✓", best: move.action === this.report.best }]));
  }

  variation() { return this.preview ? this.table.variation(this.preview) : null; }

  status() {
    const { table } = this;
    if (this.sweep.retry) return this.sweep.retryText();
    if (table.atEnd && table.over) return table.outcome();
    return `${table.game.players[table.playerAt(table.cursor)]} to move.`;
  }

  render() {
    // Reports come ten times a second: the focus stays on the button where it was.
    const buttons = () => [...this.opinion.querySelectorAll("button")];
    const focused = buttons().indexOf(document.activeElement);
    this.opinion.replaceChildren(...this.#opinion());
    if (focused >= 0) buttons()[Math.min(focused, buttons().length - 1)]?.focus();
    this.sweep.render();
  }

  #opinion() {
    if (this.sweep.retry) return [el("p", { class: "fine" }, "The engine keeps silent while you try.")];
    const { table, report } = this;
    if (table.atEnd && table.over) return [el("h2", {}, "The game is over"), el("p", {}, table.outcome())];
    if (!this.on) return [el("p", { class: "fine" }, "The engine is off (key E).")];
    if (!report?.simulations && !report?.proven) return [el("p", { class: "fine" }, this.sweep.busy ? "Looking at the whole game…" : "Thinking…")];
    return [report.proven ? null : this.#bar(), this.#facts(), this.#proof(), this.#moves(), this.#line()].filter(Boolean);
  }

  #bar() {
    const { game } = this.table;
    const mover = this.table.playerAt(this.table.cursor);
    const [win, draw, loss] = this.report.wdl;
    const [first, second] = mover === 0 ? [win, loss] : [loss, win];
    const part = (share, kind) => {
      const box = el("div", { class: kind }, share >= 0.13 ? percent(share) : "");
      box.style.flex = `${Math.max(share, 0.0001)} 1 0`;
      return box;
    };
    return el("div", { class: "field", role: "img", "aria-label": `${game.players[0]} wins ${percent(first)}, draw ${percent(draw)}, ${game.players[1]} wins ${percent(second)}` },
      el("div", { class: "wdl", "aria-hidden": "true" }, part(first, "first"), part(draw, "draw"), part(second, "second")),
      el("div", { class: "wdl-key", "aria-hidden": "true" }, el("span", {}, `${game.players[0]} ${percent(first)}`), el("span", {}, `draw ${percent(draw)}`), el("span", {}, `${game.players[1]} ${percent(second)}`)));
  }

  #facts() {
    const { simulations, moves_left: left, done } = this.report;
    return el("div", { class: "facts" },
      simulations ? el("span", {}, el("b", {}, simulations.toLocaleString("en")), " simulations") : null,
      left > 0 && !this.report.proven ? el("span", {}, "≈ ", el("b", {}, String(Math.round(left))), " plies left") : null,
      done && !this.report.proven ? el("button", { type: "button", class: "plain small", onclick: () => this.look(this.budget * 4) }, "Deeper") : null);
  }

  #proof() {
    const { proven } = this.report;
    if (!proven) return null;
    const mover = this.table.game.players[this.table.playerAt(this.table.cursor)];
    const text = { win: `Proven: ${mover} wins`, loss: `Proven: ${mover} loses`, draw: "Proven: a draw" }[proven.result];
    return el("p", { class: "proof" }, proven.plies ? `${text} within ${proven.plies} ${proven.plies === 1 ? "ply" : "plies"}.` : `${text}.`);
  }

  // Pure MCTS counts visits only.
  get #knows() { return this.report.moves.some((move) => move.q !== null); }

  #moves() {
    const exact = this.scores;
    const rows = this.report.moves.slice(0, 6).map((move) => {
      const bar = el("span", { class: "bar" });
      bar.style.width = `${Math.max(2, 46 * move.share)}px`;
      const score = exact?.[move.action];
      return el("tr", { class: move.action === this.report.best ? "top-move" : null },
        el("td", {}, el("button", { type: "button", class: "link", onclick: () => this.played(move.action), "aria-label": `Play ${this.table.name(move.action)}` }, this.table.name(move.action))),
        el("td", {}, bar, move.visits.toLocaleString("en")), this.#knows ? el("td", {}, move.q === null ? "–" : percent((1 + move.q) / 2)) : null,
        this.#knows ? el("td", {}, percent(move.prior)) : null, exact ? el("td", {}, score === null || score === undefined ? "–" : score > 0 ? `+${score}` : String(score).replace("-", "−")) : null);
    });
    return el("table", {}, el("thead", {}, el("tr", {}, ...["Move", "Visits", ...(this.#knows ? ["Expects", "Net"] : []), ...(exact ? ["Exact"] : [])].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...rows));
  }

  #line() {
    const line = this.report.line;
    if (line.length < 2) return null;
    const show = (moves) => { this.preview = moves; this.app.renderBoard(); };
    const buttons = line.map((action, i) => el("button", { type: "button", class: "link", onmouseenter: () => show(line.slice(0, i + 1)), onfocus: () => show(line.slice(0, i + 1)), onblur: () => show(null), onclick: () => show(line.slice(0, i + 1)) }, this.table.name(action)));
    return el("div", { class: "line-moves", role: "group", "aria-label": "Expected line", onmouseleave: () => show(null) }, ...buttons);
  }
}
