import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import { loginName } from '../../directory/users/login-name.rules.ts';
import { NO_TEXT, placeOfNoText } from '../../platform/text/text.rules.ts';
import { generatedClientId } from './client-id.ts';
import type { Fault } from './fault.ts';
import { type ApplyFile, applyFileSchema, type GivenClient } from './file-schema.ts';
import { createPlaces, type Places } from './places.ts';

/** The file of `gatehouse apply` (docs/configuration.md): YAML or JSON, checked as a whole before anything is written. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/** Every fault with its place, such as `applications[0].clients[1].redirect_uris[0]: must not have a fragment (client shop/web, line 9)`. */
export type ApplyFileResult =
  | {
      readonly kind: 'valid';
      readonly file: ApplyFile;
      /** The same before it was parsed, as JSON, for a server that parses it itself. */
      readonly given: GivenFile;
      /** A fault that the store has shown, with its place. */
      describe(fault: Fault): string;
    }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

export interface GivenFile {
  readonly providers?: readonly unknown[] | undefined;
  readonly user_attributes?: readonly unknown[] | undefined;
  readonly applications?: readonly unknown[];
  readonly users?: readonly unknown[];
}

/** Reads several files as one: a duplicate across files is a fault too. */
export function readApplyFiles(fields: Fields, sources: readonly Source[]): ApplyFileResult {
  const faults: string[] = [];
  const seen = new Set<string>();
  const files: (ApplyFile & { readonly places: Places; readonly given: GivenFile })[] = [];
  for (const source of sources) {
    const label = sources.length > 1 ? `${source.name}: ` : '';
    const read = readOne(fields, source.text);
    if (read.kind === 'unreadable') faults.push(...read.faults.map(fault => label + fault));
    else {
      const places = createPlaces(source.text, label);
      const found = read.kind === 'faulty' ? read.faults : duplicates(read.file, seen);
      faults.push(...found.map(places.describe));
      if (read.kind === 'valid') files.push({ ...read.file, places, given: read.given });
    }
  }
  if (faults.length > 0) return { kind: 'faulty', faults };
  return {
    kind: 'valid',
    file: {
      ...optionalLists(files),
      applications: files.flatMap(file => file.applications),
      users: files.flatMap(file => file.users),
    },
    given: {
      ...optionalLists(files.map(({ given }) => given)),
      applications: files.flatMap(({ given }) => given.applications ?? []),
      users: files.flatMap(({ given }) => given.users ?? []),
    },
    describe: fault => describeIn(files, fault),
  };
}

/** Files that do not name one of these lists leave it alone. */
interface OptionalLists<Provider, Attribute> {
  readonly providers?: readonly Provider[] | undefined;
  readonly user_attributes?: readonly Attribute[] | undefined;
}

function optionalLists<P, A>(files: readonly OptionalLists<P, A>[]): OptionalLists<P, A> {
  const providers = files.flatMap(file => (file.providers ? [file.providers] : []));
  const attributes = files.flatMap(file => (file.user_attributes ? [file.user_attributes] : []));
  return {
    ...(providers.length > 0 && { providers: providers.flat() }),
    ...(attributes.length > 0 && { user_attributes: attributes.flat() }),
  };
}

/** The entries of all files are counted through. */
function describeIn(
  files: readonly (ApplyFile & { readonly places: Places })[],
  { path, message, other }: Fault,
): string {
  if (path === undefined) return message;
  const placed = inItsFile(files, path);
  const rest = other && inItsFile(files, other);
  const whole = rest ? `${message} ${rest.places?.nameOf(rest.path)}` : message;
  return placed.places?.describe({ path: placed.path, message: whole }) ?? whole;
}

function inItsFile(
  files: readonly (ApplyFile & { readonly places: Places })[],
  [list, index, ...rest]: readonly PropertyKey[],
): { readonly places: Places | undefined; readonly path: readonly PropertyKey[] } {
  let at = Number(index);
  for (const file of files) {
    const { length } = file[list as keyof ApplyFile] ?? [];
    if (at < length) return { places: file.places, path: [list ?? '', at, ...rest] };
    at -= length;
  }
  return { places: files[0]?.places, path: [list ?? ''] };
}

