import { readFile } from 'node:fs/promises';
import { hasSchemeOfItsOwn } from '../../oauth/authorize/redirect-uri.rules.ts';
import { DEVICE_GRANT } from '../../oauth/device/rules.ts';

/**
 * The configurations of docs/clients, filled in for one client. The pages are the source: what their tests run is what an operator
 * copies here, with other addresses.
 */
export interface Library {
  /** The name of its page in docs/clients. */
  readonly page: string;
  readonly label: string;
  /** The client of the page's apply file that this configuration is for. Undefined: `shop-` and the name of the page. */
  readonly clientId?: string;
  /** For a client without a secret. */
  readonly isPublic?: true;
  /** For a program on a person's own device, which comes back to a scheme of its own. */
  readonly isNative?: true;
  /** What the client needs for it. */
  readonly grant?: string;
}

const MOBILE = 'shop-mobile';

export const libraries: readonly Library[] = [
  { page: 'next-auth', label: 'Next.js' },
  { page: 'spring-login', label: 'Spring Boot' },
  { page: 'go-oidc', label: 'Go' },
  { page: 'zitadel-oidc', label: 'Go, zitadel/oidc' },
  { page: 'express-openid-connect', label: 'Express' },
  { page: 'auth-js', label: 'Auth.js' },
  { page: 'better-auth', label: 'better-auth' },
  { page: 'openid-client', label: 'openid-client' },
  { page: 'passport', label: 'Passport' },
  { page: 'oauth4webapi', label: 'oauth4webapi' },
  { page: 'mozilla-django-oidc', label: 'Django' },
  { page: 'python-social-auth', label: 'python-social-auth' },
  { page: 'flask-authlib', label: 'Flask' },
  { page: 'nimbus', label: 'Nimbus' },
  { page: 'pac4j', label: 'pac4j' },
  { page: 'ruby-omniauth', label: 'Ruby' },
  { page: 'rust-openidconnect', label: 'Rust' },
  { page: 'oauth2-proxy', label: 'oauth2-proxy' },
  { page: 'nginx', label: 'nginx' },
  { page: 'apache', label: 'Apache' },
  { page: 'gatehouse', label: 'Another Gatehouse' },
  { page: 'grafana', label: 'Grafana', clientId: 'grafana' },
  { page: 'spring-resource-server', label: 'Spring Boot API', clientId: 'shop-spring-api' },
  { page: 'go-api', label: 'Go API' },
  { page: 'appauth-android', label: 'Android', clientId: MOBILE, isPublic: true, isNative: true },
  { page: 'appauth-ios', label: 'iOS', clientId: MOBILE, isPublic: true, isNative: true },
  { page: 'oidc-client-ts', label: 'oidc-client-ts', clientId: 'shop-spa', isPublic: true },
  { page: 'angular-auth-oidc-client', label: 'Angular', clientId: 'shop-spa', isPublic: true },
  { page: 'kubelogin', label: 'Kubernetes', clientId: 'kubernetes', isPublic: true },
  { page: 'device', label: 'Device', clientId: 'shop-tv', isPublic: true, grant: DEVICE_GRANT },
  { page: 'mcp-sdk', label: 'Model Context Protocol', clientId: 'shop-mcp', isPublic: true },
  { page: 'machine', label: 'Client credentials', clientId: 'shop-worker', grant: 'client_credentials' },
];

/** Each page has a client of its own, so that one page does not change what another has made. */
export function exampleClient({ page, clientId = `shop-${page}` }: Library): string {
  return clientId;
}

/** What takes the place of the example's values. */
export interface Site {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUris: readonly string[];
}

export interface Configuration {
  readonly parts: readonly Part[];
  /** What the client must have registered for it: where people come back to, and where they may go after they have signed out. */
  readonly redirectUri: string | undefined;
  readonly postLogoutUri: string | undefined;
}

export interface Part {
  /** The sentence before the block, in Markdown: the name of the file, and how to install what it needs. */
  readonly about: string;
  readonly text: string;
}

