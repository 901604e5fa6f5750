import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseEnv } from 'node:util';
import { formWith, Visitor } from '../build/visitor.ts';
import { enterPassword } from '../clients/pages/log-in.ts';
import { type Program, startProgram } from '../clients/pages/program.ts';
import { wander } from '../clients/wander.ts';
import { suiteGuide } from './run-guide.ts';

const HOST = readFileSync(new URL('../clients/pages/next-host.js', import.meta.url), 'utf8');
const LINKED = 'the packages are dev dependencies, which the runner links';

describe('docs/guides/first-application.md', () => {
  const guide = suiteGuide('first-application', {
    serves: { 'npm start': 3000, 'node server.mjs': 4000 },
    notRun: {
      'npm ci': 'the clone has the packages of this one',
      'npm install next': '300 MB; npm run test:next installs and runs it',
      'npx next dev': 'as above; here a host does for the route what Next.js does',
      'npm install express': LINKED,
    },
    first: ['Start Gatehouse', 'Register the application'],
  });

  const base = () => `http://localhost:${guide.port(3000)}`;
  const shop = () => `http://localhost:${guide.port(4000)}`;

  it('comes to a session of next-auth in the route of the page', async () => {
    await guide.section('Next.js');
    const folder = join(guide.folder, '../shop-next');
    const program = await startRoute(folder, guide.port(4000));
    try {
      const visitor = new Visitor(base());
      const page = await visitor.go(`${shop()}/api/auth/signin`);
      const seen = await enterPassword(visitor, await visitor.send(formWith(page, 'csrfToken')));
      assert.equal(JSON.parse(seen.text).user.name, 'Alice Example', program.printed());
    } finally {
      await program.close();
    }
  });

  it('comes to a logged-in Express application, and out of it and of Gatehouse again', async () => {
    await guide.section('Express');
    const visitor = new Visitor(base());
    const seen = await enterPassword(visitor, `${shop()}/`);
    assert.equal(seen.status, 200, guide.printed());
    const { name, email, preferred_username } = JSON.parse(seen.text);
    assert.deepEqual([name, email, preferred_username], ['Alice Example', 'alice@example.com', 'alice']);
    const left = await wander(visitor, `${shop()}/logout`);
    assert.match(left.text, /name="password"/, 'the application and the server both ask again');
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});

function startRoute(folder: string, port: number): Promise<Program> {
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const files = { 'host.mjs': HOST, 'route.mjs': read('pages/api/auth/[...nextauth].js') };
  const env = { ...(parseEnv(read('.env.local')) as Record<string, string>), PORT: String(port) };
  return startProgram({ command: process.execPath, args: ['host.mjs'], files, env }, port);
}
