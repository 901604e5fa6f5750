import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DOCUMENTS, withFieldTables } from '../../scripts/field-tables.ts';
import { userSchema } from '../../src/directory/users/fields.ts';
import { fields } from '../build/fields.ts';

describe('the tables of fields in the documents', () => {
  for (const [name, path] of Object.entries(DOCUMENTS)) {
    it(`${name} has the fields as they are declared: npm run docs:fields writes them`, async () => {
      const text = readFileSync(path, 'utf8');
      assert.equal(text, await withFieldTables(text));
    });
  }

  it('there is one of every object, and of what a client sets that registers itself', () => {
    const has = (path: string, name: string) => readFileSync(path, 'utf8').includes(`<!-- fields: ${name} -->`);
    for (const name of ['application', 'client', 'user']) assert(has(DOCUMENTS.configuration, name), name);
    assert(has(DOCUMENTS['self-registration'], 'own'));
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
