import type { Explained } from './explained.ts';
import type { Difference, Phase } from './explanation.ts';

const WIDTH = 110;
const LABEL_WIDTH = 12;

/** An explanation for a terminal. */
export function explanationText(explained: Explained): string {
  const { rule, expected, received, difference, fix, call, progress } = explained;
  const blocks = [
    ...headline(explained),
    '',
    ...labelled('Rule', `${rule.text} (${rule.reference})`),
    ...labelled('Expected', expected),
    ...labelled('Received', received),
    ...differenceLines(difference),
    ...labelled('Fix', fix),
    ...(call
      ? [
          // On one line each, to be copied.
          `${'Command'.padEnd(LABEL_WIDTH)}${call.command}`,
          `${'API'.padEnd(LABEL_WIDTH)}${call.method} /api/v1/admin${call.path} ${JSON.stringify(call.body)}`,
        ]
      : []),
    ...labelled('Progress', progressText(progress)),
  ];
  return `${blocks.map(printable).join('\n')}\n`;
}

/** Some of it a stranger wrote, and a terminal obeys control characters. */
function printable(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}

function headline(explained: Explained): string[] {
  const { request_id, time, status, error, reason, application, client, user, method, route } = explained;
  const who = [
    ['application', application],
    ['client', client],
    ['user', user],
  ].filter(([, value]) => value !== undefined);
  const where = [`${method} ${route ?? '(no route)'}`, ...who.map(pair => pair.join(' '))].join(', ');
  return [`Request ${request_id} was refused at ${time}: ${status} ${error} (${reason})`, where];
}

function labelled(label: string, text: string): string[] {
  return wrapped(text).map((line, at) => (at === 0 ? label : '').padEnd(LABEL_WIDTH) + line);
}

/** A word that is longer than a line, such as a URI, stays whole: it is there to be copied. */
function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && LABEL_WIDTH + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines;
}

/** Both texts below each other, with a mark under the first character that differs. */
function differenceLines(difference: Difference | undefined): string[] {
  if (!difference) return [];
  const { expected, received, at, text } = difference;
  if (expected === undefined || received === undefined || at === undefined) return labelled('Difference', text);
  const indent = ' '.repeat(LABEL_WIDTH);
  return [`${'Difference'.padEnd(LABEL_WIDTH)}${expected}`, indent + received, `${indent}${' '.repeat(at)}^`].concat(
    wrapped(text).map(line => indent + line),
  );
}

const MARKS = { passed: '✓', failed: '✗', 'not reached': '·' } as const;

function progressText(progress: readonly Phase[]): string {
  return progress.map(({ phase, state }) => `${phase} ${MARKS[state]}`).join(' → ');
}
