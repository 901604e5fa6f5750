import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fromResources, toResources } from '../../src/oauth/token/resource-cells.store.ts';
import { fc } from '../build/random.ts';

/** RFC 3986 section 2: no space, and no line break. */
const identifier = fc.webUrl({ withQueryParameters: true });
/** RFC 6749 section 3.3. */
const scope = fc.stringMatching(/^[\x21\x23-\x5B\x5D-\x7E]{1,20}$/);

describe('the column resources: the APIs that a grant covers', () => {
  it('has each scope at the API that it was granted for, also an API without any', () => {
    const resources = fc.array(
      fc.record({ identifier, scope: fc.array(scope, { maxLength: 4 }) }, { noNullPrototype: true }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(resources, given => {
        assert.deepEqual(toResources({ resources: fromResources({ resources: given }) }), { resources: given });
      }),
    );
  });

  it('is NULL for a grant that covers none', () => {
    assert.equal(fromResources({}), null);
    assert.deepEqual(toResources({ resources: null }), {});
  });

  it('a grant from before scopes were stored for each API has all its scopes at all of them', () => {
    const row = { resources: 'https://api.example urn:files', scope: 'openid list' };
    const granted = ['openid', 'list'];
    assert.deepEqual(toResources(row).resources, [
      { identifier: 'https://api.example', scope: granted },
      { identifier: 'urn:files', scope: granted },
    ]);
  });
});
