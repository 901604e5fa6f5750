import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { publishedOnce, publishJson } from '../../../src/platform/http/published.ts';

describe('a document that is built once', () => {
  it('is built again after a failure, and then kept', async () => {
    let builds = 0;
    const documentOf = publishedOnce(async (_key: object, from: string) => {
      if (++builds === 1) throw new Error('too many open files');
      return publishJson({ from }, 60);
    });
    const key = {};
    await assert.rejects(documentOf(key, 'one'), /too many open files/);
    const built = await documentOf(key, 'one');
    assert.equal(built.body.toString(), '{"from":"one"}');
    assert.equal(await documentOf(key, 'one'), built);
    assert.equal(builds, 2);
  });

  it('is built once for those who ask at the same time', async () => {
    let builds = 0;
    const documentOf = publishedOnce(async (_key: object, from: string) => publishJson({ from, build: ++builds }, 60));
    const key = {};
    await Promise.all([documentOf(key, 'one'), documentOf(key, 'one')]);
    assert.equal(builds, 1);
  });
});
