import type { ServerProcess } from '../operators/cli/command.ts';
import { EXIT, exitCodeOf } from '../operators/cli/exit.ts';
import { readSettings } from '../operators/cli/settings.ts';
import { waitsOn } from '../operators/cli/waiting.ts';
import type { Config } from '../platform/config/config.ts';
import { createLog, type Log } from '../platform/observe/log.ts';
import type { Services } from '../services.ts';
import { startJobs } from './jobs.ts';
import { workerCount } from './services.ts';
import {
  drain,
  exportMetrics,
  listen,
  listenForMetrics,
  listenForTls,
  onFirstSignal,
  openServices,
  prepareStore,
} from './serving.ts';

/** Starts the server. It runs until SIGTERM or SIGINT. */
export async function startServer(host: ServerProcess): Promise<void> {
  const { stdout } = host;
  const config = readSettings(host);
  if (!config) {
    host.exit(EXIT.configuration);
    return;
  }
  const log = createLog(config.logLevel, stdout.isTTY ?? false, line => stdout.write(line));
  if (workerCount(config) === 1) return serveSingleProcess(config, log, host);
  // A dynamic import: a single process does not need it.
  const { serveWithWorkers } = await import('./workers.ts');
  return serveWithWorkers(config, log);
}

async function serveSingleProcess(config: Config, log: Log, host: ServerProcess): Promise<void> {
  let services: Services | undefined;
  try {
    services = await openServices(config, log, { onWait: waitsOn(host.stderr), ...host.overrides });
    await prepareStore(services, host.stdout);
    const server = await listen(services);
    const tlsServer = await listenForTls(services, server);
    const metricsServer = config.metrics && (await listenForMetrics(config.metrics, services.metrics.exposition, log));
    const metricExport = await exportMetrics(config, services.metrics.families, log);
    const serving = { services, server, tlsServer, metricsServer, metricExport, stopJobs: startJobs(services) };
    const end = async (signal: string) => {
      log.info('draining', { signal });
      await drain(serving);
      log.info('stopped');
      host.exit(EXIT.ok);
    };
    onFirstSignal(host, end);
    log.info('started', { address: `http://${config.host}:${config.port}`, base: config.baseUrl });
  } catch (error) {
    host.stderr.write(`${(error as Error).message}\n`);
    host.exit(exitCodeOf(error));
    // A test goes on after the exit.
    await services?.store.close();
  }
}
