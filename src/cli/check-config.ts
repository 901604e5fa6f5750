import { readConfig } from '../config.ts';
import type { Command } from './command.ts';
import { EXIT } from './exit.ts';

export const checkConfig: Command = {
  summary: 'check the settings in the environment without starting',
  help: 'Usage: gatehouse check-config\n\nPrints one line per fault and exits 78, or prints that the settings are valid.\n\nExample: PORT=8080 gatehouse check-config',
  async run(_args, env) {
    const read = readConfig(env);
    if (read.kind === 'valid') {
      process.stdout.write('The settings are valid.\n');
      return EXIT.ok;
    }
    for (const fault of read.faults) process.stderr.write(`${fault}\n`);
    return EXIT.configuration;
  },
};
