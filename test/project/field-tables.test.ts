import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DOCUMENT, withFieldTables } from '../../scripts/field-tables.ts';
import { userSchema } from '../../src/directory/users/fields.ts';
import { fields } from '../build/fields.ts';

const text = readFileSync(DOCUMENT, 'utf8');

describe('docs/configuration.md', () => {
  it('has the fields as they are declared: npm run docs:fields writes them', async () => {
    assert.equal(text, await withFieldTables(text));
  });

  it('has a table of every object', () => {
    for (const name of ['application', 'client', 'user']) assert(text.includes(`<!-- fields: ${name} -->`), name);
  });

  it('every field of a user says what it means, as those of clients and applications must', () => {
    for (const [name, { description }] of Object.entries(userSchema.shape)) assert(description, name);
  });

  it('a meaning is one row of a table, and of whole sentences', () => {
    for (const { name, meaning } of [...fields.client.declared, ...fields.application.declared]) {
      assert(/^[A-Z0-9`].*\.$/.test(meaning) && !meaning.includes('|'), name);
    }
  });
});
