import type { BlockList } from 'node:net';
import { type Deadline, DirectoryUnavailable, type LdapConnection, openConnection, refusalOf } from './connection.ts';
import { createPool, type Pool } from './pool.ts';
import { SUCCESS } from './result.rules.ts';
import { readUrl, urlsOf } from './settings.rules.ts';

/** The servers of one directory, and who this server is there. */
export interface DirectoryServers {
  /** On a connection that is bound as `bind_dn`: for what this server itself may read. */
  asService<T>(deadline: Deadline, work: Work<T>): Promise<T>;
  /** On a connection that is bound as nobody in particular: for the passwords of people. */
  forPeople<T>(deadline: Deadline, work: Work<T>): Promise<T>;
  close(): void;
}

type Work<T> = (connection: LdapConnection, deadline: Deadline) => Promise<T>;

export interface ServerSettings {
  readonly url: string | readonly string[];
  readonly starttls: boolean;
  readonly ca: string | undefined;
  readonly bindDn: string | undefined;
  readonly bindPassword: string | undefined;
}

interface Server {
  readonly service: Pool;
  readonly people: Pool;
}

/**
 * One server is asked, and another when it does not answer: each has an equal part of the time that is left. The next person begins at
 * the one that has answered last. An idle connection of a person is never searched on: its rights are that person's.
 */
export function createServers(settings: ServerSettings, allowed: BlockList): DirectoryServers {
  const servers = urlsOf(settings.url).map(url => serverAt(String(url), settings, allowed));
  let current = 0;

  const run = async <T>(kind: keyof Server, deadline: Deadline, work: Work<T>): Promise<T> => {
    const first = current;
    for (let tried = 0; ; tried++) {
      const at = (first + tried) % servers.length;
      const pool = (servers[at] as Server)[kind];
      const now = performance.now();
      const own = now + (deadline - now) / (servers.length - tried);
      try {
        const result = await pool.use(own, connection => work(connection, own));
        current = at;
        return result;
      } catch (fault) {
        const isLast = tried === servers.length - 1;
        if (!(fault instanceof DirectoryUnavailable) || isLast) throw fault;
      }
    }
  };

  return {
    asService: (deadline, work) => run('service', deadline, work),
    forPeople: (deadline, work) => run('people', deadline, work),
    close: () => {
      for (const { service, people } of servers) {
        service.close();
        people.close();
      }
    },
  };
}

function serverAt(text: string, settings: ServerSettings, allowed: BlockList): Server {
  const url = readUrl(text);
  const open = async (deadline: Deadline) => {
    if (!url) throw new DirectoryUnavailable('the address is none of a directory');
    const { host, port } = url;
    const security = url.isTls ? 'tls' : settings.starttls ? 'starttls' : 'none';
    return openConnection({ host, port, security, tls: { ca: settings.ca } }, allowed, deadline);
  };
  const openBound = async (deadline: Deadline) => {
    const connection = await open(deadline);
    try {
      await bindService(connection, settings, deadline);
      return connection;
    } catch (fault) {
      connection.close();
      throw fault;
    }
  };
  return { service: createPool(openBound), people: createPool(open) };
}

/** Without bind_dn the directory lets anybody search. A name without a password would be nobody too (RFC 4513 section 5.1.2). */
async function bindService(
  connection: LdapConnection,
  { bindDn, bindPassword }: ServerSettings,
  deadline: Deadline,
): Promise<void> {
  if (bindDn === undefined) return;
  if (bindPassword === undefined || bindPassword === '') throw new DirectoryUnavailable('bind_password is missing');
  const result = await connection.bind(bindDn, bindPassword, deadline);
  if (result.code !== SUCCESS) throw serviceRefused(result);
}

function serviceRefused(result: Parameters<typeof refusalOf>[0]): Error {
  const fault = refusalOf(result);
  fault.message = `bind_dn and bind_password were refused (${fault.message}): compare them with those of the directory`;
  return fault;
}
