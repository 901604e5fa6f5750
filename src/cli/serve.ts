import type { Server } from 'node:http';
import { buildServer, buildServices } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { seedDemo } from '../demo.ts';
import { startJobs } from '../jobs/schedule.ts';
import { createLog, type Log } from '../observe/log.ts';
import type { Services } from '../services.ts';
import { type Environment, EXIT } from './exit.ts';

/** Starts the server and keeps it until SIGTERM or SIGINT. */
export async function startServer(env: Environment): Promise<void> {
  const read = readConfig(env);
  if (read.kind === 'faulty') {
    for (const fault of read.faults) process.stderr.write(`${fault}\n`);
    process.exit(EXIT.configuration);
  }
  const { config } = read;
  const log = createLog(config.logLevel, process.stdout.isTTY, line => process.stdout.write(line));
  const services = await open(config, log);
  if (await wantsDemo(services)) process.stdout.write(await seedDemo(services));
  const server = buildServer(services);
  await listen(server, config, log);
  const stopJobs = startJobs(services);
  drainOnSignal(server, services, stopJobs);
  if (config.workers !== 1) log.warn('GATEHOUSE_WORKERS is not supported by this release: one process serves');
  log.info('started', { address: `http://${config.host}:${config.port}`, base: config.baseUrl });
}

async function open(config: Config, log: Log): Promise<Services> {
  try {
    return await buildServices(config, log);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(EXIT.unavailable);
  }
}

/** Asked for, or by default on a store that is empty; never over data that is there. */
async function wantsDemo({ config, store }: Services): Promise<boolean> {
  return config.demo !== false && (await store.isEmpty());
}

/** Connections the system holds until we take them: those of a burst would otherwise be dropped and tried again a second later. */
const BACKLOG = 4096;

function listen(server: Server, { port, host }: Config, log: Log): Promise<void> {
  return new Promise(resolve => {
    server.once('error', error => {
      log.error('cannot listen', { host, port, message: error.message });
      process.exit(EXIT.unavailable);
    });
    server.listen(port, host, BACKLOG, resolve);
  });
}

const DRAIN_MS = 9000;

/** No new connections; requests in flight finish; then the store is closed. At the latest after DRAIN_MS. */
function drainOnSignal(server: Server, { store, log }: Services, stopJobs: () => void): void {
  let draining = false;
  const drain = async (signal: string) => {
    if (draining) return;
    draining = true;
    log.info('draining', { signal });
    stopJobs();
    const overdue = setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
    await new Promise(resolve => {
      server.close(resolve);
      server.closeIdleConnections();
    });
    clearTimeout(overdue);
    await store.close();
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', drain);
  process.on('SIGINT', drain);
}
