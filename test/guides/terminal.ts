import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listening } from '../clients/listening.ts';

/** A terminal of the reader: variables and the folder stay from one block of commands to the next. */
export interface Terminal {
  /** Runs commands to their end and returns what they print on standard output; fails at the first command that fails. */
  run(commands: string): Promise<string>;
  /** Runs commands that go on; settles when something listens on the port. The terminal is busy until it is stopped. */
  start(commands: string, port: number): Promise<void>;
  isBusy(): boolean;
  /** Ctrl-C: settles when the commands have ended. */
  stop(): Promise<void>;
  /** Where the terminal stands. */
  folder(): string;
  /** Everything that was printed, on both outputs. */
  printed(): string;
  close(): Promise<void>;
}

/** Comes after the output of a block, with the folder. */
const END = /⟪end of block, in (.*)⟫$/;
const PRINT_END = `printf '⟪end of block, in %s⟫' "$PWD"\n`;

/** More than the server takes to drain. */
const STOP_TIMEOUT_MS = 12_000;

export function openTerminal(folder: string, env: Readonly<Record<string, string>>): Terminal {
  // A process group of its own, which Ctrl-C goes to. The shell itself outlives it.
  const options = { cwd: folder, env, detached: true };
  const shell = spawn('bash', ['--noprofile', '--norc', '-e'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  shell.stdin.on('error', () => {});
  shell.stdin.write('trap : INT\n');
  const exited = once(shell, 'exit');
  let out = '';
  let all = '';
  let standsIn = folder;
  let busyWith: string | undefined;
  let stopping = async () => {};
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

  /** Commands read nothing from the pipe that the shell reads its commands from. */
  function write(commands: string, orElse = ''): void {
    if (busyWith !== undefined) throw new Error(`The terminal is busy with\n${busyWith}\nand cannot run\n${commands}`);
    out = '';
    shell.stdin.write(`{\n${commands}\n} < /dev/null${orElse}\n${PRINT_END}`);
  }

  async function untilEnd(commands: string): Promise<string> {
    while (!END.test(out)) {
      const ended = await Promise.race([exited, once(shell.stdout, 'data').then(() => undefined)]);
      if (ended !== undefined && !END.test(out))
        throw new Error(`A command ended with ${ended[0] ?? ended[1]}:\n${commands}\n${all}`);
    }
    standsIn = END.exec(out)?.[1] ?? standsIn;
    busyWith = undefined;
    return out.replace(END, '').replaceAll('\r\n', '\n');
  }

  const terminal: Terminal = {
    folder: () => standsIn,
    printed: () => all,
    isBusy: () => busyWith !== undefined,
    run(commands) {
      write(commands);
      return untilEnd(commands);
    },
    async start(commands, port) {
      write(commands, ' || true');
      busyWith = commands;
      let isStopping = false;
      const ended = untilEnd(commands).then(() => {
        if (!isStopping) throw new Error(`Commands that should go on have ended:\n${commands}\n${all}`);
      });
      stopping = async () => {
        isStopping = true;
        signal('SIGINT');
        await ended;
      };
      await Promise.race([listening(port, shell, () => all), ended]);
      ended.catch(() => {});
    },
    stop: () => stopping(),
    async close() {
      process.off('exit', killAll);
      const timer = setTimeout(killAll, STOP_TIMEOUT_MS);
      if (busyWith !== undefined) await terminal.stop().catch(() => {});
      shell.stdin.end();
      await exited;
      clearTimeout(timer);
      killAll();
    },
  };
  return terminal;
}
