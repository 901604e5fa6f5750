import { extname, join } from 'node:path';
import type { Environment } from '../operators/cli/exit.ts';
import { npmStart } from './npm-start.ts';

/** In the npm package the sources are JavaScript. */
const MAIN = join(import.meta.dirname, `../main${extname(import.meta.filename)}`);

/** Whether these arguments of `gatehouse` start the server. Where they name another one, the command says that this cannot be. */
export function startsServer([command, ...args]: readonly string[], env: Environment): boolean {
  const isRemote = env.GATEHOUSE_SERVER !== undefined || args.some(arg => arg.startsWith('--server'));
  return command === 'serve' && !args.includes('--help') && !isRemote;
}

/**
 * Replaces this process by the server, as `npm start` runs it: V8 and glibc read their options only when a process begins. The
 * process id stays, so signals of a supervisor reach the server. What the operator has set in the environment has precedence.
 */
export function becomeServer(env: Environment): never {
  const start = npmStart();
  const args = [process.execPath, ...start.options, ...process.execArgv, MAIN];
  return execute(process.execPath, args, { ...start.env, ...env });
}

function execute(file: string, args: readonly string[], env: Environment): never {
  if (!process.execve) throw new Error('"gatehouse serve" needs a Unix system: elsewhere run node src/main.ts');
  return process.execve(file, args, { ...env });
}
