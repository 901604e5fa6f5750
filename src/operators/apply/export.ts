import { stringify } from 'yaml';
import { BUILT_IN_APPLICATION } from '../../directory/applications/built-in.rules.ts';
import type { Applications } from '../../directory/applications/store.ts';
import { isSelfRegistered } from '../../directory/clients/rules.ts';
import type { Fields } from '../../directory/fields/sum.fields.ts';
import type { Providers } from '../../directory/providers/store.ts';
import { userAttributes } from '../../directory/user-attributes/queries.ts';
import type { UserAttribute } from '../../directory/user-attributes/rules.ts';
import type { Account } from '../../directory/users/store.ts';
import { openTotpKey, type TotpSealing } from '../../people/totp/key.ts';
import type { Deps, Tables } from '../../services.ts';
import { type ExportedList, exportFaults } from './export-check.ts';
import {
  applicationEntry,
  attributeEntry,
  type Entry,
  providerEntry,
  type SignsInWith,
  userEntry,
} from './export-entries.ts';

export interface ExportOptions {
  readonly format: 'yaml' | 'json';
  /** Only this application. */
  readonly app?: string | undefined;
  readonly users: boolean;
  readonly passwordHashes: boolean;
  /** Password hashes, keys of authenticator apps and passkeys. */
  readonly credentials?: boolean | undefined;
  /** Called with the number of entries that were written since the last call. */
  readonly onEntries?: ((entries: number) => void) | undefined;
  /** Called with what the reader of the file would refuse. */
  readonly onFault?: ((fault: string) => void) | undefined;
}

export interface ExportDeps extends Pick<Deps, 'store'> {
  readonly ring: TotpSealing;
  readonly tables: Pick<Tables, 'fields'>;
}

/**
 * The store as an apply file, piece by piece: a page of users is in memory at a time, however many there are. Everything is in the
 * order of its name, so that the same content gives the same text, from either store.
 */
export async function* exportText(deps: ExportDeps, options: ExportOptions): AsyncGenerator<string> {
  const fields = await deps.tables.fields();
  const users = options.users ? userEntries(deps, options) : undefined;
  const applications = applicationEntries(fields, deps.store, options.app);
  const providers = options.app === undefined ? providerEntries(fields, deps.store) : undefined;
  const attributes = options.app === undefined ? await userAttributes(deps.store.cold) : [];
  yield* entriesText(fields, { attributes, providers, applications, users }, options);
}

/** The same of entries from elsewhere. */
export async function* entriesText(
  fields: Fields,
  { attributes, providers, applications, users }: Exported,
  options: ExportOptions,
): AsyncGenerator<string> {
  const sections: Section[] = [];
  if (attributes.length > 0) sections.push(['user_attributes', onePage(attributes.map(attributeEntry))]);
  if (providers) sections.push(['providers', providers]);
  sections.push(['applications', applications]);
  if (users) sections.push(['users', users]);
  yield* options.format === 'yaml' ? toYaml(fields, sections, options) : toJson(fields, sections, options);
}

/** A list of the apply file, page by page. */
type Section = readonly [name: ExportedList, pages: Pages];

type Pages = AsyncIterable<readonly Entry[]>;

/** Attributes and providers belong to no application, and users neither: an export of one application has none. */
export interface Exported {
  readonly attributes: readonly UserAttribute[];
  readonly providers: Pages | undefined;
  readonly applications: Pages;
  readonly users: Pages | undefined;
}

async function* onePage(entries: readonly Entry[]): AsyncGenerator<readonly Entry[]> {
  yield entries;
}

async function* providerEntries(fields: Fields, store: Providers): AsyncGenerator<readonly Entry[]> {
  const found = await store.listProviders();
  if (found.length > 0) yield found.map(each => providerEntry(fields, each));
}

async function* applicationEntries(
  fields: Fields,
  store: Applications,
  only: string | undefined,
): AsyncGenerator<readonly Entry[]> {
  for (const code of await exportedCodes(store, only)) {
    const found = await store.findStoredApplication(code);
    // It may have been deleted since the codes were read.
    if (!found || found.deletedAt !== undefined) continue;
    // Those that have registered themselves are no part of what operators set.
    const clients = (await store.clientsOf(code)).filter(client => !isSelfRegistered(client));
    yield [applicationEntry(fields, found.application, clients)];
  }
}

