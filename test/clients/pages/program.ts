import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listening } from '../listening.ts';

/** A program of a page, in a process and a folder of its own, as its reader runs it. */
export interface Program {
  /** Everything it has printed. */
  printed(): string;
  close(): Promise<void>;
}

/** Below the repository, so that a program finds the packages of package.json; git and the linter leave it out. */
const FOLDER = fileURLToPath(new URL('../../../.cache/clients/', import.meta.url));

export interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** The source is a module of Node.js; what it needs is among the dev dependencies. */
export function startNode(source: string, port?: number): Promise<Program> {
  return startProgram({ command: process.execPath, args: ['program.mjs'], files: { 'program.mjs': source } }, port);
}

/** Settles when the program listens on the port, where one is given. */
export async function startProgram({ command, args, files, env }: Run, port?: number): Promise<Program> {
  mkdirSync(FOLDER, { recursive: true });
  const folder = mkdtempSync(FOLDER);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', part => {
      printed += part;
    });
  }
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  const program: Program = {
    printed: () => printed,
    async close() {
      process.off('exit', stop);
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    if (port !== undefined) await listening(port, child, program.printed);
  } catch (error) {
    await program.close();
    throw error;
  }
  return program;
}