type ReadOne =
  | { readonly kind: 'valid'; readonly file: ApplyFile; readonly given: GivenFile }
  | { readonly kind: 'faulty'; readonly faults: readonly Fault[] }
  /** Neither YAML nor JSON. */
  | { readonly kind: 'unreadable'; readonly faults: readonly string[] };

function readOne(fields: Fields, text: string): ReadOne {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos, message }) => `line ${lines.linePos(pos[0]).line}: ${message}`);
    return { kind: 'unreadable', faults };
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // An alias without an anchor, or more aliases than the parser allows (a "billion laughs" file).
    return { kind: 'unreadable', faults: [`file: ${(error as Error).message}`] };
  }
  const noText = placeOfNoText(content);
  if (noText) return { kind: 'faulty', faults: [{ path: noText, message: NO_TEXT }] };
  const parsed = applyFileSchema(fields).safeParse(content ?? {}, { reportInput: true });
  return parsed.success
    ? { kind: 'valid', file: parsed.data, given: (content ?? {}) as GivenFile }
    : { kind: 'faulty', faults: parsed.error.issues.flatMap(faultsOf) };
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ path: [...issue.path, key], message: 'there is no such setting' }));
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return [{ path: issue.path, message: isMissing ? 'is missing' : issue.message }];
}

const LISTS = ['redirect_uris', 'post_logout_redirect_uris', 'grant_types'] as const;

/** Reports duplicates of names that must be unique. `seen` is shared by all files. */
export function duplicates(file: ApplyFile, seen: Set<string>): Fault[] {
  const faults: Fault[] = [];
  const once = (key: string, path: readonly PropertyKey[], message: string) => {
    if (seen.has(key)) faults.push({ path, message });
    seen.add(key);
  };
  for (const [p, { id }] of (file.providers ?? []).entries()) {
    once(`provider ${id}`, ['providers', p, 'id'], `duplicate provider "${id}"`);
  }
  file.user_attributes?.forEach(({ name }, a) => {
    once(`attribute ${name}`, ['user_attributes', a, 'name'], `duplicate attribute "${name}"`);
  });
  file.applications.forEach(({ code, clients }, a) => {
    const at = ['applications', a];
    once(`application ${code}`, [...at, 'code'], `duplicate application "${code}"`);
    clients?.forEach((client, c) => {
      const id = client.client_id ?? generatedClientId(code, client.client_name ?? undefined);
      const message =
        client.client_id === undefined
          ? 'is needed, because another client without one has the same client_name'
          : `duplicate client "${id}"`;
      once(`client ${code} ${id}`, [...at, 'clients', c, 'client_id'], message);
      faults.push(...repeatedValues(client).map(fault => ({ ...fault, path: [...at, 'clients', c, ...fault.path] })));
    });
  });
  file.users.forEach((user, u) => {
    const own = new Set<string>();
    for (const field of ['username', 'email', 'phone_number'] as const) {
      const name = loginName(user[field] ?? '');
      // A user's e-mail address may also be the user name.
      if (name === undefined || own.has(name)) continue;
      own.add(name);
      once(`login ${name}`, ['users', u, field], `duplicate login name "${user[field]}"`);
    }
    user.passkeys?.forEach(({ credential_id }, p) => {
      const path = ['users', u, 'passkeys', p, 'credential_id'];
      once(`passkey ${credential_id}`, path, 'is that of another user as well');
    });
  });
  return faults;
}

function repeatedValues(client: GivenClient): { readonly path: PropertyKey[]; readonly message: string }[] {
  return LISTS.flatMap(list => {
    const values: readonly string[] = client[list] ?? [];
    return values.flatMap((value, index) =>
      values.indexOf(value) < index ? [{ path: [list, index], message: `duplicate "${value}"` }] : [],
    );
  });
}
