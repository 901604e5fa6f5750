import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listening } from '../clients/listening.ts';

/** A terminal of the reader: variables and the folder stay from one block of commands to the next. */
export interface Terminal {
  /** Runs commands to their end and returns what they print on standard output; fails at the first command that fails. */
  run(commands: string): Promise<string>;
  /** Runs commands that go on; settles when something listens on the port. The terminal is busy from then on. */
  start(commands: string, port: number): Promise<void>;
  /** Where the terminal stands. */
  folder(): string;
  /** Everything that was printed, on both outputs. */
  printed(): string;
  close(): Promise<void>;
}

/** Comes after the output of a block, with the folder. */
const END = /⟪end of block, in (.*)⟫$/;
const PRINT_END = `printf '⟪end of block, in %s⟫' "$PWD"`;

export function openTerminal(folder: string, env: Readonly<Record<string, string>>): Terminal {
  // A process group of its own, so that servers end with their terminal.
  const shell = spawn('bash', ['--noprofile', '--norc', '-e'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env,
    detached: true,
  });
  const exited = once(shell, 'exit');
  shell.stdin.on('error', () => {});
  let out = '';
  let all = '';
  let standsIn = folder;
  shell.stdout.setEncoding('utf8').on('data', part => {
    out += part;
    all += part;
  });
  shell.stderr.setEncoding('utf8').on('data', part => {
    all += part;
  });
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(shell.pid ?? 0), name);
    } catch {
      // Every process of the group has ended.
    }
  };
  const killAll = () => signal('SIGKILL');
  process.once('exit', killAll);
  let busyWith: string | undefined;
  const write = (commands: string) => {
    if (busyWith !== undefined)
      throw new Error(`this terminal is busy with\n${busyWith}\nso it cannot run\n${commands}`);
    // Commands read nothing from the pipe that the shell reads its commands from.
    shell.stdin.write(`{\n${commands}\n} < /dev/null\n`);
  };

  return {
    folder: () => standsIn,
    printed: () => all,
    async run(commands) {
      out = '';
      write(commands);
      shell.stdin.write(`${PRINT_END}\n`);
      while (!END.test(out)) {
        const ended = await Promise.race([exited, once(shell.stdout, 'data').then(() => undefined)]);
        if (ended !== undefined && !END.test(out))
          throw new Error(`a command ended with ${ended[0] ?? ended[1]}:\n${commands}\n${all}`);
      }
      standsIn = END.exec(out)?.[1] ?? standsIn;
      return out.replace(END, '');
    },
    async start(commands, port) {
      write(commands);
      busyWith = commands;
      await listening(port, shell, () => all);
    },
    async close() {
      process.off('exit', killAll);
      if (busyWith === undefined) shell.stdin.end();
      else signal('SIGTERM');
      const timer = setTimeout(killAll, 12_000);
      await exited;
      clearTimeout(timer);
      killAll();
    },
  };
}
