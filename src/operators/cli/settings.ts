import { type Config, readConfig } from '../../platform/config/config.ts';
import type { CommandContext } from './command.ts';

/** The settings in the environment. Undefined: they are faulty, each fault was printed, and the exit code is `EXIT.configuration`. */
export function readSettings({ env, stderr }: Pick<CommandContext, 'env' | 'stderr'>): Config | undefined {
  const read = readConfig(env);
  if (read.kind === 'valid') return read.config;
  for (const fault of read.faults) stderr.write(`${fault}\n`);
  return undefined;
}
