import type { EventDefinition } from './audit/events/definition.rules.ts';
import { auditLogEvents } from './audit/events/events.ts';
import { applicationEvents } from './directory/applications/events.ts';
import { clientEvents } from './directory/clients/events.ts';
import { providerEvents } from './directory/providers/events.ts';
import { userAttributeEvents } from './directory/user-attributes/events.ts';
import { userEvents } from './directory/users/events.ts';
import { mailEvents } from './notify/mail/events.ts';
import { webhookEvents } from './notify/webhooks/events.ts';
import { authorizationCodeEvents } from './oauth/authorization-code/events.ts';
import { cibaEvents } from './oauth/ciba/events.ts';
import { clientAuthenticationEvents } from './oauth/client-authentication/events.ts';
import { deviceEvents } from './oauth/device/events.ts';
import { identityAssertionEvents } from './oauth/identity-assertions/events.ts';
import { refreshEvents } from './oauth/refresh/events.ts';
import { registrationEvents } from './oauth/registration/events.ts';
import { revocationEvents } from './oauth/revoke/events.ts';
import { signingKeyEvents } from './oauth/signing-keys/events.ts';
import { tokenExchangeEvents } from './oauth/token-exchange/events.ts';
import { apiKeyEvents } from './operators/api-keys/events.ts';
import { applyEvents } from './operators/apply/events.ts';
import { backupEvents } from './operators/backup/events.ts';
import { operatorEvents } from './operators/roles/events.ts';
import { agentEvents } from './people/agents/events.ts';
import { consentEvents } from './people/consent/events.ts';
import { emailEvents } from './people/email/events.ts';
import { federationEvents } from './people/federation/events.ts';
import { linkingEvents } from './people/linking/events.ts';
import { myDataEvents } from './people/my-data/events.ts';
import { passwordEvents } from './people/password/events.ts';
import { passwordCheckEvents } from './people/password-check/events.ts';
import { factorEvents } from './people/second-factor/events.ts';
import { sessionEvents } from './people/sessions/events.ts';
import { signInEvents } from './people/sign-in/events.ts';
import { trustedBrowserEvents } from './people/trusted-browsers/events.ts';
import type { OperatorLocale } from './platform/ui/locale.rules.ts';

/**
 * The types of events of the audit log, each defined once, in the folder of its capability. The list is closed: the names are part of the
 * contract with webhooks and scripts. docs/events.md describes them in this order.
 */
const catalogue = {
  ...signInEvents,
  ...federationEvents,
  ...userEvents,
  ...linkingEvents,
  ...passwordCheckEvents,
  ...myDataEvents,
  ...passwordEvents,
  ...emailEvents,
  ...factorEvents,
  ...trustedBrowserEvents,
  ...sessionEvents,
  ...consentEvents,
  ...agentEvents,
  ...deviceEvents,
  ...cibaEvents,
  ...authorizationCodeEvents,
  ...refreshEvents,
  ...revocationEvents,
  ...tokenExchangeEvents,
  ...identityAssertionEvents,
  ...clientAuthenticationEvents,
  ...applicationEvents,
  ...clientEvents,
  ...providerEvents,
  ...userAttributeEvents,
  ...registrationEvents,
  ...signingKeyEvents,
  ...operatorEvents,
  ...apiKeyEvents,
  ...webhookEvents,
  ...mailEvents,
  ...backupEvents,
  ...applyEvents,
  ...auditLogEvents,
};

/** What a capability declares and no other folder names (`events`): it names them here, by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: capabilities add to it
export interface DeclaredEvents {}

export type EventType = keyof typeof catalogue | keyof DeclaredEvents;

/** Those that capabilities declare, by their types (`Tables`). */
export type Events = ReadonlyMap<string, EventDefinition>;

const listed: Events = new Map(Object.entries(catalogue));

/** All types of events: those of the list, and those that are declared. */
export function eventTypes(declared: Events): readonly string[] {
  return [...listed.keys(), ...declared.keys()];
}

/** For operators: what happened, in a few words. Of a type that somebody typed into the address: itself, where there is none. */
export function eventTitle(declared: Events, locale: OperatorLocale, type: string): string {
  return (listed.get(type) ?? declared.get(type))?.title[locale] ?? type;
}
