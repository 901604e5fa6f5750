import type { Route } from './route.ts';

export interface Match {
  readonly route: Route;
  /** The code of the application in the path, as it was sent; empty where the route is not of one. */
  readonly app: string;
  /** The other parameters of the pattern, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

export type Router = (path: string) => Match | undefined;

/**
 * Patterns as a tree. A node holds the rest of every pattern that has no more parameters, and a branch for each literal that stands before
 * a parameter. A path is compared as it was sent, so that an encoded slash never separates segments and dot segments mean nothing.
 */
interface Node {
  /** By their length, so that a path is compared with few of them, and neither sliced nor hashed. */
  readonly leaves: Leaf[][];
  readonly branches: Branch[];
}

interface Branch {
  readonly literal: string;
  readonly node: Node;
}

interface Leaf {
  readonly end: string;
  readonly route: Route;
  /** Of the parameters, without that of the application. */
  readonly names: readonly string[];
}

export const NO_PARAMS: Match['params'] = Object.freeze(Object.create(null));

export function createRouter(routes: readonly Route[]): Router {
  const root = newNode();
  const fallbacks: Match[] = [];
  for (const route of routes) {
    if (route.pattern.endsWith('/*')) fallbacks.push({ route, app: '', params: NO_PARAMS });
    else addRoute(root, route);
  }
  /** Reused, so that a match allocates nothing but its result. What an earlier path left in it is not looked at. */
  const segments: string[] = [];

  return path => {
    const leaf = findLeaf(root, path, 0, segments, 0);
    const match = leaf && matchOf(leaf, segments);
    return match ?? fallbacks.find(({ route }) => path.startsWith(route.pattern.slice(0, -1)));
  };
}

function newNode(): Node {
  return { leaves: [], branches: [] };
}

const PARAMETER = /\{(\w+)\}/;

function addRoute(root: Node, route: Route): void {
  /** Literals at even places, the names of parameters between them. */
  const parts = route.pattern.split(PARAMETER);
  const names = parts.filter((_, place) => place % 2 === 1);
  const literals = parts.filter((_, place) => place % 2 === 0);
  const end = literals.pop() ?? '';
  let node = root;
  for (const literal of literals) node = branchFor(node, literal);
  for (let length = node.leaves.length; length <= end.length; length++) node.leaves.push([]);
  const leaves = node.leaves[end.length] ?? [];
  if (leaves.some(leaf => leaf.end === end)) throw new Error(`two routes for ${route.pattern}`);
  leaves.push({ end, route, names: route.kind === 'endpoint' ? names.slice(1) : names });
}

function branchFor(node: Node, literal: string): Node {
  const known = node.branches.find(branch => branch.literal === literal);
  if (known) return known.node;
  const branch = { literal, node: newNode() };
  node.branches.push(branch);
  return branch.node;
}

/** Leaves the segments that stand for parameters in `segments`, from place `count` on. */
function findLeaf(node: Node, path: string, from: number, segments: string[], count: number): Leaf | undefined {
  const length = path.length - from;
  const leaves = length < node.leaves.length ? node.leaves[length] : undefined;
  if (leaves) for (const leaf of leaves) if (path.startsWith(leaf.end, from)) return leaf;
  for (const { literal, node: next } of node.branches) {
    if (!path.startsWith(literal, from)) continue;
    const start = from + literal.length;
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    if (end === start) continue;
    segments[count] = path.slice(start, end);
    const leaf = findLeaf(next, path, end, segments, count + 1);
    if (leaf) return leaf;
  }
  return undefined;
}

/** Undefined: a segment is no text, so that it names nothing. */
function matchOf({ route, names }: Leaf, segments: readonly string[]): Match | undefined {
  const isEndpoint = route.kind === 'endpoint';
  const params = names.length === 0 ? NO_PARAMS : paramsOf(names, isEndpoint ? segments.slice(1) : segments);
  return params && { route, app: isEndpoint ? (segments[0] ?? '') : '', params };
}

function paramsOf(names: readonly string[], segments: readonly string[]): Match['params'] | undefined {
  const params: Record<string, string> = Object.create(null);
  for (const [place, name] of names.entries()) {
    const value = decodeSegment(segments[place] ?? '');
    if (value === undefined) return undefined;
    params[name] = value;
  }
  return params;
}

/** RFC 3986 section 2.1. Undefined for broken encoding, for bytes that are no UTF-8, and for NUL, which PostgreSQL cannot store. */
function decodeSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    const value = decodeURIComponent(segment);
    return value.includes('\0') ? undefined : value;
  } catch {
    return undefined;
  }
}
