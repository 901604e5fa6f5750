/** Systems whose export files are read as they are (sources.ts). */
export const SOURCE_NAMES = ['keycloak', 'auth0'] as const;
export type SourceName = (typeof SOURCE_NAMES)[number];

export function isSourceName(text: string): text is SourceName {
  return SOURCE_NAMES.some(name => name === text);
}
