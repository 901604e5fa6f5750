/** What V8 writes with --cpu-prof: a tree of calls, and which of them ran whenever it looked. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function as it was called from there, with its own time and that of what it called, in microseconds. */
export interface Stack {
  readonly name: string;
  own: number;
  total: number;
  readonly calls: Map<string, Stack>;
}

const NOT_WORK = new Set(['(idle)']);

/** Of the last seconds in which the process did anything: what came before is its start and the compiler's. */
export function callTree(profile: Profile, seconds: number): Stack {
  const own = ownTimes(profile, seconds * 1e6);
  const nodes = new Map(profile.nodes.map(node => [node.id, node]));
  const root: Stack = { name: 'all', own: 0, total: 0, calls: new Map() };
  const visit = (id: number, caller: Stack): void => {
    const node = nodes.get(id);
    if (!node || NOT_WORK.has(node.callFrame.functionName)) return;
    const name = nameOf(node.callFrame);
    const stack = caller.calls.get(name) ?? { name, own: 0, total: 0, calls: new Map() };
    caller.calls.set(name, stack);
    stack.own += own.get(id) ?? 0;
    for (const child of node.children ?? []) visit(child, stack);
  };
  for (const id of profile.nodes[0]?.children ?? []) visit(id, root);
  addUp(root);
  return root;
}

function ownTimes({ samples, timeDeltas, nodes }: Profile, window: number): Map<number, number> {
  const idle = new Set(nodes.filter(({ callFrame }) => NOT_WORK.has(callFrame.functionName)).map(({ id }) => id));
  const times = new Map<number, number>();
  let seen = 0;
  for (let index = samples.length - 1; index >= 0 && seen < window; index--) {
    const id = samples[index] ?? 0;
    if (idle.has(id)) continue;
    const time = timeDeltas[index] ?? 0;
    seen += time;
    times.set(id, (times.get(id) ?? 0) + time);
  }
  return times;
}

function addUp(stack: Stack): number {
  stack.total = stack.own;
  for (const call of stack.calls.values()) stack.total += addUp(call);
  return stack.total;
}

/** A function's own time, without what it calls, as a share of all. */
export function selfTimes(root: Stack): [name: string, share: number][] {
  const times = new Map<string, number>();
  const visit = ({ name, own, calls }: Stack): void => {
    times.set(name, (times.get(name) ?? 0) + own / root.total);
    for (const call of calls.values()) visit(call);
  };
  visit(root);
  return [...times].sort(([, a], [, b]) => b - a);
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const place = url.replace(/^file:.*?\/(src|node_modules)\//, '$1/');
  return `${functionName || '(anonymous)'}${place === '' ? '' : ` ${place}:${lineNumber + 1}`}`;
}
