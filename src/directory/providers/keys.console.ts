import type { ConsoleContext, Performed } from '../../operators/console-frame/page.ts';
import { actionButton } from '../../operators/console-frame/parts.ts';
import { presentKeysOf } from '../../people/federation/own-keys.ts';
import { rotateProviderKey } from '../../people/saml/operations.ts';
import { html } from '../../platform/ui/html.ts';
import { ownKeysText } from './console.text.ts';
import type { ProviderRow } from './frame.console.ts';

/** The keys of this server at a provider that knows them, and their rotation: in steps, between which the provider reads them anew. */

const ACTIONS = { 'key-add': 'add', 'key-use': 'use', 'key-drop': 'drop' } as const;
type KeyAction = keyof typeof ACTIONS;

const KEY_ACTIONS = Object.keys(ACTIONS) as KeyAction[];

export function isKeyAction(action: string | undefined): action is KeyAction {
  return KEY_ACTIONS.some(each => each === action);
}

export function rotateKey({ perform }: ConsoleContext, action: KeyAction): Promise<Performed<unknown>> {
  return perform(rotateProviderKey, { body: { step: ACTIONS[action] } });
}

/** Nothing where the provider knows this server by a secret. */
export async function keysSection({ services, locale, can }: ConsoleContext, provider: ProviderRow) {
  if (provider.type !== 'saml' && provider.token_endpoint_auth_method !== 'private_key_jwt') return false;
  const text = ownKeysText[locale];
  const registered = (await services.registry.providers()).find(({ id }) => id === provider.id);
  const count = (registered && presentKeysOf(services, registered)?.length) ?? 0;
  const steps = count > 1 ? (['key-use', 'key-drop'] as const) : (['key-add'] as const);
  const buttons = steps.map(action => actionButton({ action, label: text.steps[ACTIONS[action]] }));
  return html`<section><h2>${text.title}</h2><p>${text.about[count > 1 ? 'two' : 'one']}</p>${can(rotateProviderKey) && html`<div class="actions">${buttons}</div>`}</section>\n`;
}
