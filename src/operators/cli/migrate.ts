import { OPEN_TIMEOUT_MS } from '../../platform/store/database-timeouts.ts';
import { StoreUnavailable } from '../../platform/store/faults.ts';
import type { Command } from './command.ts';
import { EXIT, exitCodeOf } from './exit.ts';
import { readSettings } from './settings.ts';
import { waitsOn } from './waiting.ts';

export const migrate: Command = {
  help: `Usage: gatehouse migrate

Creates the schema in an empty database, or runs the migrations that the database in DATABASE_URL still needs, and prints their
names. "serve" and "apply" do the same when they start. Nodes of the previous release keep serving during the migration.

Example: DATABASE_URL=postgres://gatehouse:password@db.example/gatehouse gatehouse migrate`,

  async run(_args, context) {
    const { stdout, stderr, migrateStore } = context;
    const config = readSettings(context);
    if (!config) return EXIT.configuration;
    try {
      const ran = await migrateStore(config.database, { timeoutMs: OPEN_TIMEOUT_MS, onWait: waitsOn(stderr) });
      stdout.write([...ran, 'The schema is up to date.', ''].join('\n'));
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      stderr.write(`${error.message}\n`);
      return exitCodeOf(error);
    }
  },
};
