/** What a run of tests tells: a line for each file as it ends, and at the end what a reader wants to know of all of them. */
import type { FileResult } from './result.ts';

/** Files that were left out, because this machine lacks what they need. */
export interface NotRun {
  readonly files: readonly string[];
  /** What is missing, and how it is installed. */
  readonly advice: string;
}

interface Ended {
  readonly pass: string;
  readonly result: FileResult;
}

const SLOWEST = 10;

export class Report {
  readonly #ended: Ended[] = [];
  readonly #start = performance.now();
  readonly #write: (text: string) => void;

  readonly #isVerbose: boolean;

  constructor(isVerbose = false, write = (text: string) => void process.stdout.write(text)) {
    this.#isVerbose = isVerbose;
    this.#write = write;
  }

  get hasFailed(): boolean {
    return this.#ended.some(({ result }) => result.failed.length > 0);
  }

  ended(pass: string, result: FileResult, output: string): void {
    this.#ended.push({ pass, result });
    const { passed, failed } = result;
    this.#write(
      `${failed.length > 0 ? '✖' : '✔'} ${label(pass, result)}  ${count(passed, 'test')}, ${times(result)}\n`,
    );
    // A test that was told as it ended has been told in full.
    for (const failure of failed)
      if (!this.#isVerbose) this.#write(indented(`✖ ${failure.name}\n${failure.details || failure.reason}`));
    if (output !== '') this.#write(indented(`It printed:\n${output.trimEnd()}`));
  }

  /** The log of a CI run may be cut: its last lines say all that matters. */
  close(notRun: readonly NotRun[], notes: readonly string[]): void {
    const results = this.#ended.map(({ result }) => result);
    const sum = (of: (result: FileResult) => number) => results.reduce((total, result) => total + of(result), 0);
    const slowest = this.#ended.toSorted((one, other) => other.result.ms - one.result.ms).slice(0, SLOWEST);
    const skipped = this.#lines(({ skipped }) => skipped);
    const missing = notRun.flatMap(({ files, advice }) => [`${advice}`, ...files.map(file => `  ${file}`)]);
    this.#section(
      'The slowest files (and their processor time)',
      slowest.map(({ pass, result }) => `${times(result).padStart(16)}  ${label(pass, result)}`),
    );
    this.#section(
      'Failed',
      this.#lines(({ failed }) => failed),
    );
    this.#section('Not run', [...skipped, ...missing]);
    // One may lack several programs.
    const files = new Set(notRun.flatMap(({ files }) => files)).size;
    const left = [skipped.length > 0 && count(skipped.length, 'test'), files > 0 && count(files, 'file')].filter(
      Boolean,
    );
    const totals = [
      `${number(sum(({ passed }) => passed))} passed`,
      `${number(sum(({ failed }) => failed.length))} failed`,
      `${left.join(' and ') || 'none'} not run`,
      `${count(results.length, 'file')} in ${minutes(performance.now() - this.#start)}`,
    ];
    this.#write(`\n${[...notes, `${totals.join(', ')}.`].join('\n')}\n`);
  }

  #lines(of: (result: FileResult) => readonly { name: string; line: number | undefined; reason: string }[]): string[] {
    return this.#ended.flatMap(({ pass, result }) =>
      of(result).map(({ name, line, reason }) => {
        const place = line === undefined ? label(pass, result) : `${result.file}:${line}${pass && ` ${pass}`}`;
        return `${place}  ${name}${reason && `: ${reason}`}`;
      }),
    );
  }

  #section(title: string, lines: readonly string[]): void {
    if (lines.length > 0) this.#write(`\n${title}:\n${lines.map(line => `  ${line}\n`).join('')}`);
  }
}

function label(pass: string, { file }: FileResult): string {
  return pass === '' ? file : `${file} ${pass}`;
}

function indented(text: string): string {
  return `${text.replace(/^/gm, '    ')}\n`;
}

function count(amount: number, noun: string): string {
  return `${number(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

function number(amount: number): string {
  return amount.toLocaleString('en');
}

/** A busy machine makes the first longer, and the second hardly. */
function times({ ms, processorMs }: FileResult): string {
  return `${seconds(ms)} (${seconds(processorMs)})`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function minutes(ms: number): string {
  const whole = Math.round(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
