// Converts debug configurations of Cortex-Debug. Free of the VS Code API.
import { findNodeAtLocation, parseTree, type JSONPath, type Node } from "jsonc-parser";
import { DEBUG_TYPE } from "./configuration";

/** The debug types whose attributes are read: Cortex-Debug and its successor. */
const foreignTypes = ["cortex-debug", "mcu-debug"];

/** A configuration that can be converted. */
export interface Foreign {
  name: string;
  type: string;
  /** Offset in the text behind the configuration. */
  end: number;
  /** What is inserted there: the converted copy as the next element of the list. */
  insert: string;
}

/**
 * Finds the configurations of Cortex-Debug in a file with comments.
 * @param path where the list of configurations is in the file
 */
export function foreignConfigurations(text: string, path: JSONPath): Foreign[] {
  const root = parseTree(text);
  const list = root && findNodeAtLocation(root, path);
  const names = (list?.children ?? []).map((element) => member(element, "name")?.value);
  return (list?.children ?? []).flatMap((element) => {
    const type = member(element, "type");
    const name = member(element, "name");
    if (type === undefined || !foreignTypes.includes(type.value) || typeof name?.value !== "string") {
      return [];
    }
    const copy = replaced(text, element, [
      [type, DEBUG_TYPE],
      [name, freeName(name.value, names)],
    ]);
    return [{ name: name.value, type: type.value, end: element.offset + element.length, insert: `,\n${indentation(text, element.offset)}${copy}` }];
  });
}

function member(element: Node, name: string): Node | undefined {
  return findNodeAtLocation(element, [name]);
}

/** The text of an element with other values in place of some. */
function replaced(text: string, element: Node, values: [Node, string][]): string {
  let copy = text.slice(element.offset, element.offset + element.length);
  for (const [node, value] of values.sort(([a], [b]) => b.offset - a.offset)) {
    const start = node.offset - element.offset;
    copy = copy.slice(0, start) + JSON.stringify(value) + copy.slice(start + node.length);
  }
  return copy;
}

/** A name that no configuration has: VS Code starts them by name. */
function freeName(name: string, taken: unknown[]): string {
  const base = `${name} (${DEBUG_TYPE})`;
  for (let free = base, n = 2; ; free = `${base} ${n++}`) {
    if (!taken.includes(free)) {
      return free;
    }
  }
}

/** The white space at the start of the line of an offset. */
function indentation(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^\s*/.exec(line)?.[0] ?? "";
}
