import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { brokenFile, type FileResult } from './result.ts';
import type { FileOrder } from './run-file.ts';

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url));
const COMPILE_CACHE = new URL('../../src/platform/compile-cache.ts', import.meta.url).href;
const LIGHT_HOOKS = new URL('light-hooks.ts', import.meta.url).href;
/** What a file may take beside its longest test. */
const AROUND_MS = 900_000;
/** Of the end of a process that closes what it has. */
const END_MS = 10_000;

/** A process that runs files of tests, one after the other. */
export class TestProcess {
  readonly #process: ChildProcess;
  readonly #closed: Promise<unknown>;
  #printed = '';

  constructor(env: NodeJS.ProcessEnv, isVerbose: boolean) {
    const printed = isVerbose ? 'inherit' : 'pipe';
    this.#process = fork(PROGRAM, [], {
      env,
      execArgv: ['--import', COMPILE_CACHE, '--import', LIGHT_HOOKS],
      stdio: ['ignore', printed, printed, 'ipc'],
    });
    const streams = [this.#process.stdout, this.#process.stderr].filter(stream => stream !== null);
    for (const stream of streams) {
      stream.setEncoding('utf8').on('data', text => {
        this.#printed += text;
      });
    }
    // The event `close` of the process does not come after `disconnect`.
    this.#closed = Promise.all([once(this.#process, 'exit'), ...streams.map(stream => once(stream, 'close'))]);
  }

  /** Never fails: a process that dies or does not end is the file's failure. */
  async run({ file, timeoutMs, name, isVerbose }: FileOrder): Promise<FileResult> {
    const start = performance.now();
    const limitMs = timeoutMs + AROUND_MS;
    const { promise, resolve } = Promise.withResolvers<FileResult>();
    const broken = (reason: string) => resolve(brokenFile(file, performance.now() - start, reason));
    const hasEnded = (code: number | null, signal: string | null) => broken(`its process ended with ${signal ?? code}`);
    const timer = setTimeout(() => broken(`it did not end within ${limitMs / 1000} s`), limitMs);
    this.#process.once('exit', hasEnded).once('message', message => resolve(message as FileResult));
    this.#process.send({ file, timeoutMs, name, isVerbose } satisfies FileOrder);
    const result = await promise;
    clearTimeout(timer);
    this.#process.off('exit', hasEnded).removeAllListeners('message');
    return result;
  }

  /** What the last file printed. */
  output(isWanted: boolean): string {
    const printed = isWanted ? this.#printed : '';
    this.#printed = '';
    return printed;
  }

  async end(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), END_MS);
    await this.#closed;
    clearTimeout(timer);
  }
}
