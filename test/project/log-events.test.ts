import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const SOURCES = 'src';
const TABLE = 'docs/operations.md';

/** `level event` of every call of the log. */
function loggedEvents(): string[] {
  const found = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .flatMap(name => [...readFileSync(join(SOURCES, name), 'utf8').matchAll(CALL)])
    .map(([, level, event]) => `${level} ${event}`);
  return [...new Set(found)].sort();
}

const CALL = /\blog\.(debug|info|warn|error)\(\s*'([\w.]+)'/gi;
const ROW = /^\| `([\w.]+)` \| (debug|info|warn|error) \|/gm;

function documentedEvents(): string[] {
  const [, logs = ''] = readFileSync(TABLE, 'utf8').split('\n## Logs\n');
  const [section = ''] = logs.split('\n## ');
  return [...section.matchAll(ROW)].map(([, event, level]) => `${level} ${event}`).sort();
}

describe('log events', () => {
  it(`are those of the table in ${TABLE}`, () => {
    const logged = loggedEvents();
    assert(logged.includes('info request.refused'), 'the test must find the calls of the log');
    assert.deepEqual(documentedEvents(), logged);
  });
});
