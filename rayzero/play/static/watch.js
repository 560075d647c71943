// Watch: model against model at any pace, or the newest games of a running training.
import { $, el } from "./dom.js";
import { api } from "./api.js";
import { Strength } from "./strength.js";

export class Watch {
  constructor(app) {
    this.app = app;
    this.running = false;
    this.players = ["First player", "Second player"].map((title) => new Strength(title, () => app.remember()));
    this.speed = el("input", { type: "range", min: 0, max: 4, step: 1, value: 2, "aria-label": "Speed", oninput: () => this.#showSpeed() });
    this.speedText = el("span", { class: "fine" });
    this.button = el("button", { type: "button", class: "primary", onclick: () => this.toggle() }, "Start");
    this.fresh = el("button", { type: "button", class: "plain", onclick: () => this.restart() }, "New game");
    this.follow = el("button", { type: "button", class: "plain", onclick: () => this.toggleFollow() }, "Follow the training");
    this.note = el("p", { class: "fine" });
    $("watch-panel").append(...this.players.map((player) => player.element),
      el("div", { class: "card" }, el("div", { class: "level" }, el("span", { class: "fine" }, "Speed"), this.speedText), this.speed, el("div", { class: "row even" }, this.button, this.fresh), this.follow, this.note));
    this.#showSpeed();
  }

  setGame(models, followable) {
    this.stop();
    this.players.forEach((player) => player.setModels(models));
    this.follow.hidden = !followable;
  }

  get table() { return this.app.table; }
  get pause() { return [3000, 1500, 700, 250, 0][Number(this.speed.value)]; }
  #showSpeed() {
    this.speedText.textContent = ["a move in 3 s", "a move in 1.5 s", "a move in 0.7 s", "four moves a second", "as fast as they can"][Number(this.speed.value)];
    this.speed.setAttribute("aria-valuetext", this.speedText.textContent);
  }

  stop() { this.running = false; this.following = false; this.round = {}; }

  async restart() {
    this.stop();
    await this.app.attempt(() => this.table.open(this.table.game));
    this.app.render();
  }

  async toggle() {
    if (this.running) { this.stop(); return this.app.render(); }
    const round = this.#begin();
    if (this.table.over) await this.app.attempt(() => this.table.open(this.table.game));
    this.table.goto(this.table.end);
    while (this.round === round && !this.table.over) {
      const pause = new Promise((done) => { setTimeout(done, this.pause); });
      const played = await this.app.attempt(() => this.table.reply(this.players[this.table.playerAt(this.table.end)].value));
      if (!played) break;
      await pause;
    }
    if (this.round === round) this.stop();
    this.app.render();
  }

  async toggleFollow() {
    if (this.following) { this.stop(); return this.app.render(); }
    const round = this.#begin();
    this.following = true;
    let seen = null;
    while (this.round === round) {
      const run = await this.app.attempt(() => api.run());
      const newest = run?.newest?.[0];
      if (!newest) { this.note.textContent = "No finished games yet."; }
      else if (newest.id !== seen) {
        seen = newest.id;
        this.note.textContent = `A game of net ${newest.version.toLocaleString("en")}, ${newest.plies} plies.`;
        await this.app.attempt(() => this.table.open(this.table.game, newest.text));
        for (let ply = 0; ply <= this.table.end && this.round === round; ply += 1) {
          this.table.goto(ply);
          await new Promise((done) => { setTimeout(done, this.pause); });
        }
      }
      await new Promise((done) => { setTimeout(done, 2000); });
    }
  }

  #begin() {
    this.stop();
    this.running = true;
    this.app.render();
    return this.round;
  }

  status() {
    if (this.following) return "Following the training.";
    if (this.table.over && this.table.atEnd) return this.table.outcome();
    return this.running ? `${this.table.game.players[this.table.playerAt(this.table.end)]} is thinking…` : "Two engines, one board: press Start.";
  }

  render() {
    this.button.textContent = this.running && !this.following ? "Pause" : "Start";
    this.button.disabled = this.following;
    this.follow.textContent = this.following ? "Stop following" : "Follow the training";
  }
}
