import type { Config } from '../../platform/config/config.ts';
import { type MailSettings, NO_MAIL } from '../../platform/config/mail-settings.ts';
import { parseArguments } from './arguments.ts';
import type { Command, CommandContext } from './command.ts';
import { EXIT } from './exit.ts';
import { readSettings } from './settings.ts';

export const checkConfig: Command = {
  help: `Usage: gatehouse check-config [--mail-to ADDRESS]

Prints one line per fault and exits 78, or prints that the settings are valid.

  --mail-to ADDRESS   also sends a test mail, prints what the mail server answered, and exits 69 where it did not take it

Example: gatehouse check-config --mail-to you@example.com`,

  async run(args, context) {
    const options = readOptions(args);
    if (!options) {
      context.stderr.write(`${checkConfig.help}\n`);
      return EXIT.usage;
    }
    const config = readSettings(context);
    if (!config) return EXIT.configuration;
    context.stdout.write('The settings are valid.\n');
    if (!config.mail) context.stdout.write(`${NO_MAIL}\n`);
    const to = options['mail-to'];
    if (to === undefined) return EXIT.ok;
    return config.mail ? sendTest(context, config, config.mail, to) : EXIT.configuration;
  },
};

function readOptions(args: readonly string[]) {
  try {
    return parseArguments({ args: [...args], options: { 'mail-to': { type: 'string' } } }).values;
  } catch {
    return undefined;
  }
}

async function sendTest(
  { stdout, stderr }: CommandContext,
  { baseUrl }: Config,
  mail: MailSettings,
  to: string,
): Promise<number> {
  const [{ sendTestMail }, { testMailText }, { systemRandom }] = await Promise.all([
    import('../../notify/mail/test-mail.ts'),
    import('../../notify/mail/test-mail.text.ts'),
    import('../../platform/crypto/random.ts'),
  ]);
  const text = testMailText.en;
  const deps = { clock: { now: () => Math.floor(Date.now() / 1000) }, random: systemRandom, config: { baseUrl } };
  const { destination, outcome, answer, fault = 'other' } = await sendTestMail(deps, mail, to, 'en');
  const said = answer === '' ? '' : `\n${text.answer}: ${answer}`;
  switch (outcome) {
    case 'accepted':
      stdout.write(`${text.accepted(destination, to)}${said}\n${text.acceptedHint}\n`);
      return EXIT.ok;
    case 'written':
      stdout.write(`${text.written(destination)}\n${text.writtenHint}\n`);
      return EXIT.ok;
    case 'refused':
      stderr.write(`${text.refused(destination, to)}${said}\n${text.remedies[fault]}\n`);
      return EXIT.unavailable;
  }
}
