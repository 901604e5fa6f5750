import { misspeltName } from '../refusals/similar.ts';
import type { Context, Difference, Topic } from './explanation.ts';
import { clientText, listText, paramOf, paramText } from './wording.ts';

/** RFC 8707: the parameter `resource`. */
export const targetInvalid: Topic = context => {
  const { snapshot } = context;
  const difference = whyRefused(context);
  return {
    expected: `the identifier of an API that ${clientText(context)} is registered for: ${listText(openApis(context))}`,
    received: paramText(snapshot, 'resource'),
    difference,
    fix: FIXES[difference.kinds[0] ?? ''] ?? 'Send one resource, with the identifier of an API of the application.',
  };
};

/** The APIs whose scopes the client may have. */
function openApis({ snapshot }: Context): string[] {
  const allowed = snapshot.registration?.scope ?? [];
  const apis = snapshot.application?.apis ?? [];
  const isOpen = (scopes: readonly string[]) => scopes.length === 0 || scopes.some(scope => allowed.includes(scope));
  return apis.filter(({ scopes }) => isOpen(scopes)).map(({ identifier }) => identifier);
}

function whyRefused(context: Context): Difference {
  const { detail, application } = context.snapshot;
  const known = application?.apis?.map(({ identifier }) => identifier) ?? [];
  if (detail === undefined) return withoutName(context);
  if (!known.includes(detail)) return unknownApi(detail, known);
  return openApis(context).includes(detail)
    ? { kinds: ['not-covered'], text: `The grant does not cover ${detail}.` }
    : { kinds: ['not-allowed'], text: `The client is registered for no scope of ${detail}.` };
}

/** No single identifier is at fault. */
function withoutName({ snapshot }: Context): Difference {
  const parameter = paramOf(snapshot, 'resource')?.value;
  if (parameter === undefined) {
    return { kinds: ['unnamed'], text: 'The scope belongs to several APIs, or the API of the grant is gone.' };
  }
  return 'fault' in parameter && parameter.fault === 'repeated'
    ? { kinds: ['not-covered'], text: 'The grant does not cover all APIs that the token request names.' }
    : { kinds: ['malformed'], text: 'The value is not an absolute URI.' };
}

function unknownApi(resource: string, known: readonly string[]): Difference {
  const meant = misspeltName(resource, known);
  if (meant === undefined) return { kinds: ['unknown'], text: `The application has no API ${resource}.` };
  const text = `The application has no API ${resource}; it has ${meant}.`;
  return { kinds: ['misspelt'], text, expected: meant, received: resource };
}

const FIXES: Readonly<Record<string, string>> = {
  unnamed: 'Send the identifier of the API as resource, or ask for a scope that only this API has.',
  unknown: 'Add the API to the application, or send the identifier of one that it has.',
  misspelt:
    'Correct the identifier; it is compared character by character. Only after an origin a slash makes no difference.',
  'not-allowed': 'Add a scope of the API to the scope of the client if the client shall use it.',
  'not-covered': 'Name the API in the authorization request, as resource or by one of its scopes.',
};
