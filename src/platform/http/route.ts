import type { Endpoint, Page } from '../../services.ts';
import type { ErrorForm } from './error-response.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What a method does with the body of a request. `none`: a body means nothing. `form`: the handler gets the text, and checks the content type
 * itself, because RFC 6749 endpoints word that refusal differently. `json`, `merge-patch`: the handler gets the parsed value
 * (read-json.ts); other content types are refused with 415.
 */
export type BodyKind = 'none' | 'form' | 'json' | 'merge-patch';

export interface Action<Handler> {
  readonly body: BodyKind;
  readonly handle: Handler;
}

export type Actions<Handler> = Readonly<Partial<Record<Method, Action<Handler>>>>;

/** Which other origins may read an answer: none, every one, or those of the application's clients. */
export type Cors = 'none' | 'everyOrigin' | 'clients';

interface RouteRules {
  /**
   * The path. `{name}` stands for one segment that is not empty. A literal segment wins over a parameter. A pattern that ends in `/*`
   * is for every path below it that no other row has: with no methods, it says in which form those are not found.
   */
  readonly pattern: string;
  /** In the log and the metrics. */
  readonly name: string;
  readonly errors: ErrorForm;
  readonly cors: Cors;
}

/** Of one application: the first parameter of the pattern is its code. */
export interface EndpointRoute extends RouteRules {
  readonly kind: 'endpoint';
  readonly methods: Actions<Endpoint>;
}

/** Of the deployment. */
export interface PageRoute extends RouteRules {
  readonly kind: 'page';
  readonly methods: Actions<Page>;
}

export type Route = EndpointRoute | PageRoute;

export const noBody = <Handler>(handle: Handler): Action<Handler> => ({ body: 'none', handle });
export const form = <Handler>(handle: Handler): Action<Handler> => ({ body: 'form', handle });

/** Of the deployment, for browsers. */
export const page = (pattern: string, methods: PageRoute['methods'], name = pattern): Route => ({
  kind: 'page',
  pattern,
  name,
  errors: 'page',
  cors: 'none',
  methods,
});
