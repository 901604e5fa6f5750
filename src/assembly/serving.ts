import type { Server } from 'node:http';
import type { Server as NetServer } from 'node:net';
import { makeMissingKeys } from '../oauth/signing-keys/rotation.ts';
import type { Output, ServerProcess } from '../operators/cli/command.ts';
import { hasOwner } from '../operators/first-owner/has-owner.ts';
import { newOwnerLink } from '../operators/first-owner/owner-link.ts';
import type { Config, MetricsSettings } from '../platform/config/config.ts';
import { NO_MAIL } from '../platform/config/mail-settings.ts';
import { createMetricsServer } from '../platform/http/metrics-server.ts';
import type { Metrics } from '../platform/observe/instruments.ts';
import type { Log } from '../platform/observe/log.ts';
import { watchProcess } from '../platform/observe/process.ts';
import { releaseVersion } from '../platform/release.ts';
import type { MetricExporter } from '../platform/telemetry/metric-exporter.ts';
import type { Overrides, Services } from '../services.ts';
import { warnOfFileModes } from './file-modes.ts';
import type { StopJobs } from './jobs.ts';
import { createHttpServer } from './server.ts';
import { buildServices } from './services.ts';

/** The phases of a process that serves: open, prepare, listen, drain. A phase that fails throws an error of one line. */
export async function openServices(config: Config, log: Log, overrides: Overrides): Promise<Services> {
  const services = await buildServices(config, log, overrides);
  if (services.metrics.timing) measureProcess(services.metrics);
  return services;
}

export function measureProcess(metrics: Metrics): void {
  watchProcess(metrics, releaseVersion());
}

/** Runs once on each machine, before the first request: checks file modes, seeds the demo, makes missing signing keys, prints the link for the first owner. */
export async function prepareStore(services: Services, stdout: Output = process.stdout): Promise<void> {
  warnOfFileModes(services.config, services.log);
  sayWhereMailGoes(services);
  await seedIfEmpty(services, stdout);
  await makeMissingKeys(services);
  await offerFirstOwner(services, stdout);
}

/** A folder is for development: nobody gets what is written there. Without either, people cannot reset a password or verify an address. */
function sayWhereMailGoes({ config, log }: Services): void {
  const destination = config.mail?.destination;
  if (!destination) log.warn('mail.off', { message: NO_MAIL });
  else if (destination.kind === 'file') log.info('mail.outbox', { folder: destination.folder });
}

/** Once with each start: the link gives the rights of an owner to its reader. Where no person reads the output it is a line of the log. */
async function offerFirstOwner(services: Services, stdout: Output): Promise<void> {
  if (await hasOwner(services.store)) return;
  const link = await newOwnerLink(services);
  if (stdout.isTTY) stdout.write(ownerBox(link));
  else services.log.warn('owner.missing', { link });
}

function ownerBox(link: string): string {
  const rule = '─'.repeat(78);
  return `
┌${rule}
│ There is no owner yet. Make the first one in a browser, within one hour:
├${rule}
│ ${link}
└${rule}

`;
}

/** Creates the demo if the settings ask for it and the store is empty. */
async function seedIfEmpty(services: Services, stdout: Output): Promise<void> {
  const { config, store } = services;
  if (!config.demo || !(await store.isEmpty())) return;
  // Loaded only where it is needed, and with it everything that reads provisioning files.
  const { seedDemo } = await import('../operators/demo/seed.ts');
  stdout.write(await seedDemo(services));
}

export async function listen(services: Services): Promise<Server> {
  // What is wrong with the files of certificates ends the start before anything is served.
  if (services.config.clientCertificates) (await import('./tls.ts')).checkFiles(services.config);
  const server = createHttpServer(services);
  await startListening(server, services.config.port, services.config.host);
  return server;
}

/** Besides PORT, where the settings say so. */
export async function listenForTls(services: Services, server: Server): Promise<NetServer | undefined> {
  const { tls, host } = services.config;
  if (!tls) return undefined;
  const { createTlsServer } = await import('./tls.ts');
  const secured = createTlsServer(services, tls, server);
  await startListening(secured, tls.port, host);
  return secured;
}

export async function listenForMetrics(
  { port, host, token }: MetricsSettings,
  exposition: () => Promise<string>,
  log: Log,
): Promise<Server | undefined> {
  if (port === undefined) return undefined;
  const server = createMetricsServer(exposition, token, log);
  await startListening(server, port, host);
  return server;
}

