import type { Endpoint, Handler } from '../../services.ts';
import { keptImport } from '../kept-import.ts';
import type { ErrorForm } from './error-response.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What a method does with the body of a request. `none`: a body means nothing. `form`: the handler gets the text, and checks the content type
 * itself, because RFC 6749 endpoints word that refusal differently. `large-form`: the same, MAX_LARGE_FORM_BYTES long. `json`, `merge-patch`: the handler gets the parsed value
 * (read-json.ts); other content types are refused with 415. `file`: the handler gets the text, which may be MAX_FILE_BYTES long, and parses it
 * (`readJsonFile`) once it knows its caller.
 */
export type BodyKind = 'none' | 'form' | 'large-form' | 'json' | 'merge-patch' | 'file';

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
  readonly methods: Actions<Handler>;
}

export type Route = EndpointRoute | PageRoute;

/** {base_url}/api/v1/authorize/{app_code}/oauth2 is the issuer of an application; its endpoints are below it. */
export const ISSUER = '/api/v1/authorize/{app}/oauth2';

type EndpointRules = Pick<EndpointRoute, 'errors' | 'cors'>;

export const FOR_BROWSERS: EndpointRules = { errors: 'page', cors: 'none' };
export const FOR_SERVERS: EndpointRules = { errors: 'json', cors: 'none' };
export const FOR_CLIENTS: EndpointRules = { errors: 'json', cors: 'clients' };
export const PUBLISHED: EndpointRules = { errors: 'json', cors: 'everyOrigin' };

/** Of an application. `pattern`: where it is not the name, below the issuer. */
export const endpoint = (
  name: string,
  rules: EndpointRules,
  methods: EndpointRoute['methods'],
  pattern = `${ISSUER}/${name}`,
): Route => ({ kind: 'endpoint', pattern, name, ...rules, methods });

/** A handler whose module the server loads when it starts, so that no request waits for it. */
export interface Preloaded {
  preload(): Promise<unknown>;
}

export function isPreloaded(handle: unknown): handle is Preloaded {
  return typeof handle === 'function' && 'preload' in handle;
}

/** A module, as far as it exports something of this type by this name. */
export type Exports<T, Name extends string> = { readonly [Each in Name]: T };

/** An endpoint that every deployment needs. */
export function hot<Name extends string>(
  load: () => Promise<Exports<Endpoint, NoInfer<Name>>>,
  name: Name,
): Endpoint & Preloaded {
  let handle: Endpoint | undefined;
  const preload = async () => {
    handle = (await load())[name];
  };
  const handler: Endpoint = (services, request, application) =>
    handle ? handle(services, request, application) : preload().then(() => handler(services, request, application));
  return Object.assign(handler, { preload });
}

/** An endpoint that few deployments need: loaded with the first request. */
export function late<Name extends string>(load: () => Promise<Exports<Endpoint, NoInfer<Name>>>, name: Name): Endpoint {
  const kept = keptImport(load);
  return async (services, request, application) => (await kept())[name](services, request, application);
}

/** A handler of the deployment, loaded with the first request: a node pays only for what it serves (docs/decisions/http.md). */
export function latePage<Name extends string>(
  load: () => Promise<Exports<Handler, NoInfer<Name>>>,
  name: Name,
): Handler {
  const kept = keptImport(load);
  return async (services, request) => (await kept())[name](services, request);
}

/** A page of the deployment with its form. */
export function pageOf<Name extends string>(
  pattern: string,
  load: () => Promise<Exports<Handler, NoInfer<Name>>>,
  show: Name,
  submit?: Name,
): Route {
  const methods: PageRoute['methods'] = { GET: noBody(latePage(load, show)) };
  return page(pattern, submit ? { ...methods, POST: form(latePage(load, submit)) } : methods);
}

/** Of the deployment, for programs. */
export const forPrograms = (pattern: string, methods: PageRoute['methods']): Route => ({
  ...page(pattern, methods),
  errors: 'json',
});

export const noBody = <Handler>(handle: Handler): Action<Handler> => ({ body: 'none', handle });
export const form = <Handler>(handle: Handler): Action<Handler> => ({ body: 'form', handle });
export const largeForm = <Handler>(handle: Handler): Action<Handler> => ({ body: 'large-form', handle });

/** Of the deployment, for browsers. */
export const page = (pattern: string, methods: PageRoute['methods'], name = pattern): Route => ({
  kind: 'page',
  pattern,
  name,
  errors: 'page',
  cors: 'none',
  methods,
});
