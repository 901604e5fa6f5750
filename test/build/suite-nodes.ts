import { createMigratedDatabase, stopOwnServer } from './postgres.ts';
import { suitePart } from './suite-part.ts';
import { suiteServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** Two servers on one PostgreSQL for the suite that this is called in, or for the file. */
export function suiteNodes(options: TestServerOptions = {}): readonly [TestServer, TestServer] {
  const database = suitePart(createMigratedDatabase, async ({ drop }) => {
    await drop();
    await stopOwnServer();
  });
  const env = () => ({ ...options.env, DATABASE_URL: database.url });
  const first = suiteServer(() => ({ ...options, env: env() }));
  return [first, suiteServer(() => ({ ...options, env: env(), users: [] }))];
}
