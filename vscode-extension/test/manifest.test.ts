// Checks package.json against the code: a command that is contributed and not
// registered, or an attribute that is read and not described, shows only when
// a user meets it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

const root = path.resolve(__dirname, "../..");
const manifest = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const [contributed] = manifest.contributes.debuggers;

test("every contributed command is registered", () => {
  const source = readFileSync(path.join(root, "src/extension.ts"), "utf8");
  for (const { command } of manifest.contributes.commands) {
    assert.ok(source.includes(`registerCommand("${command}"`), command);
  }
});

test("every launch and attach attribute has a type and a description", () => {
  for (const request of ["launch", "attach"]) {
    const properties = Object.entries<Record<string, unknown>>(contributed.configurationAttributes[request].properties);
    assert.ok(properties.length > 0, request);
    for (const [name, attribute] of properties) {
      assert.ok(attribute["type"], `${request} ${name} has no type`);
      assert.match(String(attribute["markdownDescription"]), /^[A-Z].*\.$/, `${request} ${name}`);
    }
  }
});

test("snippets and initial configurations use described attributes only", () => {
  const configurations = [...contributed.initialConfigurations, ...contributed.configurationSnippets.map((s: { body: object }) => s.body)];
  for (const { type, request, name, ...attributes } of configurations) {
    assert.equal(type, contributed.type);
    assert.ok(name);
    for (const attribute of Object.keys(attributes)) {
      assert.ok(contributed.configurationAttributes[request].properties[attribute], attribute);
    }
  }
});

test("every setting and every attribute with an effect is in the README", () => {
  const readme = readFileSync(path.join(root, "README.md"), "utf8");
  const { launch, attach } = contributed.configurationAttributes;
  const attributes = Object.entries<{ markdownDescription: string }>({ ...launch.properties, ...attach.properties })
    .filter(([, { markdownDescription: text }]) => !/^(Ignored|Older|Other name of `svd)/.test(text))
    .map(([name]) => name);
  const names = [...Object.keys(manifest.contributes.configuration.properties), ...attributes];
  assert.deepEqual(names.filter((name) => !readme.includes(`\`${name}\``)), []);
});

test("extensions that list the debug types they look at have ours by default", () => {
  const defaults = Object.entries<unknown[]>(manifest.contributes.configurationDefaults);
  assert.ok(defaults.length > 0);
  for (const [setting, types] of defaults) {
    assert.ok(types.includes(contributed.type), setting);
  }
});

test("the VS Code API in use is that of the oldest VS Code that is allowed", () => {
  assert.equal(manifest.engines.vscode, `^${manifest.devDependencies["@types/vscode"]}`);
});