const FOLDER = new URL('../../../docs/clients/', import.meta.url);
/** Where the clients of the pages run. */
const EXAMPLE_ORIGIN = 'http://localhost:4000';

/** Undefined in an installation without its documents. */
export async function configurationFor(library: Library, site: Site): Promise<Configuration | undefined> {
  const page = await readFile(new URL(`${library.page}.md`, FOLDER), 'utf8').catch(() => undefined);
  if (page === undefined) return undefined;
  const [applyFile, ...parts] = partsOf(page);
  const example = exampleEntry(applyFile?.text ?? '', exampleClient(library));
  const fill = filler(library, site, moved(library, example.redirectUri, site.redirectUris));
  return {
    parts: parts.map(({ about, text }) => ({ about: fill(about), text: fill(text) })),
    redirectUri: example.redirectUri && fill(example.redirectUri),
    postLogoutUri: example.postLogoutUri && fill(example.postLogoutUri),
  };
}

/** The blocks of a page up to what it says of the result, each with the paragraph before it. */
function partsOf(page: string): Part[] {
  const [setting = ''] = page.split(/^## /m);
  return [...setting.matchAll(/([^\n]+(?:\n[^\n]+)*)\n\n```\w+\n([\s\S]*?)^```$/gm)].map(
    ([, about = '', text = '']) => ({
      about: about.replaceAll('\n', ' '),
      text,
    }),
  );
}

/** The addresses of the client in the apply file of the page. */
function exampleEntry(applyFile: string, clientId: string) {
  const entry = applyFile.split(/^ {6}- client_id: /m).find(each => each.startsWith(`${clientId}\n`)) ?? '';
  return {
    redirectUri: /^ +redirect_uris: \['?([^\],']+)/m.exec(entry)?.[1],
    postLogoutUri: /^ +post_logout_redirect_uris: \['?([^\],']+)/m.exec(entry)?.[1],
  };
}

/** What of the example stands where this client has something else, longest first. */
function moved(
  library: Library,
  example: string | undefined,
  uris: readonly string[],
): readonly (readonly [string, string])[] {
  if (library.isNative && example !== undefined) {
    const own = uris.find(hasSchemeOfItsOwn) ?? example;
    return [
      [example, own],
      [schemeOf(example), schemeOf(own)],
    ];
  }
  const origin = originFor(example, uris);
  return [EXAMPLE_ORIGIN, encodeURIComponent(EXAMPLE_ORIGIN)].map(
    each => [each, each === EXAMPLE_ORIGIN ? origin : encodeURIComponent(origin)] as const,
  );
}

function schemeOf(uri: string): string {
  return uri.slice(0, uri.indexOf(':'));
}

/** Where the client runs: at the redirect URI that the library would use, or else at any that it has. */
function originFor(example: string | undefined, redirectUris: readonly string[]): string {
  const path = example?.slice(EXAMPLE_ORIGIN.length);
  const onWeb = redirectUris.filter(uri => /^https?:/i.test(uri));
  const found = onWeb.find(uri => new URL(uri).pathname === path) ?? onWeb[0];
  return found === undefined ? EXAMPLE_ORIGIN : new URL(found).origin;
}

function filler(
  library: Library,
  site: Site,
  replaced: readonly (readonly [string, string])[],
): (text: string) => string {
  const server = /(?:http:\/\/localhost:3000|https:\/\/id\.example\.com)/g;
  const issuer = new RegExp(`${server.source}/api/v1/authorize/\\w+/oauth2`, 'g');
  const clientId = exampleClient(library);
  // An example's name that is an ordinary word too is replaced only where it is the client_id.
  const name = clientId.startsWith('shop-')
    ? new RegExp(`(?<![\\w-])${clientId}(?![\\w-])`, 'g')
    : new RegExp(`(?<=client[_-]id ?= ?)${clientId}\\b`, 'g');
  return text => {
    const moved = replaced.reduce((so, [from, to]) => so.replaceAll(from, () => to), text);
    return moved
      .replaceAll(issuer, () => site.issuer)
      .replaceAll(server, () => site.baseUrl)
      .replaceAll(name, () => site.clientId);
  };
}
