import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { eventTypes } from '../../../src/events.ts';

describe('docs/events.md', () => {
  const text = readFileSync(new URL('../../../docs/events.md', import.meta.url), 'utf8');
  const [, types = ''] = /^## Types$([\s\S]*?)^## /m.exec(text) ?? [];
  const rows = [...types.matchAll(/^\| `([a-z_.]+)` \| (.+) \| (.*)\|$/gm)];

  it('has a row for each type of src/events.ts, in its order, and for no other', () => {
    assert.deepEqual(
      rows.map(([, type]) => type),
      eventTypes(new Map()),
    );
  });

  it('says when each is written', () => {
    for (const [, type, when = ''] of rows) assert.match(when, /\w+ \w+/, type ?? '');
  });
});
