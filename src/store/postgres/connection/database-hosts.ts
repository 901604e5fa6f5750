import { Hosts } from './hosts.ts';

export interface PostgresAddress {
  /** One address for each host. Connections go to the host that accepts writes. */
  readonly hosts: readonly string[];
  /** The way past a pooler by transaction (DATABASE_LISTEN_URL). */
  readonly direct?: { readonly hosts: readonly string[]; readonly roleTimeoutMs: number };
}

/** The two ways to the database. They are one if there is no pooler by transaction. */
export interface DatabaseHosts {
  /** For requests. */
  readonly hosts: Hosts;
  /** For what needs a session of its own: its locks, its settings, LISTEN. */
  readonly direct: Hosts;
  /** The timeout in the settings of the role; undefined: each connection has settings of its own. */
  readonly roleTimeoutMs: number | undefined;
}

export function hostsOf({ hosts, direct }: PostgresAddress, timeoutMs: number): DatabaseHosts {
  if (!direct) {
    const only = new Hosts(hosts, timeoutMs);
    return { hosts: only, direct: only, roleTimeoutMs: undefined };
  }
  return {
    hosts: new Hosts(hosts, timeoutMs, 'role'),
    direct: new Hosts(direct.hosts, timeoutMs),
    roleTimeoutMs: direct.roleTimeoutMs,
  };
}
