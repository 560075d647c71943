// The OpenAPI description, readable offline.
import "./theme.js";
import { $, el } from "./dom.js";

const typeOf = (schema, all) => {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, all)).join(" | ");
  if (schema.type === "array") return schema.prefixItems ? `[${schema.prefixItems.map((one) => typeOf(one, all)).join(", ")}]` : `${typeOf(schema.items, all)}[]`;
  return schema.enum ? schema.enum.map((one) => JSON.stringify(one)).join(" | ") : schema.type ?? "any";
};

function fields(schema, all) {
  return Object.entries(schema.properties ?? {}).map(([name, one]) => `  ${name}${schema.required?.includes(name) ? "" : "?"}: ${typeOf(one, all)}`).join("\n");
}

const description = await (await fetch("api/openapi.json")).json();
const all = description.components.schemas;
const operations = Object.entries(description.paths).flatMap(([path, verbs]) => Object.entries(verbs).map(([verb, operation]) => {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const answer = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const given = (operation.parameters ?? []).map((one) => `${one.name}: ${typeOf(one.schema, all)}`).join(", ");
  return el("section", { class: "card operation" }, el("h3", {}, el("span", { class: "verb" }, verb.toUpperCase()), path), el("p", {}, operation.description ?? ""),
    el("p", { class: "fine" }, [given && `takes ${given}`, body && `a ${typeOf(body, all)}`, `answers ${typeOf(answer[1].content?.["application/json"]?.schema, all) || answer[0]}`].filter(Boolean).join("; ")));
}));
const messages = Object.entries(all).map(([name, schema]) => el("section", { class: "card operation" }, el("h3", {}, name), el("p", { class: "fine" }, schema.description ?? ""), el("pre", { tabindex: "0" }, `{\n${fields(schema, all)}\n}`)));
$("content").append(el("p", { class: "fine" }, description.info.description), el("h2", {}, "Requests"), ...operations, el("h2", {}, "Messages"), ...messages);
document.body.dataset.ready = "true";
