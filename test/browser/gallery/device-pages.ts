import { aTv, aWaitingDevice } from '../../build/device.ts';
import { anApplication, aUser } from '../../build/fixture.ts';
import { go, loggingIn, type Open, type Pages, sendForm } from './shown.ts';

/** The pages of /device, with an application and a user of their own. */
export const DANA = aUser({ username: 'dana', email: 'dana@example.com', phone_number: null });
export const SCREENS = anApplication({
  ...{ code: 'screens', name: 'Lantern Films' },
  apis: [{ identifier: 'https://films.example', name: 'Films', scopes: { 'films:watch': 'Watch your films' } }],
  clients: [aTv({ client_name: 'Lantern TV', scope: 'openid profile films:watch' })],
});

const filledIn: Open = async (page, server) => {
  const device = await aWaitingDevice(server, { scope: 'openid profile films:watch' }, {}, 'screens');
  await page.goto(device.verification_uri_complete);
};

const wrongCode: Open = async (page, server) => {
  await go('/device')(page, server);
  await sendForm(page, '[name=user_code]', { user_code: 'bcdf ghjk' }, '[role=alert]');
};

const continued: Open = async (page, server) => {
  await filledIn(page, server);
  await sendForm(page, 'button[type=submit]', {}, '[name=password]');
};

const question = loggingIn(continued, 'dana', '[value=allow]');

const pressed =
  (action: 'allow' | 'deny'): Open =>
  async (page, server) => {
    await question(page, server);
    await sendForm(page, `[value=${action}]`, {}, 'body:not(:has([value=allow]))');
  };

const cancelled: Open = async (page, server) => {
  await continued(page, server);
  await sendForm(page, '[value=cancel]', {}, 'a[href="/device"]');
};

const decidedBefore: Open = async (page, server) => {
  await question(page, server);
  const address = page.url();
  await sendForm(page, '[value=allow]', {}, 'body:not(:has([value=allow]))');
  await page.goto(address);
};

export const devicePages: Pages = {
  device: go('/device'),
  'device-filled-in': filledIn,
  'device-error': wrongCode,
  'device-question': question,
  'device-connected': pressed('allow'),
  'device-denied': pressed('deny'),
  'device-cancelled': cancelled,
  'device-decided': decidedBefore,
};
