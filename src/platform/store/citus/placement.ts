/**
 * Where a table is on a Citus cluster (docs/decisions/citus.md); its capability declares it.
 *
 * - `by`: distributed by this column. What is written for every token, so that it grows with the number of workers. What
 *   belongs to an application is on one worker, so that a code is redeemed or a token rotated there.
 * - 'reference': the same on every node. What requests of every application read. An update locks the table on all nodes
 *   (docs/scale.md) and fails while a worker is down, so only rare changes belong here: the configuration, accounts, logouts.
 * - 'coordinator': on the coordinator alone, which every statement needs anyway. What is never read together with tokens: small tables,
 *   what a login writes, and `events`, the largest table, which is one chain for the whole deployment.
 */
export type Placement = DistributedPlacement | 'reference' | 'coordinator';

/** By the names of the tables, in the order in which they are placed. */
export type Placements = Readonly<Record<string, Placement>>;

export interface DistributedPlacement {
  readonly by: string;
  /** Another table, which is distributed already. Undefined: none. */
  readonly colocateWith?: string;
}

/** The table that the others of an application, and the functions, are placed with: what belongs together is on one worker. */
export const COLOCATED_WITH = 'grants';
export const BY_APPLICATION: Placement = { by: 'app', colocateWith: COLOCATED_WITH };
