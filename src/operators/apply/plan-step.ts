import type { Difference } from './difference.ts';
import type { Provision } from './store.ts';

export interface PlanOptions {
  readonly resetPasswords?: boolean;
  /** Nothing will be written: no key is generated and no password is hashed. */
  readonly dryRun?: boolean;
  /** Deletes the applications that the file does not name, and the clients that its applications do not. */
  readonly prune?: boolean;
  /** Deletes the users that the file does not name. */
  readonly pruneUsers?: boolean;
  /** Prunes also if the file names no application, or no user: everything of the kind is deleted. */
  readonly allowEmpty?: boolean;
  /** Called with the number of entries of the file that were compared with the store since the last call. */
  readonly onCompared?: (entries: number) => void;
}

/** What one entry of the file changes. */
export interface PlanStep {
  /** Undefined: nothing changes. */
  readonly change: Provision | undefined;
  readonly difference: Difference | undefined;
}
