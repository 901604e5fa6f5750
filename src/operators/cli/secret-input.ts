import type { ReadStream } from 'node:tty';
import type { Input, Output } from './command.ts';

/** Longer than any secret that an operation takes. */
const MAX_LENGTH = 10_000;

/**
 * A secret from standard input, without the newline at its end. On the command line it would be in the list of processes and in
 * the history of the shell.
 */
export async function readSecret(input: Input): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of input) {
    parts.push(part);
    length += part.length;
    if (length > MAX_LENGTH) break;
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/\r?\n$/, '');
}

export function isTerminal(input: Input): input is ReadStream {
  return input.isTTY === true;
}

/** Asks on a terminal, twice and without echo. Undefined: it was interrupted, or the two differ. */
export async function askSecret(name: string, terminal: ReadStream, output: Output): Promise<string | undefined> {
  const first = await askHidden(`New ${name}: `, terminal, output);
  if (first === undefined) return undefined;
  const second = await askHidden(`The same ${name} again: `, terminal, output);
  return first === second ? first : undefined;
}

const KEYS = { interrupt: '\u0003', end: '\u0004', erase: ['\b', '\u007f'], enter: ['\r', '\n'] };

function askHidden(question: string, terminal: ReadStream, output: Output): Promise<string | undefined> {
  // The echo is off before the question is there to be answered.
  terminal.setRawMode(true).setEncoding('utf8').resume();
  output.write(question);
  return new Promise(resolve => {
    let typed = '';
    const finish = (answer: string | undefined) => {
      terminal.off('data', take).setRawMode(false).pause();
      output.write('\n');
      resolve(answer);
    };
    const take = (text: string) => {
      for (const [index, key] of [...text].entries()) {
        if (KEYS.enter.includes(key)) {
          // What was typed ahead answers the next question.
          const rest = [...text].slice(index + 1).join('');
          if (rest !== '') terminal.unshift(rest);
          return finish(typed);
        }
        if (key === KEYS.interrupt || key === KEYS.end) return finish(undefined);
        typed = KEYS.erase.includes(key) ? typed.slice(0, -1) : typed + key;
      }
    };
    terminal.on('data', take);
  });
}
