import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const guides = readdirSync(at('docs/guides')).filter(file => file.endsWith('.md') && file !== 'README.md');

/** Its commands need a Keycloak, an account of Auth0 or another database: test/operators/import/import-users.test.ts runs them on exports of those. */
const WITHOUT_TEST = ['import-users.md'];

describe('docs/guides', () => {
  it('has a list of all guides', () => {
    const listed = [...readFileSync(at('docs/guides/README.md'), 'utf8').matchAll(/\]\(([\w-]+\.md)[)#]/g)].map(
      ([, file]) => file,
    );
    assert.deepEqual([...new Set(listed)].sort(), guides.sort());
  });

  it('has a test for each guide', () => {
    const tests = readdirSync(at('test/guides'))
      .filter(file => file.endsWith('.ts'))
      .map(file => readFileSync(at(`test/guides/${file}`), 'utf8'));
    const untested = guides.filter(file => !tests.some(text => text.includes(`Guide('${file.replace('.md', '')}'`)));
    assert.deepEqual(
      untested.filter(file => !WITHOUT_TEST.includes(file)),
      [],
    );
  });

  it('has small pictures, each shown by a document', () => {
    const documents = ['README.md', ...guides.map(file => `docs/guides/${file}`)].map(file =>
      readFileSync(at(file), 'utf8'),
    );
    for (const file of readdirSync(at('docs/images'))) {
      assert(
        documents.some(text => text.includes(`images/${file}`)),
        `${file} is shown nowhere`,
      );
      assert(statSync(at(`docs/images/${file}`)).size < 60 * 1024, `${file} is too large`);
    }
  });
});
