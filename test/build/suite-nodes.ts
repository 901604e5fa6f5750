import { createMigratedDatabase, stopOwnServer } from './postgres.ts';
import { suitePart } from './suite-part.ts';
import { suiteServer, type TestServer, type TestServerOptions } from './test-server.ts';

/** Two servers on one PostgreSQL for the suite that this is called in, or for the file. `ofSecond` is what the second has else in its environment. */
export function suiteNodes(
  options: TestServerOptions | (() => TestServerOptions) = {},
  ofSecond: (first: TestServer) => Readonly<Record<string, string>> = () => ({}),
): readonly [TestServer, TestServer] {
  const database = suitePart(createMigratedDatabase, async ({ drop }) => {
    await drop();
    await stopOwnServer();
  });
  const onDatabase = (env = {}): TestServerOptions => {
    const own = typeof options === 'function' ? options() : options;
    return { ...own, env: { ...own.env, DATABASE_URL: database.url, ...env } };
  };
  const first = suiteServer(onDatabase);
  return [first, suiteServer(() => ({ ...onDatabase(ofSecond(first)), users: [] }))];
}