/**
 * Connections that the operating system queues until the server accepts them. With the default of 511 a burst overflows the queue,
 * and the callers' TCP retries a second later.
 */
const LISTEN_BACKLOG = 4096;

function startListening(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', error => reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`)));
    server.listen(port, host, LISTEN_BACKLOG, resolve);
  });
}

/** Calls `handle` for the first SIGTERM or SIGINT. Later signals are ignored: they must not interrupt the draining. */
export function onFirstSignal(host: Pick<ServerProcess, 'on'>, handle: (signal: string) => void): void {
  let isHandled = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    host.on(signal, () => {
      if (!isHandled) handle(signal);
      isHandled = true;
    });
  }
}

export interface Serving {
  readonly services: Services;
  readonly server: Server;
  readonly tlsServer?: NetServer | undefined;
  readonly metricsServer?: Server | undefined;
  readonly metricExport?: MetricExporter | undefined;
  readonly stopJobs: StopJobs;
}

/** Starts to send the metrics of a process where the settings say so (OpenTelemetry). */
export async function exportMetrics(
  { telemetry }: Config,
  families: Metrics['families'],
  log: Log,
): Promise<MetricExporter | undefined> {
  if (!telemetry?.metrics) return undefined;
  const { startMetricExport } = await import('../platform/telemetry/metric-exporter.ts');
  return startMetricExport(telemetry, telemetry.metrics, families, log);
}

/** A receiver that does not answer must not hold up the end of the process. */
const TELEMETRY_FLUSH_MS = 2000;

async function flushTelemetry({ services, metricExport }: Serving): Promise<void> {
  await Promise.race([Promise.all([services.tracing?.flush(), metricExport?.stop()]), timer(TELEMETRY_FLUSH_MS)]);
}

/**
 * The process must exit within 10 s of SIGTERM, whatever hangs. These count from the beginning: requests and deliveries in flight end by
 * the first, what waits in memory is written by the second, and the last spans and metrics are sent and the store is closed by the third. A
 * primary kills its workers a little later (workers.ts).
 */
const DRAIN_TIMEOUT_MS = 7000;
const WRITE_TIMEOUT_MS = 8500;
const STOP_TIMEOUT_MS = 9200;

/** Accepts no new connections, ends what is in flight, writes what waits in memory, and closes the store. Never rejects. */
export async function drain(serving: Serving): Promise<void> {
  const { log } = serving.services;
  const reportFault = (error: Error) => log.error('drain.failed', { message: error.message });
  const startedAt = performance.now();
  await Promise.race([endServing(serving, startedAt, reportFault).catch(reportFault), timer(STOP_TIMEOUT_MS)]);
}

async function endServing(serving: Serving, startedAt: number, reportFault: (error: Error) => void): Promise<void> {
  const { services, server, tlsServer, metricsServer, stopJobs } = serving;
  services.readiness.drain();
  const timeUp = timer(DRAIN_TIMEOUT_MS);
  const jobsStopped = Promise.race([stopJobs().catch(reportFault), timeUp]);
  void timeUp.then(() => server.closeAllConnections());
  await Promise.all([
    // A handshake that never ends is not waited for.
    Promise.race([timeUp, new Promise(resolve => tlsServer?.close(resolve) ?? resolve(undefined))]),
    new Promise(resolve => {
      server.close(resolve);
      server.closeIdleConnections();
    }),
  ]);
  await services.refusals.close();
  services.providerConnections.close();
  await jobsStopped;
  await drainRecorders(services, startedAt + WRITE_TIMEOUT_MS - performance.now());
  await flushTelemetry(serving);
  metricsServer?.closeAllConnections();
  metricsServer?.close();
  await services.store.close();
}

/** Writes what waits in memory. What the store has not taken by then is lost, and the log says so. */
async function drainRecorders({ recorder, statistics, log }: Services, timeoutMs: number): Promise<void> {
  const timeUp = timer(timeoutMs).then(() => {
    throw new Error('the database did not answer in time');
  });
  const reasonOf = (error: Error) => ({ message: error.message });
  await Promise.all([
    Promise.race([recorder.drain(), timeUp]).catch(error => log.error('events.lost', reasonOf(error))),
    Promise.race([statistics.flush(), timeUp]).catch(error => log.error('statistics.lost', reasonOf(error))),
  ]);
}

function timer(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds).unref());
}
