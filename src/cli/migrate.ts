import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { withServices } from './with-services.ts';

export const migrate: Command = {
  summary: 'bring the schema of the store up to date without starting',
  help: 'Usage: gatehouse migrate\n\nRuns the migrations that DATABASE_URL still needs. "serve" and "apply" do the same when they start.',
  run: (_args, env) =>
    withServices(env, async () => {
      process.stdout.write('The schema is up to date.\n');
      return EXIT.ok;
    }),
};
