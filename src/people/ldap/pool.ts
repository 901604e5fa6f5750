import { type Deadline, DirectoryUnavailable, type LdapConnection } from './connection.ts';

/** Connections to one server of a directory, each used by one person at a time. */
export interface Pool {
  /** The connection is closed if the work fails. A connection that waited too long to be used again is tried once, and then a new one. */
  use<T>(deadline: Deadline, work: (connection: LdapConnection) => Promise<T>): Promise<T>;
  close(): void;
}

const MAX_CONNECTIONS = 8;
const MAX_WAITING = 64;
/** Directories close what is idle for some minutes; nobody should have to find that out. */
const IDLE_MS = 60_000;

interface Idle {
  readonly connection: LdapConnection;
  readonly timer: NodeJS.Timeout;
}

export function createPool(open: (deadline: Deadline) => Promise<LdapConnection>): Pool {
  const idle: Idle[] = [];
  const waiting = new Set<() => void>();
  let inUse = 0;
  let isClosed = false;

  const enter = (deadline: Deadline): Promise<void> => {
    if (inUse < MAX_CONNECTIONS) {
      inUse++;
      return Promise.resolve();
    }
    if (waiting.size >= MAX_WAITING) return Promise.reject(new DirectoryUnavailable('too many sign-ins wait for it'));
    return new Promise((resolve, reject) => {
      const next = () => {
        clearTimeout(timer);
        waiting.delete(next);
        resolve();
      };
      const late = () => {
        waiting.delete(next);
        reject(new DirectoryUnavailable('no connection was free in time'));
      };
      const timer = setTimeout(late, Math.max(1, deadline - performance.now()));
      waiting.add(next);
    });
  };
  /** The place goes to the next one as it is. */
  const leave = () => {
    const [next] = waiting;
    if (next) next();
    else inUse--;
  };
  const takeIdle = (): LdapConnection | undefined => {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer);
      if (last.connection.isOpen) return last.connection;
      last.connection.close();
    }
    return undefined;
  };
  const put = (connection: LdapConnection) => {
    if (isClosed || !connection.isOpen) {
      connection.close();
      return;
    }
    connection.ref(false);
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex(each => each.connection === connection),
        1,
      );
      connection.close();
    }, IDLE_MS).unref();
    idle.push({ connection, timer });
  };
  const attempt = async <T>(connection: LdapConnection, work: (connection: LdapConnection) => Promise<T>) => {
    try {
      connection.ref(true);
      const result = await work(connection);
      put(connection);
      return result;
    } catch (fault) {
      connection.close();
      throw fault;
    }
  };

  return {
    async use(deadline, work) {
      await enter(deadline);
      try {
        const kept = takeIdle();
        if (kept) {
          try {
            return await attempt(kept, work);
          } catch (fault) {
            if (!(fault instanceof DirectoryUnavailable) || performance.now() >= deadline) throw fault;
          }
        }
        return await attempt(await open(deadline), work);
      } finally {
        leave();
      }
    },
    close() {
      isClosed = true;
      for (const { connection, timer } of idle.splice(0)) {
        clearTimeout(timer);
        connection.close();
      }
    },
  };
}
