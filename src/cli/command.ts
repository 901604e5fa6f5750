import type { Environment } from './exit.ts';

export interface Command {
  readonly summary: string;
  readonly help: string;
  run(args: readonly string[], env: Environment): Promise<number>;
}
