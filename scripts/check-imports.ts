/**
 * `npm run imports`: checks the layers of import-rules.ts, and that there is no circle, no barrel, no junk drawer.
 * Prints each breach with its reason and exits 1 when there is one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  KEPT,
  LAYERS,
  OUTBOUND,
  OUTGOING,
  OUTGOING_GLOBAL,
  OUTGOING_MODULES,
  TAKING_BUILTINS,
  TYPES,
  WITHOUT_IMPORT,
} from './import-rules.ts';

export interface Source {
  readonly path: string;
  readonly text: string;
}

export function breaches(sources: readonly Source[]): string[] {
  const found: string[] = [];
  const graph = new Map<string, string[]>();
  for (const { path, text } of sources) {
    if (/(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(path)) found.push(`${path}: name it after what it does`);
    if (/(^|\/)index\.ts$/.test(path)) found.push(`${path}: no barrel files`);
    const level = levelOf(path);
    if (level < 0 && !TYPES.includes(path)) {
      found.push(`${path}: no rule says what this may import`);
      continue;
    }
    const own: string[] = [];
    const global = OUTGOING_GLOBAL.exec(text)?.[1];
    if (global !== undefined && !OUTBOUND.test(path)) found.push(outgoingBreach(path, global));
    if (text.includes('getBuiltinModule(') && !TAKING_BUILTINS.test(path)) {
      found.push(`${path}: only ${TAKING_BUILTINS.source} takes a module of Node.js without an import`);
    }
    for (const { specifier, names, isOfTypes } of importsOf(text)) {
      if (!specifier.startsWith('.')) {
        found.push(...foreignBreaches(path, specifier), ...outgoingBreaches(path, specifier, names));
        if (specifier === WITHOUT_IMPORT && names.length > 0) {
          found.push(`${path}: may import nothing but types of ${specifier}, whose values load the client of fetch`);
        }
        continue;
      }
      const target = normalize(join(dirname(path), specifier));
      if (TYPES.includes(path) || TYPES.includes(target)) {
        if (!isOfTypes) found.push(`${path}: may import nothing but types of ${target}`);
        continue;
      }
      own.push(target);
      if (target === 'main.ts') found.push(`${path}: nothing imports main.ts`);
      else if (levelOf(target) < level) found.push(`${path}: may not import ${target}, which is above it`);
    }
    graph.set(path, own);
  }
  return [...found, ...circles(graph)];
}

/** The line of LAYERS, by the kind of the file and else by its room; -1: none. */
function levelOf(path: string): number {
  const kind = /([\w-]+)\.ts$/.exec(path)?.[1] ?? '';
  const ofFile = LAYERS.findIndex(({ files }) => files?.includes(path));
  const ofKind = LAYERS.findIndex(({ kinds }) => kinds?.includes(kind));
  const room = path.split('/')[0];
  const ofRoom = LAYERS.findIndex(layer => layer.room === room);
  const level = ofFile >= 0 ? ofFile : ofKind >= 0 ? ofKind : ofRoom;
  // What puts the parts together is above all kinds of parts.
  return room === 'assembly' ? ofRoom : level;
}

function foreignBreaches(path: string, specifier: string): string[] {
  const keeper = KEPT[specifier];
  if (keeper && !keeper.test(path)) return [`${path}: only ${keeper.source} imports ${specifier}`];
  const foreign = LAYERS[levelOf(path)]?.foreign;
  return foreign && !foreign.includes(specifier) ? [`${path}: may not import ${specifier}`] : [];
}

function outgoingBreaches(path: string, specifier: string, names: readonly string[]): string[] {
  if (OUTBOUND.test(path)) return [];
  if (OUTGOING_MODULES.test(specifier)) return [outgoingBreach(path, specifier)];
  const outgoing = OUTGOING[specifier] ?? [];
  return names
    .filter(name => outgoing.length > 0 && (name === ALL || outgoing.includes(name)))
    .map(name => outgoingBreach(path, `${name} of ${specifier}`));
}

function outgoingBreach(path: string, what: string): string {
  return `${path}: only platform/outbound/ opens connections to others: ${what}`;
}

interface Import {
  readonly specifier: string;
  /** Of values, as the module calls them; types open nothing. */
  readonly names: readonly string[];
  readonly isOfTypes: boolean;
}

/** A module as a whole. */
const ALL = 'all';
const IMPORT = /^(?:import|export)\b([^;'"]*?)from\s*'([^']+)'|^import\s*'([^']+)'|\bimport\('([^']+)'\)/gm;

function importsOf(text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, clause, ...specifiers]) => ({
    specifier: specifiers.find(specifier => specifier !== undefined) ?? '',
    names: clause === undefined ? [ALL] : namesIn(clause.trim()),
    isOfTypes: clause?.trim().startsWith('type ') ?? false,
  }));
}

function namesIn(clause: string): string[] {
  if (clause.startsWith('type ')) return [];
  const [outside = '', inside = ''] = clause.split(/[{}]/);
  const names = inside.split(',').map(name => name.trim().split(' as ')[0] ?? '');
  const values = names.filter(name => name !== '' && !name.startsWith('type '));
  return outside.trim() === '' ? values : [ALL, ...values];
}

/** Depth first; a file met again while it is still open closes a circle. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, open: readonly string[]) => {
    if (open.includes(path)) {
      found.push(`circle: ${[...open.slice(open.indexOf(path)), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...open, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

function readSources(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => join(folder, name))
    .map(path => ({ path: relative(folder, path), text: readFileSync(path, 'utf8') }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sources = readSources('src');
  const found = breaches(sources);
  for (const line of found) process.stderr.write(`${line}\n`);
  process.stdout.write(`${sources.length} files, ${found.length} breaches of the import rules\n`);
  process.exit(found.length === 0 ? 0 : 1);
}
