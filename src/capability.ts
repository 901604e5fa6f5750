import type { EventDefinition } from './audit/events/definition.rules.ts';
import type { DeclaredFields } from './directory/fields/declaration.fields.ts';
import type { FieldControl } from './directory/fields/form.console.ts';
import type { ProviderType } from './directory/providers/rules.ts';
import type { Definition } from './failures.ts';
import type { MakeDeferred } from './notify/mail/queue.ts';
import type { Proof } from './oauth/proof-of-possession/proof.ts';
import type { GrantHandler } from './oauth/token/grant.ts';
import type { GrantType } from './oauth/token/grant-types.rules.ts';
import type { DeclaredOperations } from './operators/api/operation-table.ts';
import type { Noun } from './operators/cli/noun.ts';
import type { ConsolePage, Place, PlaceLook } from './operators/console-frame/page.ts';
import type { ConsoleSearch } from './operators/console-frame/search.ts';
import type { Connector } from './people/federation/connector.ts';
import type { PasswordChecker } from './people/federation/password-checker.ts';
import type { StepRule } from './people/sign-in/step.rules.ts';
import type { StepPage } from './people/sign-in/visit.ts';
import type { Exports, Route } from './platform/http/route.ts';
import type { Job, WaitingGauge } from './platform/jobs/job.ts';
import type { StorePart } from './platform/store/late-part.ts';
import type { Table } from './platform/store/table.ts';
import type { OperatorTexts } from './platform/ui/texts.ts';

/**
 * A capability, such as the device grant, TOTP or webhooks, is a folder and a line of capabilities.ts. The file capability.ts of the
 * folder declares what it adds to the tables of the product; docs/architecture.md says which other files a folder has. A declaration
 * loads nothing of what it declares: a command would pay for every page and grant, and a server for what nobody asks it.
 */
export interface Capability {
  /** Its folder below src/. */
  readonly name: string;
  /** Its addresses: of every application (`endpoint`), or of the deployment (`page`). */
  readonly routes?: readonly Route[];
  /** Its endpoints in the metadata of an issuer: names of RFC 8414, and addresses below the issuer. */
  readonly discovery?: Readonly<Record<string, string>>;
  /** Its grant types, by the names that clients are registered with. Loaded when the server starts. */
  readonly grants?: Readonly<Record<string, DeclaredGrant>>;
  /** The ways in which tokens are bound to a key; if a request carries several, the first counts. Loaded when the server starts. */
  readonly proofs?: readonly Load<Proof>[];
  /** Its steps of a sign-in: when each is due, and its page. */
  readonly steps?: Readonly<Record<string, DeclaredStep>>;
  /** How people are identified by identity providers, by the types of providers that it connects. */
  readonly connectors?: Readonly<Partial<Record<ProviderType, Load<Connector>>>>;
  /** How typed passwords are checked by providers, by the types of those that know passwords. */
  readonly passwordCheckers?: Readonly<Partial<Record<ProviderType, Load<PasswordChecker>>>>;
  /** Settings that it adds to clients, applications and identity providers. Loaded with the first that is read, changed or exported. */
  readonly fields?: Load<DeclaredFields>;
  /** Those of an application that the console's form draws and reads in a way of their own. */
  readonly controls?: Readonly<Record<string, Load<FieldControl>>>;
  /** What operators do with it, at the admin API, on the command line and in the console. */
  readonly operations?: readonly DeclaredOperations[];
  /** Its nouns of the command line; the verbs are beside their operations. */
  readonly nouns?: Readonly<Record<string, Noun>>;
  /** Its pages in the console, by their addresses. */
  readonly console?: Readonly<Record<string, Load<ConsolePage>>>;
  /** Its tables in the store: how long their rows are kept, where they are on a cluster, and how they are copied. */
  readonly tables?: readonly Table[];
  /** Its operations of the store, made of statements that all stores share (queries.ts). `DeclaredStore` of store.ts has their contract. */
  readonly store?: readonly StorePart[];
  /** Its entries in the rail of the console, by their names. */
  readonly places?: Readonly<Record<string, Place>>;
  /** What of it the search of the console finds. */
  readonly searches?: Readonly<Record<string, Load<ConsoleSearch>>>;
  /** Its failures and types of events, where no other folder names them: those that others name are in failures.ts and events.ts. */
  readonly failures?: Readonly<Record<string, Definition>>;
  readonly events?: Readonly<Record<string, EventDefinition>>;
  /** What it does without a request. */
  readonly jobs?: readonly Job[];
  /** What of it waits in the store, as metrics. */
  readonly waiting?: readonly WaitingGauge[];
  /** What makes the mails that it has queued without knowing their recipient, by the kind of the entry. */
  readonly deferredMails?: Readonly<Record<string, Load<MakeDeferred>>>;
}

export type Load<T> = () => Promise<T>;

export interface DeclaredGrant extends GrantType {
  /** Undefined: it has no token request. */
  readonly load?: Load<GrantHandler>;
}

export interface DeclaredStep extends StepRule {
  readonly load: Load<StepPage>;
}

export function capability(name: string, declared: Omit<Capability, 'name'>): Capability {
  return { name, ...declared };
}

/** An export of a module that is loaded when it is first asked for. Kept, because an import costs microseconds again each time. */
export function from<T, Name extends string>(load: Load<Exports<T, NoInfer<Name>>>, name: Name): Load<T> {
  let kept: T | undefined;
  return async () => {
    kept ??= (await load())[name];
    return kept;
  };
}

/** The same for a grant. The type forgets which callers it takes: the token endpoint gives it only callers of the kinds that it declares. */
export function grant<Name extends string>(
  // biome-ignore lint/suspicious/noExplicitAny: of any callers
  load: Load<Exports<GrantHandler<any, any>, NoInfer<Name>>>,
  name: Name,
  type: GrantType = {},
): DeclaredGrant {
  return { ...type, load: from(load, name) };
}

/** A step of a sign-in with the module of its page. */
export function step<Name extends string>(
  rule: StepRule,
  load: Load<Exports<StepPage, NoInfer<Name>>>,
  name: Name,
): DeclaredStep {
  return { ...rule, load: from(load, name) };
}

/** The same for what makes a deferred mail: it gets the entries of its own kind, and of no other. */
export function deferred<Name extends string>(
  // biome-ignore lint/suspicious/noExplicitAny: of any entries
  load: Load<Exports<MakeDeferred<any>, NoInfer<Name>>>,
  name: Name,
): Load<MakeDeferred> {
  return from(load, name);
}

/** A place in the rail of the console, whose name is among the texts of the capability. */
export function placeOf<Name extends string>(
  path: string,
  order: number,
  needs: string,
  load: Load<Exports<OperatorTexts<string>, NoInfer<Name>>>,
  title: Name,
  look: PlaceLook,
): Place {
  return { path, order, needs, look, title: from(load, title) };
}
