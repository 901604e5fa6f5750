import { readConfig } from '../../platform/config/config.ts';
import { NO_MAIL } from '../../platform/config/mail-settings.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';

export const checkConfig: Command = {
  help: 'Usage: gatehouse check-config\n\nPrints one line per fault and exits 78, or prints that the settings are valid.\n\nExample: PORT=8080 gatehouse check-config',
  async run(_args, { env, stdout, stderr }) {
    const read = readConfig(env);
    if (read.kind === 'valid') {
      stdout.write('The settings are valid.\n');
      if (!read.config.mail) stdout.write(`${NO_MAIL}\n`);
      return EXIT.ok;
    }
    for (const fault of read.faults) stderr.write(`${fault}\n`);
    return EXIT.configuration;
  },
};
