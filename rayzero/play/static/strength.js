// Who plays, and how strong: measured levels on one slider, or a budget by hand.
import { el } from "./dom.js";

const BY_HAND = { simulations: [1, 100_000, 200], seconds: [0.1, 60, 2] };

export class Strength {
  constructor(title, onchange) {
    this.onchange = onchange;
    this.models = [];
    this.model = el("select", { "aria-label": `${title}: model`, onchange: () => { this.#modelChanged(); this.#changed(); } });
    this.slider = el("input", { type: "range", min: 0, step: 1, "aria-label": `${title}: level`, oninput: () => this.#changed() });
    this.label = el("div", { class: "level" });
    this.note = el("p", { class: "fine" });
    this.kind = el("select", { "aria-label": `${title}: kind of strength`, onchange: () => { this.#kindChanged(); this.#changed(); } },
      el("option", { value: "level" }, "Level"), el("option", { value: "simulations" }, "Simulations by hand"), el("option", { value: "seconds" }, "Seconds by hand"));
    this.number = el("input", { type: "number", "aria-label": `${title}: amount`, hidden: true, onchange: () => this.#changed() });
    this.element = el("div", { class: "card" },
      el("div", { class: "field" }, el("span", {}, title), this.model),
      this.label, this.slider, this.number, this.kind, this.note);
  }

  setModels(models, preferred = {}) {
    this.models = models;
    this.model.replaceChildren(...models.map((model) => el("option", { value: model.id }, model.title)));
    if (models.some((model) => model.id === preferred.model)) this.model.value = preferred.model;
    const kind = preferred.simulations ? "simulations" : preferred.seconds ? "seconds" : "level";
    this.kind.value = kind;
    this.#modelChanged(preferred.level);
    if (kind !== "level") this.number.value = preferred[kind];
    this.#show();
  }

  get chosen() { return this.models.find((model) => model.id === this.model.value) ?? this.models[0]; }

  get value() {
    if (this.kind.value === "level") return { model: this.model.value, level: Number(this.slider.value) };
    return { model: this.model.value, [this.kind.value]: Number(this.number.value) };
  }

  get title() {
    const level = this.kind.value === "level" ? `level ${Number(this.slider.value) + 1}` : `${this.number.value} ${this.kind.value}`;
    return `${this.chosen?.title ?? "rayzero"}, ${level}`;
  }

  #modelChanged(level) {
    const { levels } = this.chosen;
    this.slider.max = levels.length - 1;
    this.slider.value = level ?? Math.min(levels.length - 1, Math.ceil(levels.length / 2));
    this.#kindChanged();
  }

  #kindChanged() {
    const limits = BY_HAND[this.kind.value];
    this.slider.hidden = Boolean(limits);
    this.number.hidden = !limits;
    if (limits) {
      [this.number.min, this.number.max] = limits;
      this.number.step = this.kind.value === "seconds" ? 0.1 : 1;
      this.number.value = limits[2];
    }
    this.#show();
  }

  #changed() {
    if (!this.number.hidden) {
      const [low, high, usual] = BY_HAND[this.kind.value];
      this.number.value = Math.min(high, Math.max(low, Number(this.number.value) || usual));
    }
    this.#show();
    this.onchange();
  }

  #show() {
    const model = this.chosen;
    const level = model.levels[Number(this.slider.value)];
    const byLevel = this.kind.value === "level";
    this.label.hidden = !byLevel;
    const effort = `${level.simulations.toLocaleString("en")} ${model.kind === "mcts" ? "playouts" : "simulations"} a move`;
    const rating = level.elo === null ? "not measured" : `${Math.round(level.elo)} ± ${Math.round(level.margin)} Elo`;
    this.label.replaceChildren(el("strong", {}, `Level ${Number(this.slider.value) + 1}`), el("span", { class: "fine" }, rating));
    this.slider.setAttribute("aria-valuetext", `Level ${Number(this.slider.value) + 1} of ${model.levels.length}, ${rating}, ${effort}`);
    this.note.textContent = [byLevel ? `${effort}${level.checkpoint ? `, net ${level.checkpoint}` : ""}.` : "", model.note].filter(Boolean).join(" ");
  }
}
