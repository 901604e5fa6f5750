import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { arrayLiteral } from '../../src/platform/store/postgres/array-literal.ts';
import { createDatabase, stopOwnServer, type TestDatabase } from '../build/postgres.ts';

describe('an array that is sent to PostgreSQL', () => {
  let database: TestDatabase;
  let client: Client;
  before(async () => {
    database = await createDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
    await stopOwnServer();
  });

  const cases = {
    text: ['plain', '', 'NULL', 'null', ' ', '{a,b}', 'a,b', 'a"b', 'a\\b', '\\"', "it's", 'ünï 漢 😀', '\n\t', null],
    boolean: [true, false, null],
    float8: [0, -1, 1763240000, Number.MAX_SAFE_INTEGER, 0.5, null],
    bytea: [Buffer.from([0, 1, 0x22, 0x5c, 0xff]), Buffer.alloc(0), Buffer.from('"\\'), null],
  };
  for (const [type, values] of Object.entries(cases)) {
    it(`arrives as it was: ${type}`, async () => {
      const { rows } = await client.query(`SELECT value FROM unnest($1::${type}[]) AS value`, [arrayLiteral(values)]);
      assert.deepEqual(
        rows.map(({ value }) => value),
        values,
      );
    });
  }

  it('arrives empty', async () => {
    const { rows } = await client.query('SELECT cardinality($1::text[]) AS length', [arrayLiteral([])]);
    assert.deepEqual(rows, [{ length: 0 }]);
  });

  it('arrives from bytes that are no Buffer, a part of their memory', async () => {
    const bytes = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
    const { rows } = await client.query('SELECT value FROM unnest($1::bytea[]) AS value', [arrayLiteral([bytes])]);
    assert.deepEqual(rows, [{ value: Buffer.from([1, 2]) }]);
  });
});
