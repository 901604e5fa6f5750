import { workerCount } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { startJobs } from '../jobs/schedule.ts';
import { createLog, type Log } from '../observe/log.ts';
import { type Environment, EXIT, exitCodeOf } from './exit.ts';
import { drain, listen, listenForMetrics, onFirstSignal, openServices, prepareStore } from './serving.ts';

/** Starts the server. It runs until SIGTERM or SIGINT. */
export async function startServer(env: Environment): Promise<void> {
  const read = readConfig(env);
  if (read.kind === 'faulty') {
    for (const fault of read.faults) process.stderr.write(`${fault}\n`);
    process.exit(EXIT.configuration);
  }
  const { config } = read;
  const log = createLog(config.logLevel, process.stdout.isTTY, line => process.stdout.write(line));
  if (workerCount(config) === 1) return serveSingleProcess(config, log);
  // A dynamic import: a single process does not need it.
  const { serveWithWorkers } = await import('./workers.ts');
  return serveWithWorkers(config, log);
}

async function serveSingleProcess(config: Config, log: Log): Promise<void> {
  try {
    const services = await openServices(config, log);
    await prepareStore(services);
    const server = await listen(services);
    if (config.metrics) await listenForMetrics(config.metrics, services.metrics.exposition, log);
    const stopJobs = startJobs(services);
    const end = async (signal: string) => {
      log.info('draining', { signal });
      await drain({ services, server, stopJobs });
      log.info('stopped');
      process.exit(EXIT.ok);
    };
    onFirstSignal(end);
    log.info('started', { address: `http://${config.host}:${config.port}`, base: config.baseUrl });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(exitCodeOf(error));
  }
}
