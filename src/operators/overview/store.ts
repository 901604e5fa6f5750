import type { Client } from '../../directory/clients/rules.ts';

/** A machine that serves, known by its host name and port. */
export interface Node {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly startedAt: number;
  readonly seenAt: number;
}

export interface DatabaseFacts {
  readonly kind: 'sqlite' | 'postgres';
  /** Of the database program. */
  readonly version: string;
  readonly sizeBytes: number;
  /** The number of the last migration. */
  readonly migration: number;
}

/** What waits to be done by a job. Each is counted up to a limit. */
export interface QueueLengths {
  readonly logoutNotices: number;
  readonly webhookDeliveries: number;
  readonly unsealedEvents: number;
  readonly mails: number;
}

export interface NewestKey {
  readonly app: string;
  readonly alg: string;
  readonly signFrom: number;
}

/** A client with what tells whether anybody can use it, and whether its secret is one of the documents. */
export interface CheckedClient {
  readonly app: string;
  readonly client: Client;
}

/** The state of the deployment itself: its nodes, its database, what waits. */
export interface Status {
  /** Adds the node, or renews its row. */
  noteNode(node: Node): Promise<void>;
  /** Unless another process has taken its place since it started. */
  removeNode(node: Pick<Node, 'host' | 'port' | 'startedAt'>): Promise<void>;
  /** Those that were seen last first. A row that was not renewed for a day is purged. */
  listNodes(limit: number): Promise<Node[]>;
  /** The link for the first owner; the former one is void. */
  replaceOwnerLink(tokenHash: Uint8Array, expiresAt: number): Promise<void>;
  isOwnerLink(tokenHash: Uint8Array, now: number): Promise<boolean>;
  describeDatabase(): Promise<DatabaseFacts>;
  queueLengths(limit: number): Promise<QueueLengths>;
  /** For each application and algorithm whose newest key signs since before `time`: that key, the oldest first. */
  newestKeysBefore(time: number, limit: number): Promise<NewestKey[]>;
  /** Those who are not disabled, have neither an authenticator app nor a passkey, and of whom no operator requires one. */
  operatorsWithSingleFactor(limit: number): Promise<{ readonly sub: string; readonly username: string }[]>;
  /** Those that belong to an application that is not deleted, in the order of application and id. `apps`: of these alone. */
  firstClients(apps: readonly string[] | undefined, limit: number): Promise<CheckedClient[]>;
}
