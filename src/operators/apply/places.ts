import { type Document, isAlias, isCollection, isMap, isScalar, LineCounter, type Node, parseDocument } from 'yaml';
import { type Fault, placeOf } from './fault.ts';

/** Where in a file a fault is: its place by name, what it belongs to, and the line. */
export interface Places {
  /** Such as `applications[0].clients[1].scope: must be … (client shop/web, line 9)`. */
  describe(fault: Fault): string;
  nameOf(path: readonly PropertyKey[]): string;
}

/** The text is parsed again at the first fault, so that a file without one is not kept as a tree while it is applied. */
export function createPlaces(text: string, label: string): Places {
  let parsed: Parsed | undefined;
  const parse = () => {
    parsed ??= parsedWithLines(text);
    return parsed;
  };
  const nameOf = (path: readonly PropertyKey[]) => `${label}${placeOf(path)}`;
  return {
    nameOf,
    describe({ path = [], message }) {
      const file = parse();
      const where = [...ownerOf(file.document, path), `line ${lineOf(file, path)}`];
      return `${nameOf(path)}: ${message} (${where.join(', ')})`;
    },
  };
}

interface Parsed {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function parsedWithLines(text: string): Parsed {
  const lines = new LineCounter();
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines };
}

/** The line of the key or of the entry of a list; of what is not in the file, the line of what it would be in. */
function lineOf({ document, lines }: Parsed, path: readonly PropertyKey[]): number {
  let [node, start] = [document.contents as Node | null, 0];
  for (const part of path) {
    const [next, at] = stepInto(document, node, part);
    if (at === undefined) break;
    node = next;
    start = at;
  }
  return lines.linePos(start).line;
}

/** The value of a member and where its key, or the entry of the list, begins. */
function stepInto(
  document: Document,
  node: Node | null,
  part: PropertyKey,
): readonly [Node | null, number | undefined] {
  const collection = resolved(document, node);
  if (!isCollection(collection)) return [null, undefined];
  if (!isMap(collection)) {
    const entry = collection.items[Number(part)] as Node | undefined;
    return [entry ?? null, entry?.range?.[0]];
  }
  const pair = collection.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
  return [(pair?.value ?? null) as Node | null, (pair?.key as Node | undefined)?.range?.[0]];
}

function resolved(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

/** The application, client, user or field of users that the place is in, where the file names it. */
function ownerOf(document: Document, [list, index, part, client]: readonly PropertyKey[]): string[] {
  const textAt = (...path: readonly (PropertyKey | undefined)[]) => {
    let node = document.contents as Node | null;
    for (const step of path) node = step === undefined ? null : stepInto(document, node, step)[0];
    const scalar = resolved(document, node);
    const value = isScalar(scalar) ? scalar.value : undefined;
    return typeof value === 'string' && /^[^\p{C}]{1,254}$/u.test(value) ? value : undefined;
  };
  if (list === 'users') {
    const name = textAt(list, index, 'username') ?? textAt(list, index, 'email');
    return name === undefined ? [] : [`user ${name}`];
  }
  if (list === 'providers') {
    const id = textAt(list, index, 'id');
    return id === undefined ? [] : [`provider ${id}`];
  }
  if (list === 'user_attributes') {
    const name = textAt(list, index, 'name');
    return name === undefined ? [] : [`attribute ${name}`];
  }
  const code = textAt(list, index, 'code');
  const id =
    part === 'clients'
      ? (textAt(list, index, part, client, 'client_id') ?? textAt(list, index, part, client, 'client_name'))
      : undefined;
  if (id !== undefined) return [`client ${code === undefined ? '' : `${code}/`}${id}`];
  return code === undefined ? [] : [`application ${code}`];
}
