import { afterEach, beforeEach } from 'node:test';
import { freePort } from '../../scripts/free-port.ts';
import { type TemporaryFolder, temporaryFolder } from '../store/temporary-folder.ts';
import { type Env, type Started, startInProcess } from './run.ts';

const STARTED = '"event":"started"';

/** Before each test of the suite: a port, an empty folder, and the settings of a server that a test starts. */
export function useStart() {
  let folder: TemporaryFolder;
  let port: number;
  let env: Record<string, string>;
  const running: Started[] = [];
  beforeEach(async () => {
    folder = temporaryFolder();
    port = await freePort();
    env = {
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      DATABASE_URL: `sqlite:${folder.file('gatehouse.db')}`,
    };
  });
  afterEach(async () => {
    for (const server of running.splice(0)) await server.destroy();
    folder.remove();
  });

  const launch = <By extends Started = Started>(over: Env, by: (env: Env) => By) => {
    const server = by({ ...env, ...over });
    running.push(server);
    return server;
  };
  /** In this process, unless it is said how else. */
  const start = async <By extends Started = Started>(over: Env = {}, by?: (env: Env) => By) => {
    const server = launch<By>(over, by ?? (startInProcess as (env: Env) => By));
    await server.printed(STARTED);
    return server;
  };
  const discovery = () =>
    fetch(`http://127.0.0.1:${port}/api/v1/authorize/demo/oauth2/.well-known/openid-configuration`);
  return {
    get folder() {
      return folder;
    },
    get port() {
      return port;
    },
    get env() {
      return env;
    },
    /** For a server that is not to come up; `start` waits until it serves. */
    launch,
    start,
    discovery,
  };
}
