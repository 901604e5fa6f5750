/**
 * Runs a guide of docs/guides as its reader does: in a fresh folder, from the text of the page. The conventions of a guide:
 *
 * - The first terminal stands in a fresh clone. A block ```sh is run in it, and must succeed. Variables and `cd` stay. A block whose
 *   paragraph says "in a second terminal" (third, new) is run in another one, which stands in the clone again.
 * - A block whose paragraph says "Save this as `NAME`" is written to that file, in the folder where the terminal stands.
 * - A block whose paragraph says "… prints:" or "… answers:" is what the command before it printed; `…` stands for what varies. A block
 *   ```json is compared without white space.
 * - A paragraph that says "Save the block `LANGUAGE` of [a page](../clients/NAME.md) as `NAME`" saves that block of docs/clients.
 * - "Ctrl-C" in a paragraph ends what was started last.
 * - Every other block is there to be read.
 *
 * The test names what goes on running (`serves`), what it cannot run and why (`notRun`), and nothing else. Ports of the text become
 * free ports.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { patternOf, readGuide, type Section, type Step, type WhichTerminal, withoutSpace } from './markdown.ts';
import { openTerminal, type Terminal } from './terminal.ts';

export interface GuideOptions {
  /** Port numbers of the text that become free ports; 3000 is also the PORT of the server. Without this: 3000 and 4000. */
  readonly ports?: readonly number[];
  /** Blocks that go on running: a line of the block, and the port (as the text has it) that it listens on. */
  readonly serves?: Readonly<Record<string, number>>;
  /** Lines that no test can run, by how they begin, and the reason. For `npm install …` the packages of this repository are linked. */
  readonly notRun?: Readonly<Record<string, string>>;
  /** What exists only at the reader's, such as the address of a database or a code to paste. Read anew for each block. */
  readonly replace?: Record<string, string>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Guide {
  /** The clone; applications that the guide makes stand beside it. */
  readonly folder: string;
  /** The free port that stands for a port of the text. */
  port(written: number): number;
  /** A text with the addresses of this run. */
  place(text: string): string;
  /**
   * Does what the section under this heading says, and returns what its commands printed. `then` is called after each block of commands
   * with what it printed, for what the reader does in a browser meanwhile.
   */
  section(heading: string, then?: (printed: string) => Promise<void>): Promise<string>;
  /** All sections in order. */
  all(): Promise<string>;
  /** Everything that all terminals printed, for messages. */
  printed(): string;
  /** Commands that no section() ran, and exceptions of the test that no line needed. A guide is tested if it is empty. */
  left(): string[];
  close(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
/** Read by programs alone; the rest of a clone is copied, because a guide may change it. */
const LINKED = ['src', 'bin', 'scripts', 'node_modules'];
const NOT_IN_A_CLONE = ['.git', '.cache', 'data', 'dist', 'test', 'bench'];

/** Commands of the reader's machine, without what `npm test` has put into the environment. */
const NPM_SETTINGS = { npm_config_update_notifier: 'false', npm_config_fund: 'false', npm_config_audit: 'false' };

/** For the suite that this is called in. The sections `first` are done before its tests. */
export function suiteGuide(
  name: string,
  { first = [], ...options }: GuideOptions & { readonly first?: readonly string[] },
): Guide {
  const guide = suitePart(() => openGuide(name, options));
  before(async () => {
    for (const heading of first) await guide.section(heading);
  });
  return guide;
}

export async function openGuide(name: string, options: GuideOptions = {}): Promise<Guide> {
  const { ports = [3000, 4000], serves = {}, notRun = {}, replace = {} } = options;
  const sections = readGuide(name);
  const free = new Map<number, number>();
  for (const port of ports) free.set(port, await freePort());
  const parent = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`));
  const folder = freshClone(parent);
  const server = free.get(3000);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: parent,
    ...NPM_SETTINGS,
    ...(server === undefined ? {} : { PORT: String(server) }),
    ...options.env,
  };
  const terminals: Terminal[] = [];
  const ran = new Set<Section>();
  const used = new Set<string>();
  let last = { output: '', isServer: false };

  const place = (text: string) => {
    let placed = text;
    for (const [written, here] of Object.entries(replace)) placed = placed.replaceAll(written, here);
    for (const [written, here] of free) placed = placed.replace(new RegExp(`\\b${written}\\b`, 'g'), String(here));
    return placed;
  };
  const terminal = (which: WhichTerminal) => {
    const current = terminals.at(-1);
    if (current !== undefined && which === 'same') return current;
    const opened = openTerminal(folder, env);
    terminals.push(opened);
    return opened;
  };
  const isNotRun = (line: string) => {
    const reason = Object.keys(notRun).find(beginning => line.trim().startsWith(beginning));
    if (reason !== undefined) used.add(reason);
    return reason !== undefined;
  };
  const portOf = (lines: readonly string[]) => {
    const [line, port] = Object.entries(serves).find(([command]) => lines.includes(command)) ?? [];
    if (line !== undefined) used.add(line);
    return port;
  };

  async function run(text: string, which: WhichTerminal): Promise<void> {
    const isRun = Object.groupBy(text.split('\n'), line => (isNotRun(line) ? 'no' : 'yes'));
    const lines = isRun.yes ?? [];
    const port = portOf(lines);
    const commands = place(lines.join('\n'));
    const shell = terminal(which);
    if (commands.trim() === '') last = { output: '', isServer: false };
    else if (port === undefined) last = { output: await shell.run(commands), isServer: false };
    else {
      await shell.start(commands, guide.port(port));
      last = { output: '', isServer: true };
    }
    if (isRun.no?.some(line => line.startsWith('npm install '))) linkPackages(shell.folder());
  }

  async function stopLast(): Promise<void> {
    const busy = terminals.findLast(each => each.isBusy());
    assert(busy, `${name}.md: nothing runs that Ctrl-C could end`);
    await busy.stop();
  }

  function save(file: string, text: string, which: WhichTerminal): void {
    const path = join(terminal(which).folder(), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, place(text));
  }

  async function expectOutput(text: string, isJson: boolean): Promise<void> {
    const { output, isServer } = last;
    const pattern = patternOf(place(text), isJson, !isServer);
    if (!isServer) return assert.match(isJson ? withoutSpace(output) : output.trim(), pattern);
    const printed = () => terminals.at(-1)?.printed() ?? '';
    await until(`${name}.md: the server has printed ${text}`, () => pattern.test(printed())).catch(() =>
      assert.match(printed(), pattern),
    );
  }

  async function perform(step: Step): Promise<void> {
    if (step.kind === 'save') save(step.file, step.text, step.terminal);
    else if (step.kind === 'expect') await expectOutput(step.text, step.isJson);
    else if (step.kind === 'stop') await stopLast();
    else await run(step.text, step.terminal);
  }

  async function walk(section: Section, then = async (_printed: string) => {}): Promise<string> {
    ran.add(section);
    let printed = '';
    for (const step of section.steps) {
      await perform(step);
      if (step.kind !== 'run') continue;
      printed += last.output;
      await then(last.output);
    }
    return printed;
  }

  const guide: Guide = {
    folder,
    port(written) {
      const port = free.get(written);
      assert(port !== undefined, `${written} is not among the ports of ${name}.md`);
      return port;
    },
    place,
    section(heading, then) {
      const found = sections.find(section => section.heading === heading);
      assert(found, `${name}.md has no heading ${heading}`);
      return walk(found, then);
    },
    async all() {
      let printed = '';
      for (const section of sections) printed += await walk(section);
      return printed;
    },
    printed: () => terminals.map(each => each.printed()).join('\n'),
    left: () => [
      ...sections.filter(section => !ran.has(section)).flatMap(({ steps }) => steps.flatMap(commandsOf)),
      ...[...Object.keys(serves), ...Object.keys(notRun)].filter(line => !used.has(line)),
    ],
    async close() {
      for (const each of terminals.reverse()) await each.close();
      rmSync(parent, { recursive: true, force: true });
    },
  };
  return guide;
}

const commandsOf = (step: Step) => (step.kind === 'run' ? [step.text] : []);

/** What git and `npm ci` give the reader. */
function freshClone(parent: string): string {
  const folder = join(parent, 'gatehouse');
  mkdirSync(folder);
  for (const entry of readdirSync(REPOSITORY)) {
    if (NOT_IN_A_CLONE.includes(entry)) continue;
    if (LINKED.includes(entry)) symlinkSync(join(REPOSITORY, entry), join(folder, entry));
    else cpSync(join(REPOSITORY, entry), join(folder, entry), { recursive: true });
  }
  return folder;
}

/** What `npm install` would have fetched, where the packages are among those of package.json. */
function linkPackages(folder: string): void {
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
}
