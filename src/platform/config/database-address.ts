/** DATABASE_URL: which of the two stores, and where it is. */
export type DatabaseAddress =
  | { readonly kind: 'sqlite'; readonly url: string; readonly path: string }
  | PostgresAddress;

export interface PostgresAddress {
  readonly kind: 'postgres';
  readonly url: string;
  /** One URL for each host in the setting. The store connects to the host that accepts writes. */
  readonly hosts: readonly string[];
  /** The hosts are the coordinator of a Citus cluster and its standbys (GATEHOUSE_CITUS). */
  readonly citus?: boolean;
  readonly direct?: DirectAddress;
}

/** DATABASE_LISTEN_URL: the way past a pooler that hands out connections by transaction. */
export interface DirectAddress {
  readonly hosts: readonly string[];
  /** The timeout in the settings of the role: DATABASE_TIMEOUT, also where a command has more time. */
  readonly roleTimeoutMs: number;
}

export const DATABASE_FORMS = 'must be sqlite:PATH or postgres://user:password@host[,host2]/database';

export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path !== undefined) return { kind: 'sqlite', url: text, path };
  // A list of hosts (the form of libpq) is not a valid URL for `new URL`, so it is split into one URL for each host.
  const parts = /^postgres(?:ql)?:\/\/([^@/]*@)?([^@/?#]+)(\/[^?#]+(?:\?[^#]*)?)$/.exec(text);
  if (!parts) return undefined;
  const [, credentials = '', hosts = '', rest = ''] = parts;
  const addresses = hosts.split(',').map(host => `postgres://${credentials}${host}${rest}`);
  if (!addresses.every(address => URL.canParse(address) && new URL(address).hostname !== '')) return undefined;
  return { kind: 'postgres', url: text, hosts: addresses };
}
