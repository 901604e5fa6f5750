import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { suiteGuide } from './run-guide.ts';

const INSTALLED = '350 MB: npm run test:next installs and runs it (next-app-router.check.ts)';

describe('docs/guides/next-app-router.md, without Next.js itself', () => {
  const guide = suiteGuide('next-app-router', {
    serves: { 'npm start': 3000 },
    notRun: {
      'npm ci': 'the clone has the packages of this one',
      'npm install next': INSTALLED,
      'npx next dev': INSTALLED,
    },
  });

  it('registers the client and makes the files of the application', async () => {
    await guide.all();
    assert.deepEqual(guide.left(), []);
  });
});
