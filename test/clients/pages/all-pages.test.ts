import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { fields } from '../../build/fields.ts';
import { applyFileOf, blocksOf, pageNames, readPage } from './page.ts';

describe('docs/clients', () => {
  it('has a list of all pages', () => {
    const listed = [...readPage('README').matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, name]) => name);
    assert.deepEqual([...new Set(listed)].sort(), pageNames);
  });

  for (const name of pageNames) {
    describe(`${name}.md`, () => {
      it('has an apply file that is accepted, and then the configuration of the client', () => {
        const read = readApplyFiles(fields, [{ name: `${name}.md`, text: applyFileOf(name) }]);
        assert.equal(read.kind, 'valid', read.kind === 'faulty' ? read.faults.join('\n') : '');
        assert(blocksOf(readPage(name)).length > 1);
      });

      it('relies on the default algorithm of ID tokens', () => {
        assert.doesNotMatch(applyFileOf(name), /signed_response_alg/);
      });

      it('says what to expect and what is not offered', () => {
        assert.match(readPage(name), /^## What to expect$[\s\S]*^## Not offered$/m);
      });

      it('names the issuer that the apply file makes', () => {
        const [, code] = /code: (\S+)/.exec(applyFileOf(name)) ?? [];
        const named = [...readPage(name).matchAll(/\/api\/v1\/authorize\/(\w+)\/oauth2/g)].map(([, other]) => other);
        assert.deepEqual([...new Set(named)], [code]);
      });
    });
  }
});
