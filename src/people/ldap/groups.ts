import type { GroupSearch } from '../../directory/providers/rules.ts';
import { element } from './ber.rules.ts';
import type { Deadline, LdapConnection } from './connection.ts';
import { ANYTHING, encodeFilter, type Filter, parseFilter } from './filter.rules.ts';
import type { Entry } from './message.rules.ts';
import { textsOf } from './person.rules.ts';
import { DEFAULT_GROUP_FILTER, DEFAULT_GROUP_NAME } from './settings.rules.ts';

/** Of one person, with the groups that these are in. */
const MAX_GROUPS = 1000;
/** So many groups are looked up by one search. */
const GROUPS_PER_SEARCH = 50;
const MAX_DEPTH = 20;

/** How a directory finds the groups of groups itself: https://learn.microsoft.com/windows/win32/adsi/search-filter-syntax */
const IN_CHAIN = '1.2.840.113556.1.4.1941';
/** What Active Directory says of itself (rootDSE, supportedCapabilities). */
const ACTIVE_DIRECTORY = '1.2.840.113556.1.4.800';

/** The names of the groups of a person. */
export async function groupsOf(
  connection: LdapConnection,
  { search_base: base, filter = DEFAULT_GROUP_FILTER, nested = false, name = DEFAULT_GROUP_NAME }: GroupSearch,
  person: { readonly dn: string; readonly username: string },
  deadline: Deadline,
): Promise<readonly string[]> {
  const template = parseFilter(filter);
  const search = (of: readonly string[], asked: Filter) =>
    connection.search(
      {
        base,
        scope: 'subtree',
        filter: anyOf(of.map(dn => encodeFilter(asked, { dn, username: person.username }))),
        attributes: [name],
        maxEntries: MAX_GROUPS,
      },
      deadline,
    );
  const isInChain = nested && (await isActiveDirectory(connection, deadline));
  const found = new Map<string, Entry>();
  let level: readonly string[] = [person.dn];
  for (let depth = 0; level.length > 0 && depth < MAX_DEPTH && found.size < MAX_GROUPS; depth++) {
    const fresh: string[] = [];
    for (const some of piecesOf(level)) {
      for (const group of await search(some, isInChain ? inChain(template) : template)) {
        const key = group.dn.toLowerCase();
        // A group that was seen before leads into a cycle, or was reached on another way.
        if (found.has(key)) continue;
        found.set(key, group);
        fresh.push(group.dn);
      }
    }
    level = nested && !isInChain ? fresh : [];
  }
  const names = [...found.values()].flatMap(group => textsOf(group, name)[0] ?? []);
  return [...new Set(names)].slice(0, MAX_GROUPS);
}

/** `(|(…)(…))` */
function anyOf(filters: readonly Buffer[]): Buffer {
  const [only] = filters;
  return filters.length === 1 && only ? only : element(0xa1, ...filters);
}

function* piecesOf(names: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < names.length; from += GROUPS_PER_SEARCH) yield names.slice(from, from + GROUPS_PER_SEARCH);
}

/** Each `(member={dn})` of the filter, wherever it stands, as a comparison with the members of members. */
function inChain(filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, of: filter.of.map(inChain) };
    case 'not':
      return { kind: 'not', of: inChain(filter.of) };
    case 'equal': {
      const { attribute, value } = filter;
      const isMember = value.some(piece => !Buffer.isBuffer(piece) && piece.place === 'dn');
      return isMember ? { kind: 'extensible', attribute, isOfDn: false, rule: IN_CHAIN, value } : filter;
    }
    default:
      return filter;
  }
}

/** What a directory says of itself is there to be read by everybody (RFC 4512 section 5.1). */
async function isActiveDirectory(connection: LdapConnection, deadline: Deadline): Promise<boolean> {
  const [root] = await connection.search(
    {
      base: '',
      scope: 'entry',
      filter: encodeFilter(ANYTHING, {}),
      attributes: ['supportedCapabilities'],
      maxEntries: 1,
    },
    deadline,
  );
  return root !== undefined && textsOf(root, 'supportedCapabilities').includes(ACTIVE_DIRECTORY);
}
