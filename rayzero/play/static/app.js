// The page: which mode is on, what is on the table, and who is told when it changes.
import "./theme.js";
import { Analyse } from "./analyse.js";
import { api, Thinking } from "./api.js";
import { Board } from "./board.js";
import { $, el, toast } from "./dom.js";
import { openHelp } from "./help.js";
import { listenToKeys } from "./keys.js";
import { readLink, writeLink } from "./link.js";
import { badge } from "./look.js";
import { drawMoves } from "./moves.js";
import { Play } from "./play.js";
import { openShare } from "./share.js";
import { Table } from "./table.js";
import { switchTheme } from "./theme.js";
import { Watch } from "./watch.js";

class App {
  mode = "play";
  table = new Table();
  thinking = new Thinking();

  async start() {
    this.board = new Board($("board"), { onplay: (action) => this.played(action), onghost: (action) => { $("confirm").hidden = action === null; } });
    this.play = new Play(this);
    this.analyse = new Analyse(this);
    this.watch = new Watch(this);
    [this.games, this.models] = await Promise.all([api.games(), api.models()]);
    $("run-link").hidden = !this.models.some((model) => model.followed);
    $("game").append(...this.games.map((game) => el("option", { value: game.name }, game.title)));
    this.table.addEventListener("change", (event) => this.#changed(event.detail));
    this.#listen();
    const link = readLink();
    this.play.me = link.me;
    this.mode = link.mode;
    await this.open(this.games.find((game) => game.name === link.game) ?? this.games[0], link.text);
    if (link.at !== null) this.table.goto(link.at);
    document.body.dataset.ready = "true";
  }

  #listen() {
    $("game").onchange = (event) => { this.open(this.games.find((game) => game.name === event.target.value)); };
    $("modes").onchange = (event) => this.setMode(event.target.value);
    $("theme").onclick = switchTheme;
    $("help").onclick = openHelp;
    $("share").onclick = () => openShare(this);
    $("confirm").onclick = () => this.board.confirm();
    $("pass").onclick = () => this.played(this.table.game.pass_action);
    const { table } = this;
    const steps = { first: () => table.goto(0), back: () => table.goto(table.cursor - 1), forth: () => table.goto(table.cursor + 1), last: () => table.goto(table.end) };
    for (const button of document.querySelectorAll("[data-step]")) button.onclick = steps[button.dataset.step];
    listenToKeys(this, steps);
    addEventListener("hashchange", () => this.#followLink());
  }

  #followLink() {
    const link = readLink();
    if (link.written) return;
    this.play.me = link.me;
    this.mode = link.mode;
    this.open(this.games.find((game) => game.name === link.game) ?? this.table.game, link.text);
  }

  async open(game, text = "") {
    const models = this.models.filter((model) => model.games.includes(game.name));
    const wishes = this.#wishes(game);
    this.watch.stop();
    this.play.setGame(game, models, wishes.opponent);
    this.analyse.setGame(game, models, wishes.analyst);
    this.watch.setGame(models, models.some((model) => model.followed));
    this.board.setGame(game);
    $("game").value = game.name;
    const opened = await this.attempt(() => this.table.open(game, text));
    if (!opened) await this.attempt(() => this.table.open(game));
    this.setMode(this.mode);
  }

  setMode(mode) {
    this.mode = mode;
    document.querySelector(`#modes [value="${mode}"]`).checked = true;
    for (const name of ["play", "analyse", "watch"]) $(`${name}-panel`).hidden = name !== mode;
    if (mode !== "watch") this.watch.stop();
    if (mode !== "analyse") this.analyse.sweep.retry = null;
    this.thinking.stop();
    this.analyse.look();
    this.render();
    if (mode === "play") { this.table.goto(this.table.end); this.play.engineMoves(); }
  }

  analyst() { return { model: this.analyse.model.value }; }

  played(action) {
    if (this.mode === "play") return this.play.played(action);
    if (this.mode === "analyse") return this.analyse.played(action);
    return undefined;
  }

  // Runs something that may be refused; the reason is shown, and the answer is null then.
  async attempt(task) {
    try { return (await task()) ?? true; } catch (error) { toast(error.message); return null; }
  }

  say(text) { $("status").textContent = text; }

  #wishes(game) {
    try { return JSON.parse(localStorage.getItem(`rayzero-${game.name}`)) ?? {}; } catch { return {}; }
  }

  remember() {
    localStorage.setItem(`rayzero-${this.table.game.name}`, JSON.stringify({ opponent: this.play.strength.value, analyst: this.analyse.model.value }));
    this.render();
  }

  #changed(what) {
    if (what === "game") this.play.hint = null;
    if (this.mode === "analyse") this.analyse.look();
    this.render();
  }

  get part() { return this[this.mode]; }

  render() {
    if (!this.table.session) return;
    const { table } = this;
    this.part.render();
    this.renderBoard();
    this.say(this.part.status());
    $("ply").textContent = `${table.cursor} of ${table.end}`;
    drawMoves($("moves"), table, this.mode === "analyse" ? this.analyse.sweep.slips() : new Map(), (ply) => table.goto(ply));
    for (const player of [0, 1]) this.#plate(player);
    const moving = this.#playable() && table.legal().includes(table.game.pass_action);
    $("pass").hidden = !moving;
    for (const button of document.querySelectorAll("[data-step]")) {
      button.disabled = ["first", "back"].includes(button.dataset.step) ? table.cursor === 0 : table.atEnd;
    }
    writeLink(this);
  }

  #playable() {
    if (this.mode === "play") return this.play.playable;
    return this.mode === "analyse" && !(this.table.over && this.table.atEnd && this.table.session.legal.length === 0);
  }

  renderBoard() {
    const { table } = this;
    const analysing = this.mode === "analyse";
    this.board.show({
      cells: table.cells(), last: table.lastCell(), legal: table.legal(), playable: this.#playable(), player: table.playerAt(table.cursor),
      line: table.atEnd ? table.session.outcome?.line ?? [] : [],
      heat: analysing ? this.analyse.heatMap() : null, exact: analysing ? this.analyse.scores : null, variation: analysing ? this.analyse.variation() : null,
      hint: this.mode === "play" && table.atEnd ? this.play.hint : null,
    });
  }

  #plate(player) {
    const { table, mode } = this;
    const names = { play: player === this.play.me ? "You" : this.play.strength.title, watch: this.watch.players[player].title, analyse: table.game.players[player] };
    const turn = !table.over && table.playerAt(table.cursor) === player;
    const thinking = turn && table.atEnd && ((mode === "play" && this.play.busy) || (mode === "watch" && this.watch.running));
    const plate = $(`plate-${player}`);
    plate.classList.toggle("thinking", thinking);
    plate.replaceChildren(badge(table.game, player), el("span", { class: "who" }, names[mode]),
      mode === "analyse" ? "" : el("span", { class: "note" }, table.game.players[player]), turn ? el("span", { class: "turn" }, thinking ? "thinking" : "to move") : "");
  }
}

new App().start().catch((error) => toast(error.message));
