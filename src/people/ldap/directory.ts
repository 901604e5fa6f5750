import type { Clock, Random } from '../../platform/deps.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { ConnectedProvider, ProviderFault } from '../federation/connector.ts';
import { createDelays } from '../federation/delays.ts';
import type { Checked, CountEntry, StillThere } from '../federation/password-checker.ts';
import { type Deadline, DirectoryRefusal, DirectoryUnavailable, type LdapConnection } from './connection.ts';
import { encodeFilter, equalTo, FilterFault, forAnybody, parseFilter } from './filter.rules.ts';
import { groupsOf } from './groups.ts';
import { claimsOf, requestedAttributes, shutReason, subjectBytes, subjectOf } from './person.rules.ts';
import { isPassing, meaningOf, SUCCESS } from './result.rules.ts';
import { createServers } from './servers.ts';
import { DEFAULT_SEARCH_FILTER, DEFAULT_SUBJECT, groupSearchOf } from './settings.rules.ts';

/** A directory as people sign in with it. */
export interface Directory {
  check(username: string, password: string | undefined, countEntry: CountEntry): Promise<Checked>;
  /** Whether the person is still there, and not shut out. */
  isStillThere(subject: string): Promise<StillThere>;
  close(): void;
}

interface Surroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly config: { readonly outbound: Outbound };
}

export function createDirectory({ clock, random, config }: Surroundings, provider: ConnectedProvider): Directory {
  const { url = [], starttls = false, tls_ca: ca, bind_dn: bindDn, secrets } = provider;
  const settings = { url, starttls, ca, bindDn, bindPassword: secrets.bind_password };
  const { allowed, timeoutMs } = config.outbound;
  const servers = createServers(settings, allowed);
  const delays = createDelays(random);
  const subjectName = provider.subject_attribute ?? DEFAULT_SUBJECT;
  const attributes = requestedAttributes(subjectName, provider.attributes);

  /** Two are enough to know that the filter does not say who it is. */
  const findWith = (connection: LdapConnection, filter: Buffer, deadline: Deadline) => {
    const base = provider.search_base ?? '';
    return connection.search({ base, scope: 'subtree', filter, attributes, maxEntries: 2 }, deadline);
  };

  const check: Directory['check'] = async (username, password, countEntry) => {
    // For all that one sign-in asks of a directory.
    const deadline = performance.now() + timeoutMs;
    const filter = encodeFilter(parseFilter(provider.search_filter ?? DEFAULT_SEARCH_FILTER), { username });
    const found = await servers.asService(deadline, (connection, own) => findWith(connection, filter, own));
    const [entry] = found;
    if (found.length > 1)
      return failed('invalid', 'the search filter finds several entries for one name: make search_filter narrower');
    // Nobody has an entry without a name, and a bind without one would be anybody's (RFC 4513 section 5.1).
    const dn = entry === undefined || entry.dn === '' ? undefined : entry.dn;
    if (entry === undefined || dn === undefined || !isUsable(password)) {
      await delays.waitAsForCheck();
      const reason = entry === undefined ? 'nobody has this name there' : 'the password is none that is sent there';
      return { kind: 'refused', reason, isKnown: entry !== undefined };
    }
    const subject = subjectOf(entry, subjectName);
    const counted = await countEntry(dn, subject);
    if (counted.kind === 'refused') {
      await delays.waitAsForCheck();
      return { kind: 'refused', reason: 'too many wrong passwords for this entry, under whatever name', isKnown: true };
    }
    const begun = performance.now();
    const bound = await servers.forPeople(deadline, (connection, own) => connection.bind(dn, password, own));
    delays.note(performance.now() - begun);
    if (isPassing(bound.code)) return failed('unavailable', meaningOf(bound));
    if (bound.code !== SUCCESS) {
      return { kind: 'refused', reason: meaningOf(bound), isKnown: true };
    }
    await counted.succeeded();
    const shut = shutReason(entry, clock.now());
    if (shut !== undefined) return { kind: 'refused', reason: shut, isKnown: true };
    if (subject === undefined) return failed('invalid', `the entry has no single value of ${subjectName}`);
    const claims = claimsOf(entry, provider.attributes);
    return { kind: 'identified', identity: { subject, claims, groups: await groups({ dn, username }, deadline) } };
  };

  const groups = async (person: { readonly dn: string; readonly username: string }, deadline: Deadline) => {
    const search = groupSearchOf(provider);
    if (!search) return undefined;
    const found = await servers.asService(deadline, (connection, own) => groupsOf(connection, search, person, own));
    const { map } = search;
    return map ? found.flatMap(name => (Object.hasOwn(map, name) ? [map[name] ?? ''] : [])) : found;
  };

  const isStillThere = async (subject: string): Promise<StillThere> => {
    const deadline = performance.now() + timeoutMs;
    const anybody = parseFilter(forAnybody(provider.search_filter ?? DEFAULT_SEARCH_FILTER, 'username'));
    const own = equalTo(subjectName, subjectBytes(subjectName, subject));
    const filter = encodeFilter({ kind: 'and', of: [own, anybody] }, {});
    const [entry] = await servers.asService(deadline, (connection, part) => findWith(connection, filter, part));
    if (!entry) return { kind: 'gone', reason: 'the directory does not have this person any more' };
    const reason = shutReason(entry, clock.now());
    return reason === undefined ? { kind: 'there' } : { kind: 'gone', reason };
  };

  return {
    check: (...asked) => orFault(() => check(...asked)),
    isStillThere: subject => orFault(() => isStillThere(subject)),
    close: servers.close,
  };
}

/** An empty password asks for a sign-in as nobody, which succeeds (RFC 4513 section 5.1.2); some directories read no further than a NUL. */
function isUsable(password: string | undefined): password is string {
  return password !== undefined && password !== '' && !password.includes('\0');
}

function failed(kind: ProviderFault['kind'], reason: string) {
  return { kind: 'failed', fault: { kind, reason } } as const;
}

async function orFault<T>(work: () => Promise<T>): Promise<T | ReturnType<typeof failed>> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof DirectoryUnavailable) return failed('unavailable', fault.message);
    if (fault instanceof DirectoryRefusal) return failed('refused', fault.message);
    if (fault instanceof FilterFault) return failed('invalid', `the filter ${fault.message}`);
    throw fault;
  }
}
