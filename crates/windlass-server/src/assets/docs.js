// Shows the API document: one section a group, one entry a route. Everything is set as text, never as markup.
"use strict";

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function table(head, rows) {
  const body = rows.map((row) => element("tr", "", ...row.map((cell) => element("td", cell))));
  return element("table", "", element("tr", "", ...head.map((cell) => element("th", cell))), ...body);
}

function schemaText(schema) {
  return schema ? JSON.stringify(schema, null, 2) : "";
}

function route(method, path, operation) {
  const title = element("summary", "");
  const verb = element("span", method.toUpperCase());
  verb.className = "method";
  title.append(verb, element("code", path), " " + operation.summary);
  const entry = element("details", "", title);
  if (operation.description) entry.append(element("p", operation.description));
  if (operation.parameters) {
    entry.append(element("h4", "Parameters"), table(["name", "in", "meaning"],
      operation.parameters.map((one) => [one.name, one.in, one.description])));
  }
  for (const [type, content] of Object.entries(operation.requestBody?.content ?? {})) {
    entry.append(element("h4", "Body: " + type), element("pre", schemaText(content.schema)));
  }
  entry.append(element("h4", "Answers"), table(["status", "meaning", "form"],
    Object.entries(operation.responses).map(([status, answer]) =>
      [status, answer.description, Object.keys(answer.content ?? {}).join(", ")])));
  return entry;
}

async function show() {
  const page = document.getElementById("routes");
  const described = await (await fetch("/openapi.json")).json();
  const groups = new Map();
  for (const [path, methods] of Object.entries(described.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const group = operation.tags[0];
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(route(method, path, operation));
    }
  }
  page.textContent = "";
  for (const [group, routes] of groups) {
    const title = element("h2", group);
    title.id = group;
    const link = element("a", group);
    link.href = "#" + group;
    document.getElementById("contents").append(link);
    page.append(title, ...routes);
  }
  page.append(element("h2", "Schemas"));
  for (const [name, schema] of Object.entries(described.components.schemas)) {
    page.append(element("details", "", element("summary", name), element("pre", schemaText(schema))));
  }
}

show().catch((error) => {
  document.getElementById("routes").textContent = "The document could not be read: " + error.message;
});
