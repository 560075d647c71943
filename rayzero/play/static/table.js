// The game on the table: its moves live on the service, the place one looks at lives here.
import { api } from "./api.js";

export class Table extends EventTarget {
  session = null;
  game = null;
  cursor = 0;

  async open(game, text = "") {
    this.#take(await api.create(game.name, text), game);
  }

  get end() { return this.session.moves.length; }
  get atEnd() { return this.cursor === this.end; }
  get over() { return this.session.outcome !== null; }
  get actions() { return this.session.moves.map((move) => move.action); }
  playerAt(ply) { return ply % 2; }

  goto(ply) {
    const next = Math.max(0, Math.min(this.end, ply));
    if (next === this.cursor) return;
    this.cursor = next;
    this.#changed("step");
  }

  // Plays where one looks; what came after is forgotten unless it is the same move.
  async play(action) {
    if (this.session.moves[this.cursor]?.action === action) return this.goto(this.cursor + 1);
    this.#take(await this.#kept((id) => api.move(id, action, this.cursor)));
  }

  async undo(plies) { this.#take(await this.#kept((id) => api.undo(id, plies))); }
  async reply(player) { this.#take((await this.#kept((id) => api.reply(id, player))).session); }
  async resign(player) { this.#take(await this.#kept((id) => api.resign(id, player))); }
  write(format) { return this.#kept((id) => api.write(id, format)); }

  // A service that was started anew knows no sessions: bring the game back and ask again.
  async #kept(ask) {
    try {
      return await ask(this.session.id);
    } catch (error) {
      if (error.status !== 404) throw error;
      this.session = await api.create(this.game.name, this.session.text);
      return ask(this.session.id);
    }
  }

  #take(session, game = this.game) {
    this.game = game;
    this.session = session;
    this.cursor = session.moves.length;
    this.#changed("game");
  }

  #changed(what) { this.dispatchEvent(new CustomEvent("change", { detail: what })); }

  cells(ply = this.cursor) {
    const cells = new Array(this.game.width * this.game.height).fill(-1);
    for (const [cell, player] of this.session.start) cells[cell] = player;
    for (const move of this.session.moves.slice(0, ply)) for (const [cell, player] of move.changes) cells[cell] = player;
    return cells;
  }

  lastCell(ply = this.cursor) {
    return ply === 0 ? null : this.session.moves[ply - 1].changes[0]?.[0] ?? null;
  }

  legal(ply = this.cursor) {
    if (ply === this.end) return this.session.legal;
    const listed = this.session.moves[ply].legal;
    if (listed) return listed;
    const cells = this.cells(ply);
    const width = this.game.drop ? this.game.width : cells.length;
    return [...Array(width).keys()].filter((cell) => cells[cell] < 0);
  }

  // The cell that a move of the position at `ply` fills.
  landing(action, cells) {
    if (!this.game.drop) return action < cells.length ? action : null;
    for (let row = this.game.height - 1; row >= 0; row -= 1) if (cells[row * this.game.width + action] < 0) return row * this.game.width + action;
    return null;
  }

  // Moves to come as [cell, player], as far as they can be shown without the rules.
  variation(actions, ply = this.cursor) {
    const cells = this.cells(ply);
    return actions.flatMap((action, i) => {
      const cell = this.landing(action, cells);
      if (cell === null || cells[cell] >= 0) return [];
      cells[cell] = this.playerAt(ply + i);
      return [[cell, this.playerAt(ply + i)]];
    });
  }

  name(action) {
    if (action === this.game.pass_action) return "pass";
    const row = this.game.drop ? "" : this.game.rows[Math.floor(action / this.game.width)];
    return `${this.game.columns[action % this.game.width]}${row}`;
  }

  outcome() {
    const { outcome } = this.session;
    if (!outcome) return null;
    if (outcome.winner === null) return "A draw.";
    const winner = this.game.players[outcome.winner];
    return outcome.reason === "resigned" ? `${winner} wins: the other side resigned.` : `${winner} wins.`;
  }
}
