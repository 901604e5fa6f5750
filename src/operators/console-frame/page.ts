import { failure } from '../../failures.ts';
import type { Answer, Refusal, Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Html } from '../../platform/ui/html.ts';
import type { OperatorLocale } from '../../platform/ui/locale.rules.ts';
import type { OperatorTexts } from '../../platform/ui/texts.ts';
import type { Services } from '../../services.ts';
import type { AnyOperation } from '../api/operation-table.ts';
import type { Input } from '../api/perform.ts';
import type { Operator, Role } from '../roles/store.ts';
import type { IconName } from './icons.ts';

/** A page of the console: what it shows, and what its forms do. It calls operations and adds nothing to them. */
export interface ConsolePage {
  /** The rail entry that it belongs to. The search belongs to none. */
  readonly place?: string;
  show(context: ConsoleContext): Promise<View | Answer>;
  /** A form was sent to the address of the page. Ends in a redirect (`done`), or shows the page again with faults. */
  submit?(context: ConsoleContext, form: Params): Promise<View | Answer>;
  /**
   * Its forms need a recent authentication, because something that they do cannot be undone or gives access: all of them, or all but those
   * with these values of `action` ('': without one). So a form that no page has made, with another value or none, needs it too.
   */
  readonly dangerous?: 'all' | { readonly except: readonly string[] };
  /** Fields that may be too large to wait for a sign-in. A form without them leaves them as they are. */
  readonly omittable?: readonly string[];
}

/** An entry of the rail, which a capability declares (`places`). Loaded with the first page: most nodes never show one. */
export interface Place {
  readonly path: string;
  /** The rail has them from the smallest number on. */
  readonly order: number;
  /** The id of the operation that its page begins with. An operator who may not run it may not open it. */
  readonly needs: string;
  readonly look: PlaceLook;
  title(): Promise<OperatorTexts<string>>;
}

/** How the rail shows a place: under which heading, and with which icon. */
export interface PlaceLook {
  readonly group: PlaceGroup;
  readonly icon: IconName;
}

/** The headings of the rail, from the top; the first has none. */
export const placeGroups = ['top', 'directory', 'happened', 'deployment'] as const;
export type PlaceGroup = (typeof placeGroups)[number];

export interface View {
  readonly title: string;
  /** The pages above this one, from the top: name and address. */
  readonly crumbs?: readonly (readonly [name: string, path: string])[];
  /** Beside the title: state and identifier (`chip`, `copyable`). */
  readonly chips?: Html | undefined;
  /** Below the title: a sentence. */
  readonly about?: Html | undefined;
  /** At the end of the title's row: one primary action at most. */
  readonly actions?: Html | undefined;
  readonly body: Html;
  /** 400 with faults. */
  readonly status?: number;
  /** To set with the page. */
  readonly cookies?: readonly string[] | undefined;
  /** An address outside this server to which a form of this page may redirect. */
  readonly formTarget?: string | readonly string[] | undefined;
}

export interface ConsoleContext {
  readonly services: Services;
  readonly request: Request;
  readonly operator: Operator;
  readonly locale: OperatorLocale;
  /** Of the address of the page. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Params;
  /** Whether the operator's role reaches so far: what it does not reach is not offered. */
  may(role: Role): boolean;
  /** Whether role and reach of the operator allow the operation, on the application of the address where there is one. */
  can(operation: AnyOperation): boolean;
  /** Runs an operation with the rights of the operator. */
  perform<Result = never>(
    operation: AnyOperation,
    input?: Partial<Input>,
    ifMatch?: string,
  ): Promise<Performed<Result>>;
  /** The same for a form with `onceField`: sent twice, it acts once (shown-once.ts). */
  performOnce<Result = never>(operation: AnyOperation, input?: Partial<Input>): Promise<Performed<Result>>;
}

export type Performed<Result> =
  | { readonly kind: 'done'; readonly value: Result }
  /** What the reader is told: faults by field, in the words of the operation. */
  | { readonly kind: 'faults'; readonly faults: Faults }
  /** It cannot be shown on the page: not found, or not allowed. */
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** By the name of the field; '' for what belongs to none. */
export type Faults = ReadonlyMap<string, string>;

export const NO_FAULTS: Faults = new Map();

/** Of a reading operation, which has no form to tell faults in: a query that someone typed into the address. */
export function refusalOf(performed: Exclude<Performed<unknown>, { readonly kind: 'done' }>): Refusal {
  return performed.kind === 'refused' ? performed.refusal : { failure: failure('valuesInvalid') };
}
