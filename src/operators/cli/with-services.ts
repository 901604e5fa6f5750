import { SecretFault } from '../../platform/crypto/secret-file.ts';
import { createLog } from '../../platform/observe/log.ts';
import { OPEN_TIMEOUT_MS } from '../../platform/store/database-timeouts.ts';
import { StoreUnavailable } from '../../platform/store/faults.ts';
import type { Overrides, Services } from '../../services.ts';
import type { CommandTools } from './command.ts';
import { EXIT, exitCodeOf } from './exit.ts';
import { readSettings } from './settings.ts';
import { waitsOn } from './waiting.ts';

/**
 * Opens the store and the services of the settings, runs `work`, and closes them. A fault of the settings or the store is printed
 * as one line and becomes the exit code. A command waits for the database longer than a request does, because only its operator
 * waits for it.
 */
export async function withServices(
  context: CommandTools,
  work: (services: Services) => Promise<number>,
  more?: Overrides,
): Promise<number> {
  const { stderr, overrides, buildServices } = context;
  const config = readSettings(context);
  if (!config) return EXIT.configuration;
  try {
    const log = createLog(config.logLevel, true, line => stderr.write(line));
    const databaseTimeoutMs = Math.max(config.databaseTimeoutMs, OPEN_TIMEOUT_MS);
    const services = await buildServices({ ...config, databaseTimeoutMs }, log, {
      onWait: waitsOn(stderr),
      ...overrides,
      ...more,
    });
    try {
      return await work(services);
    } finally {
      await services.store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof SecretFault)) throw error;
    stderr.write(`${error.message}\n`);
    return exitCodeOf(error);
  }
}
