import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { buildServer, buildServices, type Overrides } from '../app.ts';
import type { Config, MetricsSettings } from '../config.ts';
import { createMetricsServer } from '../http/metrics-server.ts';
import { makeMissingKeys } from '../keys/rotation.ts';
import type { Metrics } from '../observe/instruments.ts';
import type { Log } from '../observe/log.ts';
import { watchProcess } from '../observe/process.ts';
import type { Services } from '../services.ts';
import { warnOfFileModes } from './file-modes.ts';
import { onWait } from './waiting.ts';

/** The steps of a process that serves, alone or as one of several. A step that cannot be done throws one line. */
export async function open(config: Config, log: Log, overrides?: Overrides): Promise<Services> {
  const services = await buildServices(config, log, { onWait, ...overrides });
  if (config.metrics) measureProcess(services.metrics);
  return services;
}

export function measureProcess(metrics: Metrics): void {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  watchProcess(metrics, version);
}

/** What must be there before anything is served, once for all processes on the machine. */
export async function prepare(services: Services): Promise<void> {
  warnOfFileModes(services.config, services.log);
  await seedIfEmpty(services);
  await makeMissingKeys(services);
}

/** The demo of an empty store, where the settings have one; never over data that is there. */
async function seedIfEmpty(services: Services): Promise<void> {
  const { config, store } = services;
  if (!config.demo || !(await store.isEmpty())) return;
  // Loaded only where it is needed, and with it everything that reads provisioning files.
  const { seedDemo } = await import('../demo/seed.ts');
  process.stdout.write(await seedDemo(services));
}

export async function listen(services: Services): Promise<Server> {
  const server = buildServer(services);
  await listening(server, services.config.port, services.config.host);
  return server;
}

export async function listenForMetrics(
  { port, host, token }: MetricsSettings,
  exposition: () => Promise<string>,
  log: Log,
): Promise<void> {
  if (port !== undefined) await listening(createMetricsServer(exposition, token, log), port, host);
}

/** Connections the system holds until we take them: those of a burst would otherwise be dropped and tried again a second later. */
const BACKLOG = 4096;

function listening(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, BACKLOG, resolve);
  });
}

/** An impatient second signal does not end what the first began. */
export function onceOnSignal(end: (signal: string) => void): void {
  let begun = false;
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (!begun) end(signal);
      begun = true;
    });
  }
}

export interface Serving {
  readonly services: Services;
  readonly server: Server;
  readonly stopJobs: () => void;
}

const DRAIN_MS = 9000;

/** No new connections; requests in flight finish; then the store is closed. At the latest after DRAIN_MS. */
export async function drain({ services, server, stopJobs }: Serving): Promise<void> {
  services.readiness.drain();
  stopJobs();
  const overdue = setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
  await new Promise(resolve => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(overdue);
  await services.store.close();
}
