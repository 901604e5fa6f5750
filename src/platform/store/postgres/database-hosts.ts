import { Hosts } from './hosts.ts';

export interface PostgresAddress {
  /** One address for each host. Connections go to the host that accepts writes. */
  readonly hosts: readonly string[];
  /** They are the coordinator of a Citus cluster (citus/). */
  readonly citus?: boolean;
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
  /** Statements run in their form for Citus (`onCitus`). */
  readonly isCitus: boolean;
}

export function hostsOf({ hosts, direct, citus: isCitus = false }: PostgresAddress, timeoutMs: number): DatabaseHosts {
  if (!direct) {
    const only = new Hosts(hosts, timeoutMs, { isCitus });
    return { hosts: only, direct: only, roleTimeoutMs: undefined, isCitus };
  }
  return {
    hosts: new Hosts(hosts, timeoutMs, { settingsFrom: 'role' }),
    direct: new Hosts(direct.hosts, timeoutMs),
    roleTimeoutMs: direct.roleTimeoutMs,
    isCitus,
  };
}
