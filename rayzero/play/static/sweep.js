// One look at the whole game: a curve, the biggest mistakes, and another try at them without spoilers.
import { el, percent, toast } from "./dom.js";
import { drawGraph } from "./graph.js";

const SIMULATIONS = 200;

export class Sweep {
  constructor(app, analyse) {
    this.app = app;
    this.analyse = analyse;
    this.start = el("button", { type: "button", class: "plain small", onclick: () => this.run() }, "Look at the whole game");
    this.body = el("div", { class: "field" });
    this.element = el("section", { class: "card", "aria-label": "Whole game" }, el("div", { class: "card-head" }, el("h2", {}, "Whole game"), this.start), this.body);
    this.clear();
  }

  clear() {
    this.busy = false;
    this.retry = null;
    this.actions = "";
    this.values = [];
    this.mistakes = [];
  }

  get table() { return this.app.table; }
  get fits() { return this.actions === this.table.actions.join(); }

  run() {
    const { table, app } = this;
    if (!table.end || this.busy) return;
    this.clear();
    this.busy = true;
    this.actions = table.actions.join();
    app.thinking.ask({ kind: "game", game: table.game.name, moves: table.actions, model: this.analyse.model.value, simulations: SIMULATIONS }, (message) => {
      if (message.kind === "error") { this.busy = false; return toast(message.message); }
      this.values = message.values;
      this.mistakes = message.mistakes;
      if (message.kind === "done") { this.busy = false; this.analyse.look(); }
      app.render();
    });
    app.render();
  }

  slips() { return this.fits && !this.retry ? new Map(this.mistakes.map((mistake) => [mistake.ply, mistake])) : new Map(); }

  tryAgain(mistake) {
    this.retry = { ...mistake, answer: null };
    this.table.goto(mistake.ply);
    this.analyse.look();
    this.app.board.focus();
  }

  tried(action) {
    const { retry, table } = this;
    if (action === retry.best) { retry.answer = { action, loss: 0, done: true }; return this.app.render(); }
    retry.answer = { action, loss: null };
    this.app.render();
    this.app.thinking.ask({ kind: "move", game: table.game.name, moves: [...table.actions.slice(0, retry.ply), action], model: this.analyse.model.value, simulations: SIMULATIONS }, (message) => {
      if (message.kind === "error") { this.retry = null; return toast(message.message); }
      if (message.kind !== "done" || this.retry !== retry) return;
      const loss = Math.max(0, (retry.value - message.value) / 2);
      retry.answer = { action, loss, done: loss < Math.min(0.05, retry.loss / 2) };
      this.app.render();
    });
  }

  leave(reveal) {
    const { ply } = this.retry;
    this.retry = null;
    this.table.goto(ply);
    this.analyse.look();
    if (!reveal) this.app.render();
  }

  retryText() {
    const { answer, ply, loss } = this.retry;
    const { table } = this;
    const mover = table.game.players[table.playerAt(ply)];
    if (!answer) return `${mover}: find something better than ${table.name(table.session.moves[ply].action)}.`;
    if (answer.loss === null) return `Looking at ${table.name(answer.action)}…`;
    if (answer.done) return answer.loss === 0 ? `${table.name(answer.action)}: that is it.` : `${table.name(answer.action)} is good: it gives away ${percent(answer.loss)}.`;
    return `${table.name(answer.action)} gives away ${percent(answer.loss)}; the game's move gave away ${percent(loss)}. Try again.`;
  }

  render() {
    const { table } = this;
    this.start.disabled = this.busy || !table.end;
    this.start.hidden = Boolean(this.retry);
    if (this.retry) {
      const done = this.retry.answer?.done;
      return this.body.replaceChildren(el("div", { class: "row" },
        el("button", { type: "button", class: done ? "primary" : "plain", onclick: () => this.leave(true) }, done ? "Go on" : "Show me")));
    }
    if (!this.fits || !this.values.length) return this.body.replaceChildren(el("p", { class: "fine" }, this.busy ? "Looking…" : "A curve of the game and its biggest mistakes, in seconds."));
    const graph = drawGraph(this.values, table.end, table.cursor, this.mistakes, (ply) => table.goto(ply));
    const scrub = el("input", { type: "range", min: 0, max: table.end, value: table.cursor, "aria-label": "Position in the game", oninput: (event) => table.goto(Number(event.target.value)) });
    const focused = this.body.contains(document.activeElement) && document.activeElement.type === "range";
    this.body.replaceChildren(graph, scrub, this.#list());
    if (focused) scrub.focus();
  }

  #list() {
    const { table } = this;
    if (!this.mistakes.length) return el("p", { class: "fine" }, this.busy ? "Looking…" : "No mistakes worth naming.");
    return el("ul", { class: "mistakes" }, ...this.mistakes.map((mistake) => el("li", {},
      el("span", { class: "mark", "aria-hidden": "true" }, mistake.severe ? "??" : "?"),
      el("button", { type: "button", class: "link grow", onclick: () => table.goto(mistake.ply + 1) },
        `${mistake.ply + 1}. ${table.name(table.session.moves[mistake.ply].action)} gave away ${percent(mistake.loss)}`),
      el("button", { type: "button", class: "plain small", onclick: () => this.tryAgain(mistake) }, "Try again"))));
  }
}
