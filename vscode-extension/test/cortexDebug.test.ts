import assert from "node:assert/strict";
import { test } from "node:test";
import { foreignConfigurations } from "../src/cortexDebug";

const launch = `{
  "version": "0.2.0",
  "configurations": [
    {
      "name": "Board", // the one on my desk
      "type": "cortex-debug",
      "request": "launch",
      "configFiles": ["a.cfg",],
    },
    { "name": "Crash", "type": "pushmask", "request": "launch" },
  ],
}
`;

test("a copy follows the configuration, with its comments, another type and another name", () => {
  const [found, ...more] = foreignConfigurations(launch, ["configurations"]);
  assert.ok(found);
  assert.deepEqual(more, []);
  assert.deepEqual([found.name, found.type], ["Board", "cortex-debug"]);
  const after = launch.slice(0, found.end) + found.insert + launch.slice(found.end);
  assert.equal(
    after,
    launch.replace(
      "    },\n    {",
      `    },
    {
      "name": "Board (pushmask)", // the one on my desk
      "type": "pushmask",
      "request": "launch",
      "configFiles": ["a.cfg",],
    },
    {`,
    ),
  );
});

test("a name that is taken gets a number", () => {
  const names = ["A", "A (pushmask)", "A (pushmask) 2"];
  const text = JSON.stringify({ configurations: names.map((name) => ({ type: "mcu-debug", name })) });
  const [found] = foreignConfigurations(text, ["configurations"]);
  assert.match(found?.insert ?? "", /"name":"A \(pushmask\) 3"/);
});

test("a list inside another object, as in a workspace file", () => {
  const text = JSON.stringify({ folders: [], launch: { configurations: [{ type: "cortex-debug", name: "B" }] } });
  assert.deepEqual(
    foreignConfigurations(text, ["launch", "configurations"]).map(({ name }) => name),
    ["B"],
  );
  assert.deepEqual(foreignConfigurations(text, ["configurations"]), []);
});

for (const text of ["", "[]", "{", '{"configurations": 1}', '{"configurations": [1, null, {}, {"type": "cortex-debug"}, {"type": 2, "name": "C"}]}']) {
  test(`nothing to convert in ${text || "an empty file"}`, () => {
    assert.deepEqual(foreignConfigurations(text, ["configurations"]), []);
  });
}
