import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { userSchema } from '../accounts/registration.ts';
import { applicationSchema } from '../applications/registration.ts';
import { loginName } from '../protocol/login-name.ts';
import { NO_TEXT, placeOfNoText } from '../protocol/text.ts';
import { generatedClientId } from './client-id.ts';

/** The file of `gatehouse apply` (docs/configuration.md): YAML or JSON, checked as a whole before anything is written. */
const schema = z.strictObject({
  applications: z.array(applicationSchema).default([]),
  users: z.array(userSchema).default([]),
});

export type ApplyFile = z.output<typeof schema>;

export interface Source {
  readonly name: string;
  readonly text: string;
}

/** Every fault with its place, such as `applications[0].clients[1].redirect_uris[0]: must not have a fragment`. */
export type ApplyFileResult =
  | { readonly kind: 'valid'; readonly file: ApplyFile }
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

/** Reads several files as one: a duplicate across files is a fault too. */
export function readApplyFiles(sources: readonly Source[]): ApplyFileResult {
  const faults: string[] = [];
  const seen = new Set<string>();
  const files: ApplyFile[] = [];
  for (const source of sources) {
    const label = sources.length > 1 ? `${source.name}: ` : '';
    const read = readOne(source.text);
    if (read.kind === 'faulty') faults.push(...read.faults.map(fault => label + fault));
    else {
      files.push(read.file);
      faults.push(...duplicates(read.file, seen).map(fault => label + fault));
    }
  }
  if (faults.length > 0) return { kind: 'faulty', faults };
  return {
    kind: 'valid',
    file: { applications: files.flatMap(file => file.applications), users: files.flatMap(file => file.users) },
  };
}

function readOne(text: string): ApplyFileResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ pos, message }) => `line ${lines.linePos(pos[0]).line}: ${message}`);
    return { kind: 'faulty', faults };
  }
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    // An alias without an anchor, or more aliases than the parser allows (a "billion laughs" file).
    return { kind: 'faulty', faults: [`file: ${(error as Error).message}`] };
  }
  const noText = placeOfNoText(content);
  if (noText) return { kind: 'faulty', faults: [`${place(noText)}: ${NO_TEXT}`] };
  const parsed = schema.safeParse(content ?? {}, { reportInput: true });
  return parsed.success
    ? { kind: 'valid', file: parsed.data }
    : { kind: 'faulty', faults: parsed.error.issues.flatMap(describeIssue) };
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => `${place([...issue.path, key])}: there is no such setting`);
  }
  const missing = issue.code === 'invalid_type' && issue.input === undefined;
  return [`${place(issue.path)}: ${missing ? 'is missing' : issue.message}`];
}

function place(path: readonly PropertyKey[]): string {
  const text = path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'file' : text.replace(/^\./, '');
}

/** Reports duplicates of names that must be unique. `seen` is shared by all files. */
function duplicates(file: ApplyFile, seen: Set<string>): string[] {
  const faults: string[] = [];
  const once = (key: string, where: string, message: string) => {
    if (seen.has(key)) faults.push(`${where}: ${message}`);
    seen.add(key);
  };
  file.applications.forEach((application, a) => {
    const at = `applications[${a}]`;
    once(`application ${application.code}`, `${at}.code`, `duplicate application "${application.code}"`);
    application.clients.forEach((client, c) => {
      const id = client.client_id ?? generatedClientId(application.code, client.client_name);
      const message =
        client.client_id === undefined
          ? 'is needed, because another client without one has the same client_name'
          : `duplicate client "${id}"`;
      once(`client ${application.code} ${id}`, `${at}.clients[${c}].client_id`, message);
      for (const list of ['redirect_uris', 'post_logout_redirect_uris', 'grant_types'] as const) {
        client[list].forEach((value, i) => {
          const where = `${at}.clients[${c}].${list}[${i}]`;
          if (client[list].indexOf(value as never) < i) faults.push(`${where}: duplicate "${value}"`);
        });
      }
    });
  });
  file.users.forEach((user, u) => {
    const own = new Set<string>();
    for (const field of ['username', 'email', 'phone_number'] as const) {
      const name = loginName(user[field] ?? '');
      // A user's e-mail address may also be the user name.
      if (name === undefined || own.has(name)) continue;
      own.add(name);
      once(`login ${name}`, `users[${u}].${field}`, `duplicate login name "${user[field]}"`);
    }
    user.passkeys?.forEach(({ credential_id }, p) => {
      once(`passkey ${credential_id}`, `users[${u}].passkeys[${p}].credential_id`, 'is that of another user as well');
    });
  });
  return faults;
}
