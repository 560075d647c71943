// Play: a person against the engine. Nothing of the engine's thoughts is shown unless asked for.
import { $, el, toast } from "./dom.js";
import { Strength } from "./strength.js";

export class Play {
  constructor(app) {
    this.app = app;
    this.me = 0;
    this.hint = null;
    this.busy = false;
    this.strength = new Strength("Opponent", () => app.remember());
    this.sides = el("fieldset", { class: "field" });
    const button = (label, action, kind = "plain") => el("button", { type: "button", class: kind, onclick: () => this.do(action) }, label);
    this.buttons = {
      undo: button("Undo", "undo"), hint: button("Hint", "hint"), swap: button("Swap", "swap"),
      resign: button("Resign", "resign"), restart: button("New game", "restart", "primary"), analyse: button("Analyse", "analyse"),
    };
    $("play-panel").append(this.strength.element, el("div", { class: "card" }, this.sides, el("div", { class: "buttons" }, ...Object.values(this.buttons))));
  }

  setGame(game, models, preferred) {
    this.strength.setModels(models, preferred);
    this.sides.replaceChildren(el("legend", {}, "You play"), el("div", { class: "segments row even" },
      ...game.players.map((name, player) => el("label", {},
        el("input", { type: "radio", name: "side", value: player, checked: player === this.me, onchange: () => this.#choose(player) }),
        el("span", {}, `${name}${player === 0 ? ", first" : ""}`)))));
  }

  get table() { return this.app.table; }
  get playable() { return !this.busy && this.table.atEnd && !this.table.over && this.table.playerAt(this.table.end) === this.me; }

  async #choose(player) {
    this.me = player;
    this.app.remember();
    if (this.table.end === 0 || (this.table.end === 1 && !this.table.over)) await this.do("restart");
    else await this.engineMoves();
    this.app.render();
  }

  async played(action) {
    if (!this.playable) return;
    this.hint = null;
    await this.app.attempt(() => this.table.play(action));
    await this.engineMoves();
  }

  async engineMoves() {
    const { table } = this;
    if (this.app.mode !== "play" || this.busy || table.over || table.playerAt(table.end) === this.me) return;
    this.busy = true;
    this.app.render();
    const session = table.session.id;
    await this.app.attempt(() => table.reply(this.strength.value));
    this.busy = false;
    if (table.session.id === session || table.end === 0) this.app.render();
  }

  async do(action) {
    if (this.busy && action !== "analyse") return;
    const { table, app } = this;
    if (action === "undo" && table.end) {
      this.hint = null;
      const mine = table.playerAt(table.end) === this.me;
      await app.attempt(() => table.undo(mine ? Math.min(2, table.end) : 1));
      await this.engineMoves();
    } else if (action === "restart") {
      this.hint = null;
      await app.attempt(() => table.open(table.game));
      await this.engineMoves();
    } else if (action === "swap") {
      this.me = 1 - this.me;
      for (const input of this.sides.querySelectorAll("input")) input.checked = Number(input.value) === this.me;
      app.remember();
      await this.engineMoves();
    } else if (action === "resign" && !table.over && table.end) {
      await app.attempt(() => table.resign(this.me));
    } else if (action === "hint" && this.playable) {
      this.#ask();
    } else if (action === "analyse") {
      app.setMode("analyse");
    }
    app.render();
  }

  #ask() {
    const { table, app } = this;
    const ply = table.end;
    app.thinking.ask({ kind: "position", game: table.game.name, moves: table.actions, ...app.analyst(), simulations: 400 }, (message) => {
      if (message.kind === "error") return toast(message.message);
      if (message.kind !== "done" || table.end !== ply || app.mode !== "play") return;
      this.hint = message.report.best;
      app.render();
      app.say(`Hint: ${table.name(this.hint)}.`);
    });
  }

  status() {
    const { table } = this;
    if (table.over) {
      const { winner } = table.session.outcome;
      const text = table.outcome();
      return winner === null ? text : winner === this.me ? `You win. ${text}` : `You lose. ${text}`;
    }
    if (this.busy) return `${this.strength.chosen.title} is thinking…`;
    if (!table.atEnd) return "Looking back: step to the end to go on.";
    return `Your move: ${table.game.players[this.me]}.`;
  }

  render() {
    const { table } = this;
    this.buttons.undo.disabled = this.busy || table.end === 0;
    this.buttons.hint.disabled = !this.playable;
    this.buttons.resign.disabled = this.busy || table.over || table.end === 0;
    this.buttons.swap.disabled = this.busy || table.over;
    this.buttons.restart.disabled = this.busy;
  }
}
