import { NO_MAIL } from '../../platform/config/mail-settings.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';
import { readSettings } from './settings.ts';

export const checkConfig: Command = {
  help: 'Usage: gatehouse check-config\n\nPrints one line per fault and exits 78, or prints that the settings are valid.\n\nExample: PORT=8080 gatehouse check-config',
  async run(_args, context) {
    const config = readSettings(context);
    if (!config) return EXIT.configuration;
    context.stdout.write('The settings are valid.\n');
    if (!config.mail) context.stdout.write(`${NO_MAIL}\n`);
    return EXIT.ok;
  },
};