export async function exportedCodes(
  store: Pick<Applications, 'applicationCodes'>,
  only: string | undefined,
): Promise<readonly string[]> {
  const codes = only === undefined ? await store.applicationCodes() : [only];
  return codes.filter(code => code !== BUILT_IN_APPLICATION);
}

const PAGE_SIZE = 500;

async function* userEntries(deps: ExportDeps, options: ExportOptions): AsyncGenerator<readonly Entry[]> {
  for (let after: string | undefined; ; ) {
    const page = await deps.store.accountsAfter(after, PAGE_SIZE);
    after = page.at(-1)?.username;
    if (after === undefined) return;
    const signsInWith = await credentialsOf(deps, options, page);
    const links = await deps.store.linksOfUsers(page.map(({ sub }) => sub));
    yield page.map(account => userEntry(account, { ...signsInWith(account), links: links.get(account.sub) }));
  }
}

async function credentialsOf(
  { store, ring }: ExportDeps,
  { passwordHashes, credentials }: ExportOptions,
  page: readonly Account[],
): Promise<(account: Account) => SignsInWith> {
  if (!credentials) return ({ passwordHash }) => (passwordHashes ? { passwordHash } : {});
  const passkeys = await store.passkeysOfUsers(page.map(({ sub }) => sub));
  return ({ sub, passwordHash, totp }) => ({
    passwordHash,
    totpKey: totp === undefined ? undefined : openTotpKey(ring, sub, totp),
    passkeys: passkeys.get(sub),
  });
}

/** No text as a block of lines: the library loses the spaces of one that is white space alone. */
const STYLE = { blockQuote: false, lineWidth: 0, aliasDuplicateObjects: false } as const;

/** A section without entries is left out: nothing is the same as an empty list. */
async function* toYaml(fields: Fields, sections: readonly Section[], options: ExportOptions): AsyncGenerator<string> {
  yield comment(options);
  for (const [name, pages] of sections) {
    let begun = false;
    for await (const entries of pages) {
      if (entries.length === 0) continue;
      const text = stringify({ [name]: entries }, STYLE);
      yield begun ? text.slice(text.indexOf('\n') + 1) : text;
      begun = true;
      report(fields, name, entries, options);
    }
  }
}

/** One entry on each line. */
async function* toJson(fields: Fields, sections: readonly Section[], options: ExportOptions): AsyncGenerator<string> {
  let before = '{';
  for (const [name, pages] of sections) {
    const begin = `${before}${JSON.stringify(name)}: [`;
    let separator = '\n';
    let isBegun = false;
    for await (const entries of pages) {
      if (entries.length === 0) continue;
      if (!isBegun) yield begin;
      isBegun = true;
      yield separator + entries.map(entry => JSON.stringify(entry)).join(',\n');
      separator = ',\n';
      report(fields, name, entries, options);
    }
    // Files of deployments without providers stay as they are.
    if (!isBegun && name === 'providers') continue;
    yield isBegun ? ']' : `${begin}]`;
    before = ',\n';
  }
  yield '}\n';
}

function report(
  fields: Fields,
  name: Section[0],
  entries: readonly Entry[],
  { onEntries, onFault }: ExportOptions,
): void {
  onEntries?.(entries.length);
  if (onFault) for (const fault of entries.flatMap(entry => exportFaults(fields, name, entry))) onFault(fault);
}

/** Without a time, so that the same content gives the same text. */
function comment({ users, passwordHashes, credentials }: ExportOptions): string {
  const hasPasswords = passwordHashes || credentials === true;
  const factors = credentials ? 'recovery codes' : 'second factors';
  const passwords = users ? `${hasPasswords ? '' : 'passwords, '}${factors}, ` : 'passwords, ';
  const lines = [
    'Gatehouse: an apply file, written by "gatehouse export".',
    `Left out: client secrets, ${passwords}signing keys, sessions, consents, codes and tokens${users ? ', the sub of users' : ''}.`,
    'Applied to the store that it came from, it changes nothing.',
    'Applied to an empty store, apply generates and prints a new secret for each client that needs one.',
    ...(users && !hasPasswords ? ['Users that it creates have no password.'] : []),
    ...(users ? [] : ['Users are left out too.']),
  ];
  return lines.map(line => `# ${line}\n`).join('');
}
