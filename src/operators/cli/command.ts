import type { Readable, Writable } from 'node:stream';
import type { DatabaseAddress } from '../../platform/config/database-address.ts';
import type { StoreTables } from '../../platform/store/table.ts';
import type { BuildServices, Overrides, Tables } from '../../services.ts';
import type { OperationAddress, OperationTable } from '../api/operation-table.ts';
import type { Environment } from './exit.ts';
import type { RemoteServer } from './remote.ts';

export type Input = Readable & { readonly isTTY?: boolean };
export type Output = Writable & { readonly isTTY?: boolean };

/** What a command reads and writes: for the program it is `process`, a test hands in its own. */
export interface CommandContext {
  readonly env: Environment;
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Milliseconds that pass while a command shows its progress. */
  readonly now?: () => number;
  /** Parts of the services that a test replaces, such as the cost of a password hash. */
  readonly overrides?: Overrides;
}

/** What runs a command hands it beside that: what only assembly/ can put together, loaded when it is called. */
export interface CommandTools extends CommandContext {
  readonly buildServices: BuildServices;
  readonly operations: Pick<OperationTable, 'find'> & {
    address(id: string): Promise<OperationAddress>;
  };
  readonly fields: Tables['fields'];
  /** Resolves with the names of the migrations that ran. */
  migrateStore(database: DatabaseAddress, options: MigrateOptions): Promise<readonly string[]>;
  storeTables(): Promise<StoreTables>;
  /** The server whose admin API the command calls; undefined: it works on the store of the settings. */
  readonly remote?: RemoteServer | undefined;
}

export interface MigrateOptions {
  readonly timeoutMs: number;
  readonly onWait: (line: string) => void;
}

/** What the server needs of its process beside that. */
export interface ServerProcess extends Omit<CommandContext, 'stdin'> {
  on(signal: 'SIGTERM' | 'SIGINT', handle: () => void): unknown;
  exit(code: number): unknown;
}

export interface Command {
  readonly help: string;
  /** It can call a running server (GATEHOUSE_SERVER). Others are refused before they run. */
  readonly worksRemotely?: true;
  /** Resolves with the exit code. */
  run(args: readonly string[], tools: CommandTools): Promise<number>;
}
